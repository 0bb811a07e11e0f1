/* SPDX-License-Identifier: Apache-2.0 */
#include "lockstep.h"

#include <stdlib.h>
#include <time.h>

#include "lib/base/alloc.h"
#include "lib/runtime/runtime.h"

/**
 * struct lockstep - the executor
 * @inner: that computes
 * @fake: only its completions are used: where @inner reports to
 * @flights: what @inner is given
 * @outer: what the runtime gave
 * @tokens: of each plan
 * @first: oldest plan in flight
 * @num: in flight
 * @plans: so far
 * @now: seconds
 */
struct lockstep {
	struct fw_executor inner;
	struct fw *fake;
	struct fw_flight flights[FW_DEPTH_MAX];
	struct fw_flight *outer[FW_DEPTH_MAX];
	uint32_t tokens[FW_DEPTH_MAX];
	uint32_t first;
	uint32_t num;
	uint64_t plans;
	double now;
};

static int submit(void *ctx, const struct fw_plan *plan,
		  struct fw_flight *flight)
{
	struct lockstep *step = ctx;
	uint32_t last = (step->first + step->num) % FW_DEPTH_MAX;
	struct fw_flight *own = &step->flights[last];
	int ret;

	own->fw = step->fake;
	own->over = false;
	atomic_store(&own->awaited, true);
	ret = step->inner.ops->submit(step->inner.ctx, plan, own);
	if (ret)
		return ret;
	step->outer[last] = flight;
	step->tokens[last] = plan->num_tokens;
	step->num++;
	step->plans++;
	return 0;
}

static void drain(struct lockstep *step)
{
	struct fw_inbox_node *node =
		fw_inbox_drain(&step->fake->completions, 0);

	for (; node; node = node->next)
		container_of(node, struct fw_flight, ended)->over = true;
}

static void wait_for(struct lockstep *step, const struct fw_flight *flight)
{
	const struct timespec nap = {.tv_nsec = 20000};

	for (drain(step); !flight->over; drain(step))
		nanosleep(&nap, NULL);
}

static double now(void *ctx)
{
	return ((const struct lockstep *)ctx)->now;
}

static void idle(void *ctx)
{
	struct lockstep *step = ctx;
	uint32_t first = step->first;

	wait_for(step, &step->flights[first]);
	step->now += 0.001 * step->tokens[first];
	step->first = (first + 1) % FW_DEPTH_MAX;
	step->num--;
	fw_plan_done(step->outer[first], step->flights[first].status);
}

static void destroy(void *ctx)
{
	struct lockstep *step = ctx;

	while (step->num)
		idle(step);
	fw_executor_destroy(&step->inner);
	fw_gate_destroy(&step->fake->gate);
	fw_inbox_destroy(&step->fake->completions);
	free(step->fake);
	free(step);
}

static const struct fw_executor_ops ops = {
	.size = sizeof(ops),
	.submit = submit,
	.destroy = destroy,
	.now = now,
	.idle = idle,
};

struct lockstep *lockstep_open(const struct fw_executor *inner,
			       struct fw_executor *out)
{
	struct lockstep *step = calloc(1, sizeof(*step));
	size_t size = (sizeof(struct fw) + 127) / 128 * 128;

	if (!step)
		abort();
	step->fake = aligned_alloc(128, size);
	if (!step->fake ||
	    fw_inbox_init(&step->fake->completions, 1, &fw_allocator_default))
		abort();
	fw_gate_init(&step->fake->gate);
	step->inner = *inner;
	*out = (struct fw_executor){
		.ops = &ops,
		.ctx = step,
		.depth = inner->depth,
	};
	return step;
}

uint64_t lockstep_plans(const struct lockstep *step)
{
	return step->plans;
}
