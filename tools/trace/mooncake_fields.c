/* SPDX-License-Identifier: Apache-2.0 */
#include "mooncake_fields.h"

#include <limits.h>
#include <string.h>

const struct mooncake_rule mooncake_rules[NUM_FIELDS] = {
	[FIELD_TIMESTAMP] = {.name = "timestamp",
			     .other = "created_time",
			     .kind = MOONCAKE_TIME},
	[FIELD_INPUT] = {.name = "input_length",
			 .other = "input_tokens",
			 .min = 1,
			 .max = INT32_MAX,
			 .needed = "a whole number of tokens"},
	[FIELD_OUTPUT] = {.name = "output_length",
			  .other = "output_tokens",
			  .max = INT32_MAX},
	[FIELD_IDS] = {.name = "hash_ids", .kind = MOONCAKE_LIST},
	[FIELD_PHASE] = {.name = "phase", .kind = MOONCAKE_NAME},
	[FIELD_BLOCK] = {.name = "block_size", .min = 1, .max = 65536},
	[FIELD_POOL] = {.name = "kv_blocks", .min = 1, .max = INT32_MAX},
	[FIELD_SESSION] = {.name = "session_id", .kind = MOONCAKE_KEY},
	[FIELD_DELAY] = {.name = "delay",
			 .other = "delay_ms",
			 .kind = MOONCAKE_TIME},
	[FIELD_SELF] = {.name = "chat_id", .kind = MOONCAKE_KEY},
	[FIELD_PARENT] = {.name = "parent_chat_id", .kind = MOONCAKE_KEY},
	[FIELD_TENANT] = {.name = "tenant", .kind = MOONCAKE_TENANT},
};

/* Most keys differ in what is looked at first. */
static inline bool is_key(const char *name, const char *key, size_t len)
{
	return name && *name == *key && strlen(name) == len &&
	       !memcmp(name, key, len);
}

enum field mooncake_field(struct mooncake_line *line, const char *key,
			  size_t len, bool *twice)
{
	*twice = false;
	for (int i = 0; i < NUM_FIELDS; i++) {
		const struct mooncake_rule *rule = &mooncake_rules[i];
		bool other = is_key(rule->other, key, len);

		if (!other && !is_key(rule->name, key, len))
			continue;
		if (line->seen[i] && other && !line->other[i])
			return FIELD_OTHER;
		*twice = line->seen[i] && other == line->other[i];
		line->seen[i] = true;
		line->other[i] = other;
		return (enum field)i;
	}
	return FIELD_OTHER;
}

/* A delay is in milliseconds in every form. */
bool mooncake_take_time(struct mooncake_line *line, enum field field,
			struct span text)
{
	if (field == FIELD_DELAY)
		return moment_parse(text, TIME_MS, &line->delay);
	return moment_parse(text, line->unit, &line->at) ||
	       moment_of_day(text, &line->at);
}
