/* SPDX-License-Identifier: Apache-2.0 */
#include "classes.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"

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

static size_t waiting(const void *order)
{
	return ((const struct fw_classes *)order)->waiting;
}

/* Passes begin when their class is looked at: most steps need one. */
static void begin(void *order, double now, uint32_t budget)
{
	struct fw_classes *classes = order;

	classes->now = now;
	classes->budget = budget;
	classes->begun = 0;
}

static struct fw_request *peek(void *order)
{
	struct fw_classes *classes = order;

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

static void admit(void *order, uint32_t tokens)
{
	struct fw_classes *classes = order;

	fw_lanes_admit(&classes->lanes[classes->peeked], tokens);
	classes->waiting--;
}

static void skip(void *order)
{
	struct fw_classes *classes = order;

	fw_lanes_skip(&classes->lanes[classes->peeked]);
}

static void end(void *order)
{
	struct fw_classes *classes = order;

	for (uint32_t i = 0; i < classes->num; i++)
		if (classes->begun & (uint64_t)1 << i)
			fw_lanes_end(&classes->lanes[i]);
		else
			fw_guard_end(&classes->lanes[i].guard);
	classes->begun = 0;
}

static int add(void *order, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct fw_classes *classes = order;
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

static void take_out(void *order, struct fw_request *req)
{
	struct fw_classes *classes = order;

	/* Not by its priority: it may have risen. */
	fw_lanes_remove(fw_queued(req)->lanes, req);
	classes->waiting--;
}

static void set_hit(void *order, struct fw_request *req, uint32_t hit)
{
	(void)order;
	fw_lanes_set_hit(fw_queued(req)->lanes, req, hit);
}

static void explain(const void *order, const struct fw_request *req,
		    struct fw_decision *decision)
{
	const struct fw_classes *classes = order;

	fw_lanes_order.explain(&classes->lanes[classes->peeked], req, decision);
}

static uint64_t ahead(const void *order, const struct fw_request *req)
{
	const struct fw_classes *classes = order;

	return fw_lanes_order.ahead(&classes->lanes[classes->peeked], req);
}

/* Whatever runs goes before what waits, in each class. */
static bool outside(void *order, uint32_t hit, uint32_t left)
{
	struct fw_classes *classes = order;

	for (uint32_t i = 0; i < classes->num; i++)
		fw_guard_outside(&classes->lanes[i].guard, hit, left);
	/* All classes have one configuration. */
	return classes->lanes[0].config.guard;
}

static void go_on(void *order, uint32_t tokens, uint32_t hit)
{
	struct fw_classes *classes = order;

	fw_lanes_go_on(&classes->lanes[classes->peeked], tokens, hit);
}

static void serve(void *order, struct fw_request *req, uint32_t tokens,
		  uint32_t hit)
{
	(void)tokens;
	set_hit(order, req, hit);
}

/* The higher class first, as everywhere. It cannot change once one has begun. */
static bool older(const void *order, const struct fw_request *a,
		  const struct fw_request *b)
{
	const struct fw_lanes *la = fw_queued_const(a)->lanes;
	const struct fw_lanes *lb = fw_queued_const(b)->lanes;

	(void)order;
	return la > lb || (la == lb && fw_lanes_order.older(la, a, b));
}

static void stats(const void *order, struct fw_stats *to)
{
	const struct fw_classes *classes = order;

	for (uint32_t i = 0; i < classes->num; i++)
		fw_lanes_order.stats(&classes->lanes[i], to);
}

const struct fw_order_ops fw_classes_order = {
	.waiting = waiting,
	.add = add,
	.remove = take_out,
	.set_hit = set_hit,
	.begin = begin,
	.peek = peek,
	.admit = admit,
	.skip = skip,
	.end = end,
	.explain = explain,
	.ahead = ahead,
	.outside = outside,
	.go_on = go_on,
	.serve = serve,
	.older = older,
	.stats = stats,
};
