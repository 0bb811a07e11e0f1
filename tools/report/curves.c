/* SPDX-License-Identifier: Apache-2.0 */
#include "curves.h"

#include <errno.h>
#include <stdlib.h>

int curves_init(struct curves *c, const struct page *page, size_t points)
{
	size_t num = page->report->num;

	c->num = num;
	c->points = points;
	c->series = calloc(num, sizeof(*c->series));
	c->x = calloc(2 * num * points, sizeof(*c->x));
	if (!c->series || !c->x) {
		free(c->x);
		free(c->series);
		return -ENOMEM;
	}
	c->y = c->x + num * points;
	for (size_t i = 0; i < num; i++)
		c->series[i] = (struct plot_series){
			.name = page_name(page, i),
			.style = (unsigned int)i,
			.num = points,
			.x = c->x + i * points,
			.y = c->y + i * points,
		};
	return 0;
}

void curves_destroy(struct curves *c)
{
	free(c->x);
	free(c->series);
}
