/* SPDX-License-Identifier: Apache-2.0 */
#include "remaining.h"

#include <math.h>

#define NS_PER_S 1e9

void fw_remaining_init(struct fw_remaining *work, const struct fw_cost *cost,
		       uint32_t budget)
{
	const struct fw_device *device = cost->device;

	*work = (struct fw_remaining){.cost = cost};
	if (cost->points)
		return;
	work->token = device->a;
	work->share = device->a + device->t0 / budget;
	work->pair = device->b;
}

static int64_t nanoseconds(double seconds)
{
	double ns = floor(seconds * NS_PER_S + 0.5);

	return ns < 0x1p63 ? (int64_t)ns : INT64_MAX;
}

static int64_t by_table(const struct fw_cost *cost, uint32_t hit, uint32_t left)
{
	/* An embedder may tell any two numbers. */
	uint32_t end = left < UINT32_MAX - hit ? hit + left : UINT32_MAX;
	int64_t ns = nanoseconds(fw_cost_prefill(cost, end) -
				 fw_cost_prefill(cost, hit));

	return ns > 1 ? ns : 1;
}

static int64_t by_device(const struct fw_remaining *work, double token,
			 uint32_t hit, uint32_t left)
{
	return nanoseconds(token * left +
			   work->pair * fw_device_pairs(hit, left));
}

int64_t fw_remaining_rest(const struct fw_remaining *work, uint32_t hit,
			  uint32_t cost)
{
	if (work->cost->points)
		return by_table(work->cost, hit, cost);
	return by_device(work, work->token, hit, cost);
}

int64_t fw_remaining_work(const struct fw_remaining *work, uint32_t hit,
			  uint32_t cost)
{
	if (work->cost->points)
		return by_table(work->cost, hit, cost);
	return by_device(work, work->share, hit, cost);
}
