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
		.inner = &fw_lanes_order,
		.num = num,
		.allocator = allocator,
	};
	for (uint32_t i = 0; i < num; i++)
		fw_lanes_init(&lanes[i], config, allocator);
	return 0;
}

int fw_classes_init_tenants(struct fw_classes *classes, uint32_t num,
			    const struct fw_tenants_config *config,
			    const struct fw_allocator *allocator)
{
	struct fw_tenants *tenants =
		fw_alloc_array(allocator, num, sizeof(*tenants));

	assert(num && num <= FW_CLASSES_MAX);
	if (!tenants)
		return -ENOMEM;
	*classes = (struct fw_classes){
		.tenants = tenants,
		.inner = &fw_tenants_order,
		.num = num,
		.allocator = allocator,
	};
	for (uint32_t i = 0; i < num; i++)
		fw_tenants_init(&tenants[i], config, allocator);
	return 0;
}

void fw_classes_destroy(struct fw_classes *classes)
{
	for (uint32_t i = 0; i < classes->num; i++) {
		if (classes->tenants)
			fw_tenants_destroy(&classes->tenants[i]);
		else
			fw_lanes_destroy(&classes->lanes[i]);
	}
	fw_free_array(classes->allocator, classes->tenants, classes->num,
		      sizeof(*classes->tenants));
	fw_free_array(classes->allocator, classes->lanes, classes->num,
		      sizeof(*classes->lanes));
	classes->tenants = NULL;
	classes->lanes = NULL;
	classes->num = 0;
}

/* The ctx of @inner for class @i. */
static void *class_of(const struct fw_classes *classes, uint32_t i)
{
	if (classes->tenants)
		return &classes->tenants[i];
	return &classes->lanes[i];
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
	const struct fw_order_ops *inner = classes->inner;

	for (uint32_t i = classes->num; i-- > 0;) {
		const uint64_t bit = (uint64_t)1 << i;
		void *class = class_of(classes, i);
		struct fw_request *req;

		if (!(classes->begun & bit)) {
			if (!inner->waiting(class))
				continue;
			inner->begin(class, classes->now, classes->budget);
			classes->begun |= bit;
		}
		req = inner->peek(class);
		classes->peeked = i;
		if (req)
			return req;
	}
	return NULL;
}

static void admit(void *order, uint32_t tokens)
{
	struct fw_classes *classes = order;

	classes->inner->admit(class_of(classes, classes->peeked), tokens);
	classes->waiting--;
}

static void skip(void *order)
{
	struct fw_classes *classes = order;

	classes->inner->skip(class_of(classes, classes->peeked));
}

static void drop_outside(struct fw_classes *classes, uint32_t i)
{
	if (classes->tenants)
		fw_tenants_drop_outside(&classes->tenants[i]);
	else
		fw_guard_end(&classes->lanes[i].guard);
}

static void end(void *order)
{
	struct fw_classes *classes = order;

	for (uint32_t i = 0; i < classes->num; i++)
		if (classes->begun & (uint64_t)1 << i)
			classes->inner->end(class_of(classes, i));
		else
			drop_outside(classes, i);
	classes->begun = 0;
}

static int add(void *order, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct fw_classes *classes = order;
	int ret = classes->inner->add(class_of(classes, req->priority), req,
				      arrival, slo, hit);

	if (!ret)
		classes->waiting++;
	return ret;
}

/* The class that a waiting request stands in; it may have risen. */
static uint32_t where(const struct fw_classes *classes,
		      const struct fw_request *req)
{
	const struct fw_lanes *lanes = fw_queued_const(req)->lanes;

	if (classes->tenants)
		return (uint32_t)((struct fw_tenants *)lanes->home -
				  classes->tenants);
	return (uint32_t)(lanes - classes->lanes);
}

/* A request that rises finds room first, so that it cannot be lost. */
static int reserve(struct fw_classes *classes, uint32_t to,
		   const struct fw_request *req)
{
	if (classes->tenants)
		return fw_tenants_reserve(&classes->tenants[to], req);
	return fw_lanes_reserve(&classes->lanes[to], fw_queued_const(req));
}

int fw_classes_raise(struct fw_classes *classes, struct fw_request *req,
		     bool *more)
{
	struct fw_queued *queued = fw_queued(req);
	const struct fw_rank rank = queued->rank;
	uint32_t from = where(classes, req), to = from + 1;
	int ret = reserve(classes, to, req);

	*more = (ret ? from : to) + 1 < classes->num;
	if (ret)
		return ret;
	classes->inner->remove(class_of(classes, from), req);
	/* Ranks of equal arrivals are of one class each. */
	queued->rank.seq = 0;
	ret = classes->inner->add(class_of(classes, to), req, rank.arrival,
				  rank.unit, queued->new_hit);
	assert(!ret);
	return ret;
}

static void take_out(void *order, struct fw_request *req)
{
	struct fw_classes *classes = order;

	classes->inner->remove(class_of(classes, where(classes, req)), req);
	classes->waiting--;
}

static void set_hit(void *order, struct fw_request *req, uint32_t hit)
{
	(void)order;
	fw_queued_set_hit(req, hit);
}

static void explain(const void *order, const struct fw_request *req,
		    struct fw_decision *decision)
{
	const struct fw_classes *classes = order;

	classes->inner->explain(class_of(classes, classes->peeked), req,
				decision);
}

static uint64_t ahead(const void *order, const struct fw_request *req)
{
	const struct fw_classes *classes = order;

	return classes->inner->ahead(class_of(classes, classes->peeked), req);
}

/* Whatever runs goes before what waits, in each class. */
static bool outside(void *order, const struct fw_request *req, uint32_t hit,
		    uint32_t left)
{
	struct fw_classes *classes = order;
	bool predicts = false;

	/* All classes have one configuration. */
	for (uint32_t i = 0; i < classes->num; i++)
		predicts = classes->inner->outside(class_of(classes, i), req,
						   hit, left);
	return predicts;
}

static void go_on(void *order, uint32_t tokens, uint32_t hit)
{
	struct fw_classes *classes = order;

	classes->inner->go_on(class_of(classes, classes->peeked), tokens, hit);
}

static void serve(void *order, struct fw_request *req, uint32_t hit)
{
	struct fw_classes *classes = order;

	classes->inner->serve(class_of(classes, where(classes, req)), req, hit);
}

/* The higher class first, as everywhere. */
static bool older(const void *order, const struct fw_request *a,
		  const struct fw_request *b)
{
	const struct fw_classes *classes = order;
	uint32_t class_a = where(classes, a), class_b = where(classes, b);

	return class_a > class_b ||
	       (class_a == class_b && fw_lanes_older(order, a, b));
}

static void stats(const void *order, struct fw_stats *to)
{
	const struct fw_classes *classes = order;

	for (uint32_t i = 0; i < classes->num; i++)
		classes->inner->stats(class_of(classes, i), to);
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
