/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_OPS_H
#define TOOLS_POLICY_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cost/cost.h"
#include "lib/plan/planner.h"
#include "policy.h"

/**
 * struct policy_env - what an order may know about its node
 * @cost: predicted prefill times
 * @device: step times
 * @budget: tokens of a step
 * @block_tokens: tokens of a block
 * @allocator: for everything that it allocates
 * @released: called by an order with lanes when it admits a request, with its
 *	id and whether the fair lane released it; may be NULL
 * @ctx: handed to @released
 */
struct policy_env {
	const struct fw_cost *cost;
	const struct fw_device *device;
	uint32_t budget;
	uint32_t block_tokens;
	const struct fw_allocator *allocator;
	void (*released)(void *ctx, uint64_t id, bool fair);
	void *ctx;
};

/**
 * struct policy_ops - an order of waiting requests
 * @source: what the planner asks; its ctx is the policy
 * @create: *@policy is written only on success
 * @destroy: nothing waits any more, or the run failed
 * @add: a request waits now. Its entry's part of the queue is zeroed, or as
 *	its last admission left it. Requests come by rising (arrival, id), so
 *	that the sequence in which they came breaks all ties
 * @remove: it waits no more
 * @set_hit: its cached tokens changed; counts from the next @source.begin on
 * @stepped: a step that computed @tokens tokens is over; or NULL
 * @ended: after that, a request of it ended @ttft seconds after its arrival;
 *	or NULL
 * @stats: releases ahead of the oldest and broken bounds; or NULL
 */
struct policy_ops {
	struct fw_source_ops source;
	int (*create)(void **policy, const struct policy_spec *spec,
		      const struct policy_env *env);
	void (*destroy)(void *policy);
	int (*add)(void *policy, struct fw_request *req, double arrival,
		   uint32_t hit);
	void (*remove)(void *policy, struct fw_request *req);
	void (*set_hit)(void *policy, struct fw_request *req, uint32_t hit);
	void (*stepped)(void *policy, uint32_t tokens);
	void (*ended)(void *policy, double ttft);
	void (*stats)(const void *policy, uint64_t *overtaken,
		      uint64_t *bound_broken);
};

extern const struct policy_ops policy_fcfs;
extern const struct policy_ops policy_lpm; /* without limit and dedupe */
extern const struct policy_ops policy_dedupe; /* lpm with dedupe alone */
extern const struct policy_ops policy_queue; /* lpm with a limit */
extern const struct policy_ops policy_klpm;
extern const struct policy_ops policy_ragcache;
extern const struct policy_ops policy_preble;
extern const struct policy_ops policy_hrrn;
extern const struct policy_ops policy_spf;
extern const struct policy_ops policy_rsjf;
extern const struct policy_ops policy_uniboost;
extern const struct policy_ops policy_fairway;

/* The order behind a spec. */
const struct policy_ops *policy_ops(const struct policy_spec *spec);

#endif
