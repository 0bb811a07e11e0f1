/* SPDX-License-Identifier: Apache-2.0 */
#include "id_text.h"

#include "tools/base/number.h"

/* FNV-1a, then the finisher of splitmix64: each bit takes part in each bit. */
static uint64_t hash(struct span text)
{
	uint64_t x = 0xcbf29ce484222325u;

	for (size_t i = 0; i < text.len; i++)
		x = (x ^ (unsigned char)text.at[i]) * 0x100000001b3u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

uint64_t id_of_number(struct span text)
{
	struct span digits = text;
	uint64_t value;

	if (span_u64(text, 0, UINT64_MAX, &value))
		return value;
	if (digits.len && *digits.at == '-') {
		digits.at++;
		digits.len--;
		if (span_u64(digits, 1, UINT64_C(1) << 63, &value))
			return -value;
	}
	return hash(text);
}

uint64_t id_of_text(struct span text)
{
	uint64_t id = hash(text);

	return id ? id : 1;
}

uint64_t id_of_tenant(struct span text)
{
	uint64_t number;

	return span_u64(text, 0, UINT64_MAX, &number) ? number
						      : id_of_text(text);
}
