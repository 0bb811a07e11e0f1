/* SPDX-License-Identifier: Apache-2.0 */
#include "id_list.h"

#include <errno.h>
#include <stdlib.h>

#include "mem.h"

/* Any number of so many digits fits in 64 bits. */
enum {
	SAFE_DIGITS = 19
};

static int grow(struct id_list *list)
{
	uint64_t *ids =
		mem_grow(list->ids, &list->cap, list->num + 1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	list->ids = ids;
	return 0;
}

static inline int add(struct id_list *list, uint64_t id)
{
	if (list->num == list->cap && grow(list))
		return -ENOMEM;
	list->ids[list->num++] = id;
	return 0;
}

int id_list_add(struct id_list *list, uint64_t id)
{
	return add(list, id);
}

static inline const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Return: Behind the number, or NULL where it is not a plain one. */
static inline const char *scan_number(const char *at, const char *end,
				      uint64_t *id)
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

size_t id_list_scan(struct id_list *list, const char *text, size_t len)
{
	const char *end = text + len;
	const char *at = text;
	size_t num = list->num;

	for (;;) {
		uint64_t id;

		at = scan_number(skip_blanks(at, end), end, &id);
		if (!at || add(list, id))
			break;
		at = skip_blanks(at, end);
		if (at == end)
			break;
		if (*at == ']')
			return (size_t)(at - text);
		if (*at++ != ',')
			break;
	}
	list->num = num;
	return 0;
}

void id_list_destroy(struct id_list *list)
{
	free(list->ids);
	*list = (struct id_list){0};
}
