/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_TIMESTAMP_H
#define TOOLS_TRACE_TIMESTAMP_H

#include <stdint.h>

#include "tools/base/span.h"

/* A tick is 100 ns: what .NET writes, and ten thousand years fit an int64. */
#define TICKS_PER_S INT64_C(10000000)
#define TICKS_PER_MS 1e4

/**
 * timestamp_parse() - read "2023-11-16 18:17:03.9799600"
 * @text: a date of the Gregorian calendar, ' ' or 'T', a time with or without
 *	a fraction of up to nine digits (what is finer than a tick is cut
 *	off), and nothing, 'Z' or an offset such as +00:00 behind it
 * @ticks: since the year 1, in UTC
 *
 * Return: NULL, or what was expected.
 */
const char *timestamp_parse(struct span text, int64_t *ticks);

#endif
