/* SPDX-License-Identifier: Apache-2.0 */
#include "doubles.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void doubles_sort(double *values, size_t num)
{
	qsort(values, num, sizeof(*values), compare);
}
