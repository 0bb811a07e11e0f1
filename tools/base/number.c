/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool span_u64(struct span span, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;

	for (size_t i = 0; i < span.len; i++) {
		unsigned int digit = (unsigned char)span.at[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, digit, &v))
			return false;
	}
	if (!span.len || v < min || v > max)
		return false;
	*value = v;
	return true;
}

/* Powers of ten that a double holds without rounding. */
static const double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,	1e6,  1e7,
			      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* So many digits make a whole number below 2^53. */
enum {
	EXACT_DIGITS = 15
};

/*
 * Digits with at most one point, and few of them: both the digits and the power
 * of ten are exact, so one division rounds as strtod() does.
 */
static bool plain_real(struct span span, double *value)
{
	size_t point = span.len, digits = 0;
	uint64_t whole = 0;

	for (size_t i = 0; i < span.len; i++) {
		unsigned int digit = (unsigned char)span.at[i] - '0';

		if (digit <= 9) {
			whole = whole * 10 + digit;
			digits++;
		} else if (span.at[i] == '.' && point == span.len) {
			point = i;
		} else {
			return false;
		}
		if (digits > EXACT_DIGITS)
			return false;
	}
	if (!digits)
		return false;
	*value = (double)whole /
		 tens[point < span.len ? span.len - point - 1 : 0];
	return true;
}

/* Whatever is not plain, and all that is wrong, is parse_real()'s. */
bool span_real(struct span span, double min, double max, double *value)
{
	char text[64];
	double plain;

	if (plain_real(span, &plain)) {
		if (plain < min || plain > max)
			return false;
		*value = plain;
		return true;
	}
	if (span.len >= sizeof(text) || memchr(span.at, '\0', span.len))
		return false;
	memcpy(text, span.at, span.len);
	text[span.len] = '\0';
	return !parse_real(text, min, max, value);
}

int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	const struct span all = {text, strlen(text)};

	return span_u64(all, min, max, out) ? 0 : -EINVAL;
}

int parse_real(const char *text, double min, double max, double *out)
{
	double value;
	char *end;

	/* strtod() also takes white space, hexadecimal, "inf" and "nan". */
	if (!*text || text[strspn(text, "0123456789.eE+-")] ||
	    !strpbrk(text, "0123456789"))
		return -EINVAL;
	value = strtod(text, &end);
	if (*end || !isfinite(value) || value < min || value > max)
		return -EINVAL;
	*out = value;
	return 0;
}

int parse_thousandths(const char *text, int64_t min, int64_t max, int64_t *out)
{
	size_t whole = strspn(text, "0123456789");
	const char *point = text + whole;
	size_t places = 0;
	char digits[24];
	uint64_t value;

	if (*point == '.') {
		places = strspn(point + 1, "0123456789");
		if (!places || places > 3)
			return -EINVAL;
	}
	if (!whole || point[places + (*point == '.')] || whole > 18)
		return -EINVAL;
	snprintf(digits, sizeof(digits), "%.*s%.*s%.*s", (int)whole, text,
		 (int)places, point + 1, (int)(3 - places), "000");
	if (min < 0 || parse_u64(digits, min, max, &value))
		return -EINVAL;
	*out = (int64_t)value;
	return 0;
}
