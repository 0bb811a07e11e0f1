/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_MOONCAKE_FIELDS_H
#define TOOLS_TRACE_MOONCAKE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/span.h"
#include "id_runs.h"
#include "moment.h"
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
	FIELD_SESSION,
	FIELD_DELAY,
	FIELD_SELF,
	FIELD_PARENT,
	FIELD_TENANT,
	NUM_FIELDS,
	FIELD_OTHER = NUM_FIELDS,
};

/* What the value of a field is. */
enum mooncake_kind {
	MOONCAKE_COUNT, /* a whole number in a range */
	MOONCAKE_TIME, /* a number of the file's unit, or a day and a time */
	MOONCAKE_LIST, /* of block ids */
	MOONCAKE_NAME, /* of a phase */
	MOONCAKE_KEY, /* a number or a text that others may equal */
	MOONCAKE_TENANT, /* a number, or a text that stands for one */
};

/**
 * struct mooncake_rule - what a field may hold
 * @name: its key
 * @other: another key of the same meaning, or NULL
 * @kind: what its value is
 * @min: least number
 * @max: largest number
 * @needed: what is missing when it is not there; NULL when it may be
 */
struct mooncake_rule {
	const char *name;
	const char *other;
	enum mooncake_kind kind;
	uint64_t min;
	uint64_t max;
	const char *needed;
};

extern const struct mooncake_rule mooncake_rules[NUM_FIELDS];

struct mooncake_line;

/**
 * mooncake_field() - the field of a key
 * @line: what was seen of its line so far; that the key is there is noted
 * @key: one byte can be read even where it is empty
 * @twice: set where the field has been given by this very key
 *
 * Where a line has both keys of a field, the first of the rule counts.
 *
 * Return: The field, or FIELD_OTHER for what is passed over.
 */
enum field mooncake_field(struct mooncake_line *line, const char *key,
			  size_t len, bool *twice);

/**
 * struct mooncake_line - what a line says; begins as zeros, but for the unit
 * @unit: of its times, set by the caller
 * @seen: fields that are there
 * @other: fields that are there by their other key
 * @value: their numbers, in range, and their keys as id_of_text() has them; 0
 *	where there is none
 * @at: the timestamp
 * @delay: the delay, as a time since 0
 * @phase: its text, or ""
 * @list: the ids; the memory is kept for the next line
 */
struct mooncake_line {
	enum time_unit unit;
	bool seen[NUM_FIELDS];
	bool other[NUM_FIELDS];
	uint64_t value[NUM_FIELDS];
	struct moment at;
	struct moment delay;
	char phase[TRACE_MAX_PHASE_NAME + 1];
	struct id_runs list;
};

/* Give the time of a field to @line: @text is a number or a text. */
bool mooncake_take_time(struct mooncake_line *line, enum field field,
			struct span text);

#endif
