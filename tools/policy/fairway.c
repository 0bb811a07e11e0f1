/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/cost/score.h"
#include "ops.h"

struct fairway {
	struct fw_lanes lanes;
	struct policy_env env;
	double multiplier;
	double floor;
};

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	const struct fw_lanes_config config = {
		.weight = (uint32_t)spec->weight,
		.budget = env->budget,
		.carry = spec->carry,
		.fair_lane = !spec->no_fair_lane,
		.wait_constant = spec->wait_constant,
		.form = spec->sort ? FW_SCORE_SORT : FW_SCORE_KINETIC,
	};
	struct fairway *f = fw_alloc_array(env->allocator, 1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->env = *env;
	f->multiplier = spec->multiplier;
	f->floor = spec->floor;
	fw_lanes_init(&f->lanes, &config, env->allocator);
	*policy = f;
	return 0;
}

static void destroy(void *policy)
{
	struct fairway *f = policy;

	fw_lanes_destroy(&f->lanes);
	fw_free_array(f->env.allocator, f, 1, sizeof(*f));
}

static int add(void *policy, struct fw_request *req, double arrival,
	       uint32_t hit)
{
	struct fairway *f = policy;
	double prefill = fw_cost_prefill(f->env.cost, req->len);

	return fw_lanes_add(&f->lanes, req, arrival,
			    fw_slo(prefill, f->multiplier, f->floor), hit);
}

static void take_out(void *policy, struct fw_request *req)
{
	fw_lanes_remove(&((struct fairway *)policy)->lanes, req);
}

static void set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	struct fairway *f = policy;

	fw_lanes_set_hit(&f->lanes, req, hit);
}

static void stats(const void *policy, uint64_t *overtaken,
		  uint64_t *bound_broken)
{
	const struct fairway *f = policy;

	*overtaken = f->lanes.stats.overtaken;
	*bound_broken = f->lanes.stats.bound_broken;
}

static size_t waiting(void *ctx)
{
	return fw_lanes_source.waiting(&((struct fairway *)ctx)->lanes);
}

static void begin(void *ctx, double now, uint32_t budget)
{
	fw_lanes_begin(&((struct fairway *)ctx)->lanes, now, budget);
}

static struct fw_request *peek(void *ctx)
{
	return fw_lanes_peek(&((struct fairway *)ctx)->lanes);
}

static void admit(void *ctx, uint32_t tokens)
{
	struct fairway *f = ctx;
	const struct fw_request *req = fw_lanes_peek(&f->lanes);

	if (req && f->env.released)
		f->env.released(f->env.ctx, req->id,
				f->lanes.lane == FW_LANE_FAIR);
	fw_lanes_admit(&f->lanes, tokens);
}

static void end(void *ctx)
{
	fw_lanes_end(&((struct fairway *)ctx)->lanes);
}

const struct policy_ops policy_fairway = {
	.source =
		{
			.waiting = waiting,
			.begin = begin,
			.peek = peek,
			.admit = admit,
			.end = end,
		},
	.create = create,
	.destroy = destroy,
	.add = add,
	.remove = take_out,
	.set_hit = set_hit,
	.stats = stats,
};
