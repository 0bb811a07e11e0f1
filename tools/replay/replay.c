/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "lib/runtime/open.h"
#include "tools/base/grid.h"
#include "tools/base/mem.h"
#include "tools/base/progress.h"
#include "device.h"
#include "feed.h"
#include "queue.h"

/**
 * struct replay - one run
 * @trace: the requests
 * @config: the node
 * @how: of the replay
 * @spec: the policy
 * @device: step times
 * @cost: predicted prefill times, for the policy
 * @queue: the policy, as the runtime sees it
 * @executor: the device, as the runtime sees it
 * @turns: what they submit next, in a closed loop
 * @feed: the producers
 * @fw: the runtime
 * @result: filled by the scheduler's thread
 * @failed: why a request could not be served, -errno; 0 while none failed
 */
struct replay {
	const struct trace *trace;
	const struct sim_config *config;
	const struct replay_config *how;
	const struct policy_spec *spec;
	const struct fw_device *device;
	struct fw_cost cost;
	struct replay_queue queue;
	struct replay_device executor;
	struct replay_turns turns;
	struct replay_feed feed;
	struct fw *fw;
	struct sim_result result;
	int failed;
};

/* Real nanoseconds since the begin as seconds of the trace. */
static double trace_s(const struct replay *replay, int64_t ns)
{
	return (double)ns / 1e9 * replay->how->speed;
}

/* The runtime: a request ended. */
static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct replay *replay = ctx;
	struct sim_request *out = &replay->result.reqs[req->id];
	double end = trace_s(replay, result->ended - replay->feed.begin);

	if (result->outcome == FW_FAILED)
		replay->failed =
			result->reason == FW_REASON_MEMORY ? -ENOMEM : -EIO;
	if (replay->config->closed_loop)
		replay_turns_ended(&replay->turns, req->id, end);
	if (result->outcome != FW_DONE) {
		out->ttft_s = out->start_s = -1.0;
		out->outcome = SIM_REJECTED;
		return;
	}
	out->ttft_s = trace_s(replay, result->ended - req->arrival);
	out->start_s = trace_s(replay, result->admitted - replay->feed.begin);
	out->cached = result->cached;
	if (end > replay->result.end_s)
		replay->result.end_s = end;
	if (replay->queue.policy->ended)
		replay->queue.policy->ended(replay->queue.order, out->ttft_s);
}

/* The runtime: a lane released a request. */
static void on_decided(void *ctx, const struct fw_decision *decision)
{
	struct replay *replay = ctx;

	replay->result.reqs[decision->request->id].lane =
		decision->lane == FW_LANE_NAME_FAIR ? SIM_LANE_FAIR
						    : SIM_LANE_FAST;
}

static double median_ttft(const struct replay *replay, double *p99)
{
	struct fw_distribution ttft = {.size = sizeof(ttft)};

	fw_read_distribution(replay->fw, FW_METRIC_TTFT, &ttft);
	*p99 = trace_s(replay, (int64_t)ttft.p99);
	return trace_s(replay, (int64_t)ttft.p50);
}

/* The live line: on a thread of its own, while the runtime runs. */
static void line(const void *ctx, double seconds, char *buf, size_t size)
{
	const struct replay *replay = ctx;
	struct fw_stats stats = {.size = sizeof(stats)};
	double span = seconds * replay->how->speed, p50, p99;
	size_t num = replay->trace->num_reqs;
	uint64_t ended;
	char rate[32];

	fw_read_stats(replay->fw, &stats);
	ended = stats.done + stats.rejected + stats.failed;
	p50 = median_ttft(replay, &p99);
	format_count(rate, sizeof(rate),
		     span > 0.0 ? (uint64_t)((double)stats.plan_tokens / span)
				: 0);
	snprintf(buf, size,
		 "%.16s %u%% %.0f s  queue %u  running %u  %s tok/s  "
		 "TTFT %.1f/%.1f s",
		 replay->spec->name,
		 num ? (unsigned int)(100 * ended / num) : 0, span,
		 (unsigned int)stats.queued, (unsigned int)stats.running, rate,
		 p50, p99);
}

static int init_result(struct replay *replay)
{
	size_t num = replay->trace->num_reqs;
	struct sim_result *result = &replay->result;

	result->reqs = calloc(num ? num : 1, sizeof(*result->reqs));
	if (!result->reqs)
		return -ENOMEM;
	result->num_reqs = num;
	for (size_t i = 0; i < num; i++)
		result->reqs[i].arrival_s =
			trace_arrival_s(&replay->trace->reqs[i],
					replay->config->time_scale);
	return 0;
}

static int init_policy(struct replay *replay)
{
	const struct policy_env env = {
		.cost = &replay->cost,
		.device = replay->device,
		.budget = replay->config->budget,
		.block_tokens = replay->trace->block_size,
		.allocator = mem_allocator(),
	};

	replay->queue.policy = policy_of(replay->spec);
	replay->queue.speed = replay->how->speed;
	return replay->queue.policy->create(&replay->queue.order, replay->spec,
					    &env);
}

static int init_feed(struct replay *replay)
{
	const struct sim_config *c = replay->config;
	struct replay_turns *turns = c->closed_loop ? &replay->turns : NULL;
	int ret = 0;

	if (turns)
		ret = replay_turns_init(turns, replay->trace, c,
					replay->result.reqs);
	if (ret)
		return ret;
	ret = replay_feed_init(&replay->feed, replay->trace, turns,
			       c->time_scale);
	if (ret && turns)
		replay_turns_destroy(turns);
	return ret;
}

static void destroy_feed(struct replay *replay)
{
	replay_feed_destroy(&replay->feed);
	if (replay->config->closed_loop)
		replay_turns_destroy(&replay->turns);
}

static int open_runtime(struct replay *replay)
{
	const struct fw_order_config order = {
		.size = sizeof(order),
		.budget = replay->config->budget,
		.allocator = mem_allocator(),
	};
	struct fw_executor executor;
	const struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &executor,
		.done = on_done,
		.decided = replay->queue.policy->order->explain ? on_decided
								: NULL,
		.ctx = replay,
		.num_blocks = sim_pool_blocks(replay->trace,
					      replay->config->kv_blocks),
		.block_tokens = replay->trace->block_size,
		.protect = replay->spec->protect,
		.max_running = replay->config->max_running,
		.max_waiting = (uint32_t)replay->trace->num_reqs,
	};
	const struct replay_size size = {
		.sequences = replay->config->max_running,
		.blocks = trace_longest(replay->trace),
	};
	int ret =
		replay_device_open(&executor, &replay->executor, replay->device,
				   replay->how, &size, &replay->queue);

	if (ret)
		return ret;
	ret = fw_open_queue(&replay->fw, &config, &replay_queue_ops,
			    &replay->queue);
	if (ret)
		fw_executor_destroy(&executor);
	return ret;
}

/* All that a run needs, undone in reverse where one part fails. */
static int init(struct replay *replay)
{
	const struct sim_config *c = replay->config;
	int ret = init_result(replay);

	if (ret)
		return ret;
	ret = fw_cost_init(&replay->cost, c->device, c->table, c->num_points,
			   mem_allocator());
	if (ret)
		goto err_result;
	ret = init_policy(replay);
	if (ret)
		goto err_cost;
	ret = init_feed(replay);
	if (ret)
		goto err_policy;
	ret = open_runtime(replay);
	if (ret)
		goto err_feed;
	return 0;

err_feed:
	destroy_feed(replay);
err_policy:
	replay->queue.policy->destroy(replay->queue.order);
err_cost:
	fw_cost_destroy(&replay->cost);
err_result:
	sim_result_destroy(&replay->result);
	return ret;
}

static void destroy(struct replay *replay)
{
	fw_close(replay->fw, -1);
	destroy_feed(replay);
	replay->queue.policy->destroy(replay->queue.order);
	fw_cost_destroy(&replay->cost);
}

static void take_figures(struct replay *replay)
{
	struct fw_stats stats = {.size = sizeof(stats)};

	fw_read_stats(replay->fw, &stats);
	replay->result.steps = stats.plans;
	replay->result.overtaken = stats.overtaken;
	replay->result.bound_broken = stats.bound_broken;
	replay->result.busy_s = replay->executor.busy_s;
}

/* The calling thread is the scheduler. */
static int serve(struct replay *replay)
{
	struct progress progress;
	int ret, fed;

	ret = replay_feed_start(&replay->feed, replay->fw,
				replay->how->producers, replay->how->speed);
	if (ret)
		return ret;
	progress_start(&progress, replay->how->quiet, line, replay);
	ret = fw_run(replay->fw);
	/* A run that failed ends nothing more that a turn could wait for. */
	if (replay->config->closed_loop)
		replay_turns_stop(&replay->turns);
	fed = replay_feed_join(&replay->feed);
	progress_stop(&progress);
	take_figures(replay);
	if (!ret)
		ret = fed;
	return ret ? ret : replay->failed;
}

static int failed(struct diag *diag, const struct policy_spec *spec, int err)
{
	if (err == -ECANCELED)
		return diag_set(diag, err, "%s: " POLICY_REFUSED, spec->name);
	return diag_set(diag, err, "%s: %s", spec->name,
			err == -ENOMEM ? "out of memory" : strerror(-err));
}

int replay_run(const struct trace *trace, const struct sim_config *config,
	       const struct replay_config *how, const struct policy_spec *spec,
	       struct sim_result *result, struct diag *diag)
{
	struct replay replay = {
		.trace = trace,
		.config = config,
		.how = how,
		.spec = spec,
		.device = config->own_device ? config->own_device
					     : fw_device_find(config->device),
	};
	double start = progress_clock();
	int ret;

	if (!replay.device)
		return diag_set(diag, -ENODEV, "device %s: unknown",
				config->device);
	ret = init(&replay);
	if (ret == -ENODEV && how->executor == REPLAY_CUDA)
		return cuda_library_failed(ret, diag);
	if (ret)
		return failed(diag, spec, ret);
	ret = serve(&replay);
	if (!ret)
		ret = policy_broke(replay.queue.policy, replay.queue.order,
				   diag);
	destroy(&replay);
	if (ret) {
		sim_result_destroy(&replay.result);
		return failed(diag, spec, ret);
	}
	replay.result.wall_s = progress_clock() - start;
	*result = replay.result;
	return 0;
}
