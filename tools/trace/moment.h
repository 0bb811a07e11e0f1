/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_MOMENT_H
#define TOOLS_TRACE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/span.h"

/* Units of the times of a file. */
enum time_unit {
	TIME_UNKNOWN,
	TIME_S,
	TIME_MS,
	TIME_US,
	TIME_NS,
};

/* Its name as --time-unit takes it; NULL for TIME_UNKNOWN. */
const char *time_unit_name(enum time_unit unit);

/* The unit of a name, or TIME_UNKNOWN. */
enum time_unit time_unit_find(const char *name);

/**
 * time_unit_of_epoch() - the unit in which a count since 1970 makes sense
 * @count: of units, from the years 2001 to 2286
 *
 * Return: TIME_UNKNOWN where the count is in no such range.
 */
enum time_unit time_unit_of_epoch(double count);

/* Units of a second. */
double time_unit_per_s(enum time_unit unit);

/**
 * struct moment - a point in time, exact to the nanosecond
 * @ms: whole milliseconds since whenever the file's clock began
 * @ns: nanoseconds past these, below a million
 *
 * A double cannot tell nanoseconds apart on a clock that began in 1970; what
 * is left after the first arrival was subtracted, it can.
 */
struct moment {
	int64_t ms;
	uint32_t ns;
};

/* The milliseconds of no moment at all. */
#define MOMENT_NONE INT64_MIN

/* Doubles tell whole milliseconds apart up to here. */
#define MOMENT_MAX_MS (INT64_C(1) << 53)

/**
 * moment_parse() - read a plain decimal, with or without an exponent
 * @text: the number; digits finer than a nanosecond are cut off
 * @unit: of @text, not TIME_UNKNOWN
 *
 * Return: Whether it is one from 0 to MOMENT_MAX_MS milliseconds.
 */
bool moment_parse(struct span text, enum time_unit unit, struct moment *at);

/* The same of a day and a time, as timestamp_parse() reads it. */
bool moment_of_day(struct span text, struct moment *at);

/* Below, equal or over 0 as @a is before, at or behind @b. */
int moment_compare(struct moment a, struct moment b);

/* Milliseconds from @from to @to. */
double moment_between(struct moment from, struct moment to);

/* The moment @ms milliseconds, at least 0, behind @at. */
struct moment moment_after(struct moment at, double ms);

#endif
