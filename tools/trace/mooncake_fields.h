/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_MOONCAKE_FIELDS_H
#define TOOLS_TRACE_MOONCAKE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "id_runs.h"
#include "trace.h"

/* What a line of Mooncake's JSONL holds, however it is parsed. */

enum field {
	FIELD_TIMESTAMP,
	FIELD_INPUT,
	FIELD_OUTPUT,
	FIELD_IDS,
	FIELD_PHASE,
	FIELD_BLOCK,
	FIELD_POOL,
	NUM_FIELDS,
	FIELD_OTHER = NUM_FIELDS,
};

/**
 * struct mooncake_rule - what a field may hold
 * @name: its key
 * @min: least number
 * @max: largest number; 2^53 is where doubles stop to tell whole ms apart
 * @needed: what is missing when it is not there; NULL when it may be
 */
struct mooncake_rule {
	const char *name;
	uint64_t min;
	uint64_t max;
	const char *needed;
};

extern const struct mooncake_rule mooncake_rules[NUM_FIELDS];

/* The field of a key; one byte can be read even where it is empty. */
enum field mooncake_field(const char *key, size_t len);

/**
 * struct mooncake_line - what a line says; begins as zeros
 * @seen: fields that are there
 * @value: their numbers, in range; 0 where there is none
 * @phase: its text, or ""
 * @list: the ids; the memory is kept for the next line
 */
struct mooncake_line {
	bool seen[NUM_FIELDS];
	uint64_t value[NUM_FIELDS];
	char phase[TRACE_MAX_PHASE_NAME + 1];
	struct id_runs list;
};

#endif
