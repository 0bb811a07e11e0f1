/* SPDX-License-Identifier: Apache-2.0 */
#include "mooncake_fields.h"

#include <limits.h>
#include <string.h>

const struct mooncake_rule mooncake_rules[NUM_FIELDS] = {
	[FIELD_TIMESTAMP] = {"timestamp", 0, UINT64_C(1) << 53,
			     "a whole number of milliseconds"},
	[FIELD_INPUT] = {"input_length", 1, INT32_MAX,
			 "a whole number of tokens"},
	[FIELD_OUTPUT] = {"output_length", 0, INT32_MAX, NULL},
	[FIELD_IDS] = {"hash_ids", 0, UINT64_MAX, "a list of block ids"},
	[FIELD_PHASE] = {"phase", 0, 0, NULL},
	[FIELD_BLOCK] = {"block_size", 1, 65536, NULL},
	[FIELD_POOL] = {"kv_blocks", 1, INT32_MAX, NULL},
};

enum field mooncake_field(const char *key, size_t len)
{
	for (int i = 0; i < NUM_FIELDS; i++) {
		const char *name = mooncake_rules[i].name;

		/* Most keys differ in what is looked at here already. */
		if (*name == *key && strlen(name) == len &&
		    !memcmp(name, key, len))
			return (enum field)i;
	}
	return FIELD_OTHER;
}
