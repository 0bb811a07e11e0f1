/* SPDX-License-Identifier: Apache-2.0 */
#include "classes.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/cost/score.h"

int fw_classes_init(struct fw_classes *classes, uint32_t num,
		    const struct fw_lanes_config *config,
		    const struct fw_allocator *allocator)
{
	struct fw_lanes *lanes = fw_alloc_array(allocator, num, sizeof(*lanes));

	assert(num && num <= FW_CLASSES_MAX);
	if (!lanes)
		return -ENOMEM;
	*classes = (struct fw_classes){
		.lanes = lanes,
		.num = num,
		.allocator = allocator,
	};
	for (uint32_t i = 0; i < num; i++)
		fw_lanes_init(&lanes[i], config, allocator);
	return 0;
}

void fw_classes_destroy(struct fw_classes *classes)
{
	for (uint32_t i = 0; i < classes->num; i++)
		fw_lanes_destroy(&classes->lanes[i]);
	fw_free_array(classes->allocator, classes->lanes, classes->num,
		      sizeof(*classes->lanes));
	classes->lanes = NULL;
	classes->num = 0;
}

static size_t waiting(void *ctx)
{
	return ((const struct fw_classes *)ctx)->waiting;
}

/* Passes begin when their class is looked at: most steps need one. */
static void begin(void *ctx, double now, uint32_t budget)
{
	struct fw_classes *classes = ctx;

	classes->now = now;
	classes->budget = budget;
	classes->begun = 0;
}

static struct fw_request *peek(void *ctx)
{
	struct fw_classes *classes = ctx;

	for (uint32_t i = classes->num; i-- > 0;) {
		struct fw_lanes *lanes = &classes->lanes[i];
		struct fw_request *req;

		if (!lanes->waiting && !lanes->open)
			continue;
		if (!(classes->begun & (uint64_t)1 << i))
			fw_lanes_begin(lanes, classes->now, classes->budget);
		classes->begun |= (uint64_t)1 << i;
		req = fw_lanes_peek(lanes);
		classes->peeked = i;
		if (req)
			return req;
	}
	return NULL;
}

static void admit(void *ctx, uint32_t tokens)
{
	struct fw_classes *classes = ctx;

	fw_lanes_admit(&classes->lanes[classes->peeked], tokens);
	classes->waiting--;
}

static void skip(void *ctx)
{
	struct fw_classes *classes = ctx;

	fw_lanes_skip(&classes->lanes[classes->peeked]);
}

static void end(void *ctx)
{
	struct fw_classes *classes = ctx;

	for (uint32_t i = 0; i < classes->num; i++)
		if (classes->begun & (uint64_t)1 << i)
			fw_lanes_end(&classes->lanes[i]);
	classes->begun = 0;
}

static int add(void *queue, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct fw_classes *classes = queue;
	int ret = fw_lanes_add(&classes->lanes[req->priority], req, arrival,
			       slo, hit);

	if (!ret)
		classes->waiting++;
	return ret;
}

int fw_classes_raise(struct fw_classes *classes, struct fw_request *req,
		     bool *more)
{
	struct fw_queued *queued = fw_queued(req);
	const struct fw_rank rank = queued->rank;
	struct fw_lanes *from = queued->lanes, *to = from + 1;
	uint32_t hit = queued->new_hit;
	int ret, back;

	assert(to < classes->lanes + classes->num);
	fw_lanes_remove(from, req);
	/* Ranks of equal arrivals are of one class each. */
	queued->rank.seq = 0;
	ret = fw_lanes_add(to, req, rank.arrival, rank.unit, hit);
	if (ret) {
		queued->rank.seq = rank.seq;
		back = fw_lanes_add(from, req, rank.arrival, rank.unit, hit);
		assert(!back);
		(void)back;
		to = from;
	}
	*more = to + 1 < classes->lanes + classes->num;
	return ret;
}

static void take_out(void *queue, struct fw_request *req)
{
	struct fw_classes *classes = queue;

	/* Not by its priority: it may have risen. */
	fw_lanes_remove(fw_queued(req)->lanes, req);
	classes->waiting--;
}

static void set_hit(void *queue, struct fw_request *req, uint32_t hit)
{
	(void)queue;
	fw_lanes_set_hit(fw_queued(req)->lanes, req, hit);
}

static void explain(const void *queue, struct fw_request *req,
		    struct fw_decision *decision)
{
	const struct fw_classes *classes = queue;
	const struct fw_lanes *lanes = &classes->lanes[classes->peeked];
	const struct fw_rank *rank = &fw_queued(req)->rank;
	double unit = rank->unit;

	if (lanes->config.wait_constant > 0.0)
		unit = lanes->config.wait_constant;
	decision->lane = lanes->lane == FW_LANE_FAST ? FW_LANE_NAME_FAST
						     : FW_LANE_NAME_FAIR;
	decision->hit = rank->hit;
	decision->cost = rank->cost;
	decision->score = fw_score(rank->hit, rank->cost, rank->arrival, unit,
				   classes->now);
}

static uint64_t ahead(const void *queue, const struct fw_request *req)
{
	(void)queue;
	return fw_queued_const(req)->ahead;
}

static void stats(const void *queue, struct fw_stats *to)
{
	const struct fw_classes *classes = queue;

	for (uint32_t i = 0; i < classes->num; i++) {
		const struct fw_lanes_stats *s = &classes->lanes[i].stats;

		to->released_fast += s->admitted[FW_LANE_FAST];
		to->released_fair += s->admitted[FW_LANE_FAIR];
		to->skipped += s->skipped;
		to->overtaken += s->overtaken;
		to->bound_broken += s->bound_broken;
		if (s->max_ahead > to->max_ahead)
			to->max_ahead = s->max_ahead;
	}
}

const struct fw_queue_ops fw_classes_queue = {
	.source = {waiting, begin, peek, admit, end, skip},
	.add = add,
	.remove = take_out,
	.set_hit = set_hit,
	.explain = explain,
	.ahead = ahead,
	.stats = stats,
};
