/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_MOONCAKE_LINE_H
#define TOOLS_TRACE_MOONCAKE_LINE_H

#include <stddef.h>

#include "tools/base/diag.h"
#include "tools/base/lines.h"
#include "mooncake_fields.h"

/* One line of Mooncake's JSONL: from text to checked fields. */

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

void mooncake_line_destroy(struct mooncake_line *line);

#endif
