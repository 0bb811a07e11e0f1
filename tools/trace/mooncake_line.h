/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_MOONCAKE_LINE_H
#define TOOLS_TRACE_MOONCAKE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/lines.h"
#include "id_runs.h"
#include "trace.h"

/* One line of Mooncake's JSONL: from text to checked fields. */

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

/**
 * mooncake_line_parse() - read one line
 * @line: what it said before is dropped
 * @lines: where @text is from, for messages
 *
 * Checks every field for itself, and that the needed ones are there.
 *
 * Return: 0 or -errno with @diag set.
 */
int mooncake_line_parse(struct mooncake_line *line, const struct lines *lines,
			const char *text, size_t len, struct diag *diag);

/**
 * mooncake_plain_parse() - the first attempt of mooncake_line_parse()
 * @line: cleared; holds anything where this fails
 *
 * Return: Whether the line is of the common kind, and all in it in range.
 */
bool mooncake_plain_parse(struct mooncake_line *line, const char *text,
			  size_t len);

/* Its second attempt, which takes all of JSON, from a line that is cleared. */
int mooncake_json_parse(struct mooncake_line *line, const struct lines *lines,
			const char *text, size_t len, struct diag *diag);

void mooncake_line_destroy(struct mooncake_line *line);

#endif
