/* SPDX-License-Identifier: Apache-2.0 */
#include "id_list.h"

#include <endian.h>
#include <string.h>

/* Any number of so many digits fits in 64 bits. */
enum {
	SAFE_DIGITS = 19
};

static inline const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static const char *scan_slowly(const char *at, const char *end, uint64_t *id)
{
	const char *begin = at;
	uint64_t value = 0;

	while (at < end && (unsigned char)(*at - '0') <= 9)
		value = value * 10 + (unsigned char)(*at++ - '0');
	if (at == begin || at - begin > SAFE_DIGITS ||
	    (*begin == '0' && at - begin > 1))
		return NULL;
	*id = value;
	return at;
}

/* Each byte over '9' - '0' gets its top bit, and maybe some above the first. */
static inline uint64_t not_digits(uint64_t bytes)
{
	const uint64_t top = 0x8080808080808080u;

	return ((bytes + 0x7676767676767676u) | bytes) & top;
}

/* Eight digits, the first one in the lowest byte, as pairs, then fours. */
static inline uint64_t eight_digits(uint64_t bytes)
{
	bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ffu;
	bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffffu;
	return (bytes * 10000 + (bytes >> 32)) & 0xffffffffu;
}

/* Return: Behind the number, or NULL where it is not a plain one. */
static inline const char *scan_number(const char *at, const char *end,
				      uint64_t *id)
{
	uint64_t bytes, others;
	unsigned int digits;

	if (end - at < 8)
		return scan_slowly(at, end, id);
	memcpy(&bytes, at, 8);
	bytes = le64toh(bytes) ^ 0x3030303030303030u;
	others = not_digits(bytes);
	/* All of the eight may not be all of the number. */
	if (!others)
		return scan_slowly(at, end, id);
	digits = (unsigned int)__builtin_ctzll(others) / 8;
	if (!digits || (digits > 1 && *at == '0'))
		return NULL;
	*id = eight_digits(bytes << (64 - 8 * digits));
	return at + digits;
}

size_t id_list_scan(struct id_runs *list, const char *text, size_t len)
{
	const struct id_runs before = *list;
	uint32_t last =
		before.num_runs ? list->runs[before.num_runs - 1].num : 0;
	const char *end = text + len;
	const char *at = text;

	for (;;) {
		uint64_t id;

		at = scan_number(skip_blanks(at, end), end, &id);
		if (!at || id_runs_add(list, id, 1))
			break;
		at = skip_blanks(at, end);
		if (at == end)
			break;
		if (*at == ']')
			return (size_t)(at - text);
		if (*at++ != ',')
			break;
	}
	list->num_runs = before.num_runs;
	list->num_ids = before.num_ids;
	list->next = before.next;
	if (last)
		list->runs[before.num_runs - 1].num = last;
	return 0;
}
