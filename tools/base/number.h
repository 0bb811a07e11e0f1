/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_NUMBER_H
#define TOOLS_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "span.h"

/*
 * Numbers as users write them, on the command line and in files: the whole
 * text, plain decimal, no white space, no sign where none can be meant,
 * nothing that overflows. What fails leaves its result alone; a text fails
 * with -EINVAL.
 */
int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);
int parse_real(const char *text, double min, double max, double *out);

/**
 * parse_thousandths() - a decimal with at most three places, exactly
 * @text: such as "4", "0.5" or "4.125"
 * @min: in thousandths
 * @max: in thousandths
 * @out: the number in thousandths
 *
 * Return: 0, -EINVAL.
 */
int parse_thousandths(const char *text, int64_t min, int64_t max, int64_t *out);

/**
 * span_u64() - a whole number, digits only
 *
 * Return: Whether it is one from @min to @max.
 */
bool span_u64(struct span span, uint64_t min, uint64_t max, uint64_t *value);

/* The same for plain decimals with or without an exponent. */
bool span_real(struct span span, double min, double max, double *value);

#endif
