/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPORT_CURVES_H
#define TOOLS_REPORT_CURVES_H

#include <stddef.h>

#include "page.h"

/*
 * The series of a plot with a line for each policy. The number of points is
 * fixed, so that the size of the page does not depend on the length of the run.
 */

/**
 * struct curves - a series for each policy, over shared or own x
 * @num: policies
 * @points: of each
 * @series: what a plot takes
 * @x: points of each, one policy after the other
 * @y: the same
 */
struct curves {
	size_t num;
	size_t points;
	struct plot_series *series;
	double *x;
	double *y;
};

/* Curves of @points points for each policy, all 0. Return: 0, -ENOMEM. */
int curves_init(struct curves *c, const struct page *page, size_t points);
void curves_destroy(struct curves *c);

#endif
