/* SPDX-License-Identifier: Apache-2.0 */
#include "cost.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/base/alloc.h"

static int check_points(const struct fw_cost_point *points, size_t num)
{
	if (!num)
		return -EINVAL;
	for (size_t i = 0; i < num; i++) {
		if (!isfinite(points[i].seconds) || points[i].seconds <= 0.0)
			return -EINVAL;
		if (!points[i].tokens)
			return -EINVAL;
		if (i && points[i].tokens <= points[i - 1].tokens)
			return -EINVAL;
		if (i && points[i].seconds < points[i - 1].seconds)
			return -EINVAL;
	}
	return 0;
}

int fw_cost_init(struct fw_cost *cost, const char *device,
		 const struct fw_cost_point *points, size_t num_points,
		 const struct fw_allocator *allocator)
{
	struct fw_cost new = {.allocator = allocator};
	int ret;

	if (!points) {
		new.device = fw_device_find(device);
		if (!new.device)
			return -ENODEV;
		*cost = new;
		return 0;
	}
	ret = check_points(points, num_points);
	if (ret)
		return ret;
	new.points = fw_alloc_array(allocator, num_points, sizeof(*points));
	if (!new.points)
		return -ENOMEM;
	memcpy(new.points, points, num_points * sizeof(*points));
	new.num_points = num_points;
	*cost = new;
	return 0;
}

void fw_cost_destroy(struct fw_cost *cost)
{
	fw_free_array(cost->allocator, cost->points, cost->num_points,
		      sizeof(*cost->points));
	cost->points = NULL;
}

/* First row of at least @len tokens; num_points when there is none. */
static size_t lower_bound(const struct fw_cost *cost, uint32_t len)
{
	size_t lo = 0, hi = cost->num_points;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cost->points[mid].tokens < len)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static double interpolate(const struct fw_cost *cost, uint32_t len)
{
	struct fw_cost_point from = {0, 0.0}, to;
	size_t i = lower_bound(cost, len);

	if (i == cost->num_points)
		i--;
	to = cost->points[i];
	if (i)
		from = cost->points[i - 1];
	return from.seconds + (to.seconds - from.seconds) *
				      ((double)len - from.tokens) /
				      ((double)to.tokens - from.tokens);
}

double fw_cost_prefill(const struct fw_cost *cost, uint32_t len)
{
	if (cost->points)
		return interpolate(cost, len);
	return fw_device_prefill(cost->device, 0, len, FW_COST_CHUNK);
}
