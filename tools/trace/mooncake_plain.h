/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_MOONCAKE_PLAIN_H
#define TOOLS_TRACE_MOONCAKE_PLAIN_H

#include "mooncake_fields.h"

/**
 * mooncake_plain_parse() - read a line of the common kind
 * @line: cleared; holds anything where this fails
 *
 * Return: Whether the line is of the common kind, and all in it in range.
 */
bool mooncake_plain_parse(struct mooncake_line *line, const char *text,
			  size_t len);

#endif
