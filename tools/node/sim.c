/* SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "tools/base/mem.h"
#include "tools/base/progress.h"
#include "tools/policy/pgdsf.h"
#include "tools/policy/ops.h"
#include "feed.h"

/* A request that waits or runs, with its keys behind it. */
struct live {
	struct fw_request req;
	struct fw_key keys[];
};

/**
 * struct sim - one run
 * @trace: the requests, read only
 * @config: the node, read only
 * @device: step times
 * @cost: predicted prefill times
 * @pool: blocks
 * @pgdsf: their order of eviction, where the policy says so
 * @planner: what is computed now
 * @ops: of the policy
 * @policy: who waits
 * @now: virtual seconds since the trace's begin
 * @feed: the requests that have not arrived
 * @ended: requests with an outcome
 * @progress: the same for an observer, or NULL
 * @result: filled as the run goes on
 */
struct sim {
	const struct trace *trace;
	const struct sim_config *config;
	const struct fw_device *device;
	struct fw_cost cost;
	struct fw_kv_pool pool;
	struct pgdsf pgdsf;
	struct fw_planner planner;
	const struct policy_ops *ops;
	void *policy;
	double now;
	struct feed feed;
	size_t ended;
	_Atomic uint64_t *progress;
	struct sim_result result;
};

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
	return live;
}

static void live_free(struct fw_request *req)
{
	struct live *live = container_of(req, struct live, req);

	fw_free_array(mem_allocator(), live, 1, live_size(req->num_keys));
}

static void end_request(struct sim *sim, size_t id, double ttft, uint32_t hit,
			enum sim_outcome outcome)
{
	sim->result.reqs[id].ttft_s = ttft;
	sim->result.reqs[id].cached = hit;
	sim->result.reqs[id].outcome = outcome;
	sim->ended++;
	if (sim->progress)
		atomic_fetch_add_explicit(sim->progress, 1,
					  memory_order_relaxed);
}

/* The planner: @req got its last token. */
static void on_done(void *ctx, const struct fw_sequence *seq)
{
	struct sim *sim = ctx;
	uint64_t id = seq->req->id;
	double ttft = sim->now - sim->result.reqs[id].arrival_s;

	end_request(sim, id, ttft, seq->hit, SIM_DONE);
	feed_ended(&sim->feed, id, sim->now);
	if (sim->ops->ended)
		sim->ops->ended(sim->policy, ttft);
	live_free(seq->req);
}

/* The index: a waiting request's hit changed. */
static void on_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	struct sim *sim =
		container_of((struct fw_kv_pool *)ctx, struct sim, pool);

	sim->ops->set_hit(sim->policy, req, blocks * sim->pool.block_tokens);
}

static int arrive(struct sim *sim, size_t id)
{
	struct live *live;
	uint32_t blocks;
	int ret;

	if (fw_kv_pool_need(&sim->pool, sim->trace->reqs[id].len) >
	    sim->pool.num_blocks) {
		sim->result.reqs[id].start_s = -1.0;
		end_request(sim, id, -1.0, 0, SIM_REJECTED);
		feed_ended(&sim->feed, id, sim->result.reqs[id].arrival_s);
		return 0;
	}
	live = live_alloc(sim->trace, id);
	if (!live)
		return -ENOMEM;
	ret = fw_index_watch(&sim->pool.index, &live->req, &blocks);
	if (ret)
		goto err_free;
	ret = sim->ops->add(sim->policy, &live->req,
			    sim->result.reqs[id].arrival_s,
			    blocks * sim->pool.block_tokens);
	if (ret)
		goto err_unwatch;
	return 0;

err_unwatch:
	fw_index_unwatch(&sim->pool.index, &live->req);
err_free:
	live_free(&live->req);
	return ret;
}

static int take_arrivals(struct sim *sim)
{
	int ret = 0;
	size_t id;

	while (!ret && feed_peek(&sim->feed, &id) &&
	       sim->result.reqs[id].arrival_s <= sim->now) {
		feed_take(&sim->feed, id);
		ret = arrive(sim, id);
	}
	return ret;
}

static double step_time(const struct sim *sim)
{
	const struct fw_plan *plan = sim->planner.plan;
	double pairs = 0.0;

	for (uint32_t i = 0; i < plan->num_entries; i++)
		pairs += fw_device_pairs(plan->entries[i].first,
					 plan->entries[i].count);
	return fw_device_step(sim->device, plan->num_tokens, pairs);
}

/* What a request hit was never computed: its first chunk begins there. */
static void note_starts(struct sim *sim)
{
	const struct fw_plan *plan = sim->planner.plan;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *entry = &plan->entries[i];

		if (entry->first == sim->planner.seqs[entry->sequence].hit)
			sim->result.reqs[entry->request].start_s = sim->now;
	}
}

static int step(struct sim *sim)
{
	double t;
	int ret = fw_planner_step(&sim->planner, sim->now);

	if (ret)
		return ret;
	/* A prompt that fits an empty pool is planned sooner or later. */
	if (!sim->planner.plan->num_entries)
		return -EDEADLK;
	note_starts(sim);
	t = step_time(sim);
	sim->now += t;
	sim->result.busy_s += t;
	sim->result.steps++;
	if (sim->ops->stepped)
		sim->ops->stepped(sim->policy, sim->planner.plan->num_tokens);
	fw_planner_retire(&sim->planner, 0);
	return 0;
}

static int loop(struct sim *sim)
{
	int ret = 0;
	size_t id;

	while (!ret) {
		ret = take_arrivals(sim);
		if (ret)
			break;
		if (sim->planner.num_running ||
		    sim->ops->source.waiting(sim->policy)) {
			ret = step(sim);
			continue;
		}
		if (!feed_peek(&sim->feed, &id))
			break;
		sim->now = sim->result.reqs[id].arrival_s;
	}
	sim->result.end_s = sim->now;
	return ret;
}

static int init_result(struct sim *sim)
{
	size_t num = sim->trace->num_reqs;

	sim->result.reqs = calloc(num ? num : 1, sizeof(*sim->result.reqs));
	if (!sim->result.reqs)
		return -ENOMEM;
	sim->result.num_reqs = num;
	if (!feed_init(&sim->feed, sim->trace, sim->config, sim->result.reqs))
		return 0;
	sim_result_destroy(&sim->result);
	return -ENOMEM;
}

/* An order with lanes: @id leaves by one of them. */
static void on_release(void *ctx, uint64_t id, bool fair)
{
	struct sim *sim = ctx;

	sim->result.reqs[id].lane = fair ? SIM_LANE_FAIR : SIM_LANE_FAST;
}

static int init_policy(struct sim *sim, const struct policy_spec *spec)
{
	const struct policy_env env = {
		.cost = &sim->cost,
		.device = sim->device,
		.budget = sim->config->budget,
		.block_tokens = sim->trace->block_size,
		.allocator = mem_allocator(),
		.released = on_release,
		.ctx = sim,
	};

	sim->ops = policy_ops(spec);
	return sim->ops->create(&sim->policy, spec, &env);
}

uint32_t sim_pool_blocks(const struct trace *trace, uint32_t kv_blocks)
{
	uint64_t all = 0, block = trace->block_size;

	for (size_t i = 0; i < trace->num_reqs; i++)
		all += (trace->reqs[i].len + block - 1) / block;
	return all && all < kv_blocks ? (uint32_t)all : kv_blocks;
}

static int init_planner(struct sim *sim)
{
	const struct fw_planner_config config = {
		.pool = &sim->pool,
		.index = &sim->pool.index,
		.source = &sim->ops->source,
		.source_ctx = sim->policy,
		.budget = sim->config->budget,
		.max_running = sim->config->max_running,
		.depth = 1,
		.ops.ended = on_done,
		.ctx = sim,
		.allocator = mem_allocator(),
	};

	return fw_planner_init(&sim->planner, &config);
}

/* Everything that the run needs, undone in reverse where one part fails. */
static int init(struct sim *sim, const struct policy_spec *spec)
{
	const struct sim_config *c = sim->config;
	const struct fw_allocator *a = mem_allocator();
	int ret = init_result(sim);

	if (ret)
		return ret;
	ret = fw_cost_init(&sim->cost, c->device, c->table, c->num_points, a);
	if (ret)
		goto err_result;
	ret = fw_kv_pool_init(&sim->pool,
			      sim_pool_blocks(sim->trace, c->kv_blocks),
			      sim->trace->block_size, spec->protect, a);
	if (ret)
		goto err_cost;
	sim->pool.index.ops.hit = on_hit;
	if (spec->pgdsf)
		ret = pgdsf_init(&sim->pgdsf, &sim->pool, sim->device, a);
	if (ret)
		goto err_pool;
	ret = init_policy(sim, spec);
	if (ret)
		goto err_pgdsf;
	ret = init_planner(sim);
	if (ret)
		goto err_policy;
	return 0;

err_policy:
	sim->ops->destroy(sim->policy);
err_pgdsf:
	pgdsf_destroy(&sim->pgdsf);
err_pool:
	fw_kv_pool_destroy(&sim->pool);
err_cost:
	fw_cost_destroy(&sim->cost);
err_result:
	feed_destroy(&sim->feed);
	sim_result_destroy(&sim->result);
	return ret;
}

/* A run that failed leaves requests behind: waiting and running ones. */
static void free_live(struct sim *sim)
{
	struct fw_request *req;

	sim->ops->source.begin(sim->policy, sim->now, UINT32_MAX);
	while ((req = sim->ops->source.peek(sim->policy))) {
		sim->ops->source.admit(sim->policy, 1);
		live_free(req);
	}
	sim->ops->source.end(sim->policy);
	for (uint32_t i = 0; i < sim->planner.num_running; i++)
		live_free(sim->planner.seqs[sim->planner.running[i]].req);
}

static void destroy(struct sim *sim)
{
	free_live(sim);
	fw_planner_destroy(&sim->planner);
	sim->ops->destroy(sim->policy);
	pgdsf_destroy(&sim->pgdsf);
	fw_kv_pool_destroy(&sim->pool);
	fw_cost_destroy(&sim->cost);
	feed_destroy(&sim->feed);
}

static int run_failed(struct diag *diag, const struct policy_spec *spec,
		      int err)
{
	if (err == -ENOMEM)
		return diag_set(diag, err, "%s: out of memory", spec->name);
	return diag_set(diag, err, "%s: the run came to a standstill",
			spec->name);
}

int sim_run(const struct trace *trace, const struct sim_config *config,
	    const struct policy_spec *spec, _Atomic uint64_t *progress,
	    struct sim_result *result, struct diag *diag)
{
	struct sim sim = {
		.trace = trace,
		.config = config,
		.device = config->own_device ? config->own_device
					     : fw_device_find(config->device),
		.progress = progress,
	};
	double start = progress_clock();
	int ret;

	if (!sim.device)
		return diag_set(diag, -ENODEV, "device %s: unknown",
				config->device);
	ret = init(&sim, spec);
	if (ret)
		return run_failed(diag, spec, ret);
	ret = loop(&sim);
	if (sim.ops->stats)
		sim.ops->stats(sim.policy, &sim.result.overtaken,
			       &sim.result.bound_broken);
	destroy(&sim);
	if (ret) {
		sim_result_destroy(&sim.result);
		return run_failed(diag, spec, ret);
	}
	sim.result.wall_s = progress_clock() - start;
	*result = sim.result;
	return 0;
}

void sim_result_destroy(struct sim_result *result)
{
	free(result->reqs);
	result->reqs = NULL;
}
