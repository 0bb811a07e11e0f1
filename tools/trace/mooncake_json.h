/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_MOONCAKE_JSON_H
#define TOOLS_TRACE_MOONCAKE_JSON_H

#include "tools/base/diag.h"
#include "tools/base/lines.h"
#include "mooncake_fields.h"

/**
 * mooncake_json_parse() - read a line of any kind of JSON
 * @line: cleared; holds anything where this fails
 * @lines: where @text is from, for messages
 *
 * Return: 0 or -errno with @diag set.
 */
int mooncake_json_parse(struct mooncake_line *line, const struct lines *lines,
			const char *text, size_t len, struct diag *diag);

#endif
