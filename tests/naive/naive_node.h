/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NAIVE_NAIVE_NODE_H
#define TESTS_NAIVE_NAIVE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naive_policy.h"
#include "naive_sim.h"

/* Insides of the oracle, shared by its own files only. */

/**
 * struct naive_device - T = max(least, base + token * N) + pair * P, seconds
 */
struct naive_device {
	const char *name;
	double base;
	double token;
	double pair;
	double least;
};

/**
 * struct naive_block - one id that occurs in the trace
 * @id: as the trace writes it
 * @parent: place of the block before it, NAIVE_NONE for a first block
 * @cached: it is in the cache
 * @refs: running requests that hold it
 * @released: when it was last released, by count
 * @freq: pgdsf: uses since it entered the cache
 * @cost: pgdsf: seconds a token of the request that brought it
 * @prio: pgdsf: smallest goes first
 */
struct naive_block {
	uint64_t id;
	size_t parent;
	bool cached;
	uint32_t refs;
	uint64_t released;
	double freq;
	double cost;
	double prio;
};

#define NAIVE_NONE ((size_t)-1)

/**
 * struct naive_job - one request while it is served
 * @in: from the trace
 * @num_blocks: of its whole prompt, the partial one included
 * @blocks: places of its full blocks
 * @held: by full block: it holds the cached copy, not one of its own
 * @h: hit when the step's admission began
 * @c: cost then
 * @rank: first key of a static order, smallest first
 * @key: second key
 * @place: lpm with a limit: place in the queue
 * @unit: seconds that count as 1 of a relative wait
 * @done: tokens cached or computed
 * @rate: pgdsf: seconds a token
 * @tokens_before: tokens that the node had computed when it was queued
 * @passed_by: later arrivals admitted before it
 * @begun: it was admitted
 * @served: it got tokens in this step
 * @looked: the guard looked at it
 * @due: when it ends at the latest, as far as predictions hold; nanoseconds
 * @paid: tenants: what its last admission cost, nanoseconds
 * @step: the longest step since it was queued, seconds
 */
struct naive_job {
	const struct naive_request *in;
	uint32_t num_blocks;
	size_t *blocks;
	bool *held;
	uint32_t h;
	uint32_t c;
	int rank;
	double key;
	double place;
	double unit;
	uint32_t done;
	double rate;
	uint64_t tokens_before;
	uint32_t passed_by;
	bool begun;
	bool served;
	bool looked;
	int64_t due;
	int64_t paid;
	double step;
};

/**
 * struct naive_lanes - the two ledgers of fairway, and what proves the bound
 * @fast: F, thousandths of a token
 * @fair: R, thousandths of a token
 * @by_fast: the lane that the last choice came from
 * @carrying: this step's ledgers are remembered at its end
 * @oldest: the oldest request at the step's begin
 * @owner: whose ledgers are remembered, NAIVE_NONE for nobody's
 * @first: cost of the fast lane's head when the ledgers started
 * @oldest_cost: cost of the oldest request then
 * @last: cost of the last release ahead of the oldest
 * @ahead: cost of all releases ahead of the oldest
 */
struct naive_lanes {
	int64_t fast;
	int64_t fair;
	bool by_fast;
	bool carrying;
	size_t oldest;
	size_t owner;
	int64_t first;
	int64_t oldest_cost;
	int64_t last;
	int64_t ahead;
};

/**
 * struct naive_tenant - one who asks; nobody is ever forgotten
 * @number: as the trace has it
 * @served: work that it was given, nanoseconds
 * @lanes: its ledgers
 * @late: one of its own would end after it is due
 * @begun: its ledgers as they are once it is next in this step
 * @was_next: it was
 */
struct naive_tenant {
	uint64_t number;
	int64_t served;
	struct naive_lanes lanes;
	bool late;
	struct naive_lanes begun;
	bool was_next;
};

/**
 * struct naive_node - all state
 * @waiting: requests in the queue, by (arrival, id)
 * @running: admitted requests, in that order
 * @order: requests that got tokens in this step, in that order
 * @num_served: how many
 * @own_blocks: blocks in use that are not in the cache
 * @releases: blocks released so far
 * @clock: pgdsf: the largest prio evicted
 * @tokens: computed in the steps that ended
 * @admitted: requests admitted so far
 * @last_place: lpm with a limit: place of the last arrival
 * @pointer: preble: group that goes first
 * @gamma: uniboost: now
 * @ttfts: of all requests that ended, in that order
 * @begun_work: guard without pausing: work of those that had begun when the
 *	step did, nanoseconds
 * @late: somebody would end after it is due
 * @tenants: all that ever asked
 * @num_tenants: how many
 * @served_clock: the largest served of a tenant when it was next
 */
struct naive_node {
	struct naive_config config;
	const struct naive_device *device;
	struct naive_policy policy;
	struct naive_result *result;
	struct naive_job *jobs;
	size_t num_jobs;
	size_t *waiting;
	size_t num_waiting;
	size_t *running;
	size_t num_running;
	size_t *order;
	size_t num_served;
	struct naive_block *blocks;
	size_t num_blocks;
	uint32_t own_blocks;
	uint64_t releases;
	double clock;
	double now;
	uint64_t tokens;
	uint64_t admitted;
	double last_place;
	uint32_t pointer;
	double gamma;
	double *ttfts;
	size_t num_ttfts;
	int64_t begun_work;
	bool late;
	struct naive_lanes lanes;
	struct naive_tenant *tenants;
	size_t num_tenants;
	int64_t served_clock;
};

/* naive_cost.c */
const struct naive_device *naive_device_find(const char *name);

/* Seconds of one step: @tokens new ones, @pairs the P of its entries. */
double naive_step_time(const struct naive_device *device, double tokens,
		       double pairs);

/* P of one entry: @num new tokens behind @before others. */
double naive_pairs(uint32_t before, uint32_t num);

/* Seconds of an idle device for the tokens from @from up to @len. */
double naive_idle_time(const struct naive_device *device, uint32_t from,
		       uint32_t len);

/* naive_pool.c */
void naive_pool_init(struct naive_node *node);
void naive_pool_destroy(struct naive_node *node);

/* Tokens of @job that are cached at this moment, at most all but one. */
uint32_t naive_pool_hit(const struct naive_node *node,
			const struct naive_job *job);

/* Take all blocks of @job, or change nothing and return false. */
bool naive_pool_take(struct naive_node *node, struct naive_job *job,
		     uint32_t hit);

/* The full blocks that end within the tokens done become hits. */
void naive_pool_store(struct naive_node *node, struct naive_job *job,
		      uint32_t before);

void naive_pool_release(struct naive_node *node, struct naive_job *job);

/* naive_guard.c */

/* Nanoseconds that the device needs for @job from where it stands. */
int64_t naive_rest(const struct naive_node *node, const struct naive_job *job);
int64_t naive_work(const struct naive_node *node, const struct naive_job *job);

/* Look at all in node->waiting, whose h and c are read: is somebody late? */
void naive_guard_look(struct naive_node *node);

/* naive_tenants.c, the same for an order that is fair between tenants */

/* The next request is about to be queued. */
void naive_tenants_enter(struct naive_node *node, size_t job);
void naive_tenants_begin(struct naive_node *node);
size_t naive_tenants_next(struct naive_node *node);
void naive_tenants_admitted(struct naive_node *node, size_t job);
void naive_tenants_end(struct naive_node *node);
void naive_tenants_pay(struct naive_node *node, struct naive_job *job);

/* naive_order.c */

/* Read h and c of all that wait; ledgers and static orders follow. */
void naive_order_begin(struct naive_node *node);

/* Which request goes next? A place in node->waiting. */
size_t naive_order_next(struct naive_node *node);

/* The request that naive_order_next() gave, @job, was admitted. */
void naive_order_admitted(struct naive_node *node, size_t job);

void naive_order_end(struct naive_node *node);

/* A request ended, its TTFT is the last one in node->ttfts. */
void naive_order_ended(struct naive_node *node);

#endif
