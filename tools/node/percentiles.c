/* SPDX-License-Identifier: Apache-2.0 */
#include "percentiles.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/number.h"

/* All of them. */
#define WHOLE 100000u

static int read_number(const char *text, uint32_t *at)
{
	int64_t value;

	if (parse_thousandths(text, 1, WHOLE, &value))
		return -EINVAL;
	*at = (uint32_t)value;
	return 0;
}

int percentile_read(const char *name, uint32_t *at)
{
	return *name == 'p' ? read_number(name + 1, at) : -EINVAL;
}

void percentile_name(char *buf, size_t size, uint32_t at)
{
	int len = snprintf(buf, size, "p%" PRIu32 ".%03" PRIu32, at / 1000,
			   at % 1000);

	while (len > 1 && buf[len - 1] == '0')
		buf[--len] = '\0';
	if (buf[len - 1] == '.')
		buf[len - 1] = '\0';
}

static bool holds(const struct percentiles *list, uint32_t at)
{
	for (unsigned int i = 0; i < list->num; i++)
		if (list->at[i] == at)
			return true;
	return false;
}

static int add(struct percentiles *list, const char *text, struct diag *diag)
{
	uint32_t at;

	if (read_number(text + (*text == 'p'), &at))
		return diag_set(diag, -EINVAL,
				"--percentiles: expected a percentile from "
				"0.001 to 100 with at most three decimals "
				"(was \"%s\")",
				text);
	if (holds(list, at))
		return 0;
	if (list->num == PERCENTILES_SHOWN)
		return diag_set(diag, -EINVAL,
				"--percentiles: expected at most %d (more)",
				PERCENTILES_SHOWN);
	list->at[list->num++] = at;
	list->shown = list->num;
	return 0;
}

int percentiles_parse(struct percentiles *list, const char *text,
		      struct diag *diag)
{
	char *copy = strdup(text);
	char *rest = copy;
	int err = copy ? 0 : diag_set(diag, -ENOMEM, "out of memory");

	while (rest && !err)
		err = add(list, strsep(&rest, ","), diag);
	free(copy);
	return err;
}

void percentiles_need(struct percentiles *list, uint32_t at)
{
	if (holds(list, at))
		return;
	assert(list->num < PERCENTILES_MAX);
	list->at[list->num++] = at;
}

/* Integers only: 0.99 * 100 is a little over 99 in doubles. */
double percentile_of(const double *sorted, uint64_t num, uint32_t at)
{
	return sorted[(num * at + WHOLE - 1) / WHOLE - 1];
}
