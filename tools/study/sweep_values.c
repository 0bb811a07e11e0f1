/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep_values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/number.h"
#include "sweep.h"

/* A billion, in thousandths. */
#define MOST INT64_C(1000000000000)

static int bad(const char *text, const char *expected, struct diag *diag)
{
	return diag_set(diag, -EINVAL, "--sweep: expected %s (was \"%s\")",
			expected, text);
}

static int add(char ***values, unsigned int *num, const char *text,
	       struct diag *diag)
{
	char **more;

	if (!*text)
		return bad(text, "a value", diag);
	if (*num == SWEEP_MAX_VALUES)
		return diag_set(diag, -EINVAL,
				"--sweep: expected at most %d values (more)",
				SWEEP_MAX_VALUES);
	more = reallocarray(*values, *num + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	*values = more;
	more[*num] = strdup(text);
	if (!more[*num])
		return -ENOMEM;
	(*num)++;
	return 0;
}

/* Digits behind the point. */
static unsigned int decimals(const char *text)
{
	const char *point = strchr(text, '.');

	return point ? (unsigned int)strlen(point + 1) : 0;
}

/**
 * struct steps - a range, in thousandths
 * @from: first value
 * @to: none is above it
 * @step: between them
 * @decimals: that the values are written with
 */
struct steps {
	int64_t from;
	int64_t to;
	int64_t step;
	unsigned int decimals;
};

static void more_decimals(struct steps *steps, const char *text)
{
	unsigned int num = decimals(text);

	if (num > steps->decimals)
		steps->decimals = num;
}

/* @copy is FROM..TO or FROM..TO/STEP, to be cut up at @dots. */
static int read_steps(struct steps *steps, char *copy, char *dots)
{
	static const int64_t units[] = {1000, 100, 10, 1};
	char *to = dots + 2;
	char *step = strchr(to, '/');

	*dots = '\0';
	if (step)
		*step++ = '\0';
	if (parse_thousandths(copy, 0, MOST, &steps->from) ||
	    parse_thousandths(to, 0, MOST, &steps->to))
		return -EINVAL;
	more_decimals(steps, copy);
	more_decimals(steps, to);
	if (step && parse_thousandths(step, 1, MOST, &steps->step))
		return -EINVAL;
	if (step)
		more_decimals(steps, step);
	else
		steps->step = units[steps->decimals];
	return steps->from <= steps->to ? 0 : -EINVAL;
}

static int add_steps(char ***values, unsigned int *num,
		     const struct steps *steps, struct diag *diag)
{
	int err = 0;

	for (int64_t at = steps->from; at <= steps->to && !err;
	     at += steps->step) {
		char value[40];
		int len = snprintf(value, sizeof(value), "%" PRId64 ".%03d",
				   at / 1000, (int)(at % 1000));

		len -= 3 - (int)steps->decimals;
		value[steps->decimals ? len : len - 1] = '\0';
		err = add(values, num, value, diag);
	}
	return err;
}

int sweep_values(char ***values, unsigned int *num, const char *text,
		 struct diag *diag)
{
	struct steps steps = {0, 0, 0, 0};
	char *copy = strdup(text);
	char *dots = copy ? strstr(copy, "..") : NULL;
	char *rest = copy;
	int err = copy ? 0 : -ENOMEM;

	if (dots) {
		err = read_steps(&steps, copy, dots);
		if (err)
			bad(text,
			    "FROM..TO or FROM..TO/STEP, with at most "
			    "three decimals",
			    diag);
		else
			err = add_steps(values, num, &steps, diag);
		rest = NULL;
	}
	while (rest && !err)
		err = add(values, num, strsep(&rest, ","), diag);
	free(copy);
	return err;
}

int seeds_parse(const char *text, uint64_t *first, uint64_t *last,
		struct diag *diag)
{
	char *copy = strdup(text);
	char *dots = copy ? strstr(copy, "..") : NULL;
	uint64_t from = 0, to = 0;
	int err = copy ? 0 : -ENOMEM;

	if (dots) {
		*dots = '\0';
		err = opt_u64("--seed", copy, 0, INT64_MAX, &from, diag);
		if (!err)
			err = opt_u64("--seed", dots + 2, from,
				      from > INT64_MAX - 999 ? INT64_MAX
							     : from + 999,
				      &to, diag);
	} else if (!err) {
		err = opt_u64("--seed", copy, 0, INT64_MAX, &from, diag);
		to = from;
	}
	free(copy);
	if (err)
		return err;
	*first = from;
	*last = to;
	return 0;
}
