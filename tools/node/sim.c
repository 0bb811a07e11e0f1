/* SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "lib/plan/planner.h"
#include "lib/pool/kv_pool.h"
#include "tools/base/mem.h"
#include "tools/base/progress.h"
#include "loop.h"

/* A request that waits or runs, with its keys behind it. */
struct live {
	struct fw_request req;
	struct fw_key keys[];
};

/**
 * struct sim - one run
 * @node: the loop and who waits
 * @pool: blocks
 * @planner: what is computed now
 */
struct sim {
	struct node node;
	struct fw_kv_pool pool;
	struct fw_planner planner;
};

static struct sim *sim_of(const struct node *node)
{
	return container_of(node, struct sim, node);
}

static size_t live_size(uint32_t num_keys)
{
	return sizeof(struct live) + num_keys * sizeof(struct fw_key);
}

static struct live *live_alloc(const struct trace *trace, size_t id)
{
	const struct trace_req *from = &trace->reqs[id];
	struct live *live =
		fw_alloc_array(mem_allocator(), 1, live_size(from->num_ids));

	if (!live)
		return NULL;
	trace_keys(trace, from, live->keys);
	live->req.id = id;
	live->req.keys = live->keys;
	live->req.num_keys = from->num_ids;
	live->req.len = from->len;
	live->req.tenant = from->tenant;
	return live;
}

static void live_free(struct fw_request *req)
{
	struct live *live = container_of(req, struct live, req);

	fw_free_array(mem_allocator(), live, 1, live_size(req->num_keys));
}

/* The planner: @seq leaves the queue. */
static void on_admitted(void *ctx, const struct fw_sequence *seq)
{
	struct node *node = &((struct sim *)ctx)->node;
	struct fw_decision decision = {.request = seq->req};

	if (!node->policy->order->explain)
		return;
	node->policy->order->explain(node->order, seq->req, &decision);
	node->result.reqs[seq->req->id].lane =
		decision.lane == FW_LANE_NAME_FAIR ? SIM_LANE_FAIR
						   : SIM_LANE_FAST;
}

/* The planner: @seq got its last token. */
static void on_done(void *ctx, const struct fw_sequence *seq)
{
	struct sim *sim = ctx;

	node_done(&sim->node, seq->req->id, seq->hit);
	live_free(seq->req);
}

/* The index: a waiting request's hit changed. */
static void on_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	struct sim *sim =
		container_of((struct fw_kv_pool *)ctx, struct sim, pool);

	sim->node.policy->order->set_hit(sim->node.order, req,
					 blocks * sim->pool.block_tokens);
}

static int arrive(struct node *node, size_t id)
{
	struct sim *sim = sim_of(node);
	struct live *live;
	uint32_t blocks;
	int ret;

	if (fw_kv_pool_need(&sim->pool, node->trace->reqs[id].len) >
	    sim->pool.num_blocks) {
		node_rejected(node, id);
		return 0;
	}
	live = live_alloc(node->trace, id);
	if (!live)
		return -ENOMEM;
	ret = fw_index_watch(&sim->pool.index, &live->req, &blocks);
	if (ret)
		goto err_free;
	ret = node_queue(node, id, &live->req, blocks * sim->pool.block_tokens);
	if (ret)
		goto err_unwatch;
	return 0;

err_unwatch:
	fw_index_unwatch(&sim->pool.index, &live->req);
err_free:
	live_free(&live->req);
	return ret;
}

static bool running(const struct node *node)
{
	return sim_of(node)->planner.num_running > 0;
}

static double count_pairs(const struct fw_plan *plan)
{
	double pairs = 0.0;

	for (uint32_t i = 0; i < plan->num_entries; i++)
		pairs += fw_device_pairs(plan->entries[i].first,
					 plan->entries[i].count);
	return pairs;
}

/* What a request hit was never computed: its first chunk begins there. */
static void note_starts(struct sim *sim)
{
	const struct fw_plan *plan = sim->planner.plan;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *entry = &plan->entries[i];

		if (entry->first == sim->planner.seqs[entry->sequence].hit)
			sim->node.result.reqs[entry->request].start_s =
				sim->node.now;
	}
}

static int step(struct node *node)
{
	struct sim *sim = sim_of(node);
	int ret = fw_planner_step(&sim->planner, node->now);
	const struct fw_plan *plan = sim->planner.plan;

	if (ret)
		return ret;
	/* A prompt that fits an empty pool is planned sooner or later. */
	if (!plan->num_entries)
		return -EDEADLK;
	note_starts(sim);
	node_stepped(node, plan->num_tokens, count_pairs(plan));
	fw_planner_retire(&sim->planner, 0);
	return 0;
}

uint32_t sim_pool_blocks(const struct trace *trace, uint32_t kv_blocks)
{
	uint64_t all = 0, block = trace->block_size;

	for (size_t i = 0; i < trace->num_reqs; i++)
		all += (trace->reqs[i].len + block - 1) / block;
	return all && all < kv_blocks ? (uint32_t)all : kv_blocks;
}

/*
 * Under a bound that nobody meets, hits that shrink are told once a step and
 * not once a block. With protection each block counts at once, since blocks
 * that are in demand are spared in the same step.
 */
static int init_planner(struct sim *sim, const struct policy_spec *spec)
{
	uint32_t max_moved = spec->protect ? 0 : UINT32_MAX;
	const struct fw_planner_config config = {
		.pool = &sim->pool,
		.index = &sim->pool.index,
		.order = sim->node.policy->order,
		.order_ctx = sim->node.order,
		.budget = sim->node.config->budget,
		.max_running = sim->node.config->max_running,
		.depth = 1,
		.pausing = policy_pausing(spec),
		.max_moved = max_moved,
		.ops.admitted = on_admitted,
		.ops.ended = on_done,
		.ctx = sim,
		.allocator = mem_allocator(),
	};

	return fw_planner_init(&sim->planner, &config);
}

/* Everything that the run needs, undone in reverse where one part fails. */
static int init(struct sim *sim, const struct policy_spec *spec)
{
	const struct trace *trace = sim->node.trace;
	uint32_t blocks = sim_pool_blocks(trace, sim->node.config->kv_blocks);
	uint32_t flags = spec->protect ? FW_POOL_PROTECT : 0;
	const struct policy *policy;
	int ret = node_init(&sim->node, spec);

	if (ret)
		return ret;
	if (policy_pausing(spec))
		flags |= FW_POOL_PAUSING;
	ret = fw_kv_pool_init(&sim->pool, blocks, trace->block_size, flags,
			      mem_allocator());
	if (ret)
		goto err_node;
	sim->pool.index.ops.hit = on_hit;
	policy = sim->node.policy;
	if (policy->evict)
		ret = policy->evict(sim->node.order, &sim->pool);
	if (!ret)
		ret = init_planner(sim, spec);
	if (ret)
		goto err_pool;
	return 0;

err_pool:
	fw_kv_pool_destroy(&sim->pool);
err_node:
	node_destroy(&sim->node);
	sim_result_destroy(&sim->node.result);
	return ret;
}

/* A run that failed leaves requests behind: waiting and running ones. */
static void destroy(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->planner.num_running; i++) {
		struct fw_sequence *seq =
			&sim->planner.seqs[sim->planner.running[i]];

		fw_planner_withdraw(&sim->planner, seq);
		live_free(seq->req);
	}
	node_drain(&sim->node, live_free);
	fw_planner_destroy(&sim->planner);
	fw_kv_pool_destroy(&sim->pool);
	node_destroy(&sim->node);
}

int sim_run(const struct trace *trace, const struct sim_config *config,
	    const struct policy_spec *spec, _Atomic uint64_t *progress,
	    struct sim_result *result, struct diag *diag)
{
	static const struct node_ops ops = {arrive, running, step};
	struct sim sim = {
		.node =
			{
				.ops = &ops,
				.trace = trace,
				.config = config,
				.progress = progress,
			},
	};
	double start = progress_clock();
	int ret = init(&sim, spec);

	if (ret)
		return node_failed(diag, config, spec, ret);
	ret = node_loop(&sim.node, diag);
	destroy(&sim);
	if (ret) {
		sim_result_destroy(&sim.node.result);
		return node_failed(diag, config, spec, ret);
	}
	sim.node.result.wall_s = progress_clock() - start;
	*result = sim.node.result;
	return 0;
}
