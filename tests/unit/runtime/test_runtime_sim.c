/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "tests/support/draw.h"
#include "tests/naive/oracle.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/node/sim.h"
#include "tools/workload/workload.h"

/*
 * The runtime with a modelled device in virtual time and one plan in flight
 * is the simulator: fed with the same trace it must give the same times to
 * first token to the last bit.
 */

/* Of a generated prompt; that of the random traces is shorter. */
#define MAX_KEYS 1100u
#define RANDOM_KEYS 24u

/* One request of the trace, on its way through the runtime. */
struct served {
	struct fw_request req;
	double ttft;
	uint32_t cached;
	enum fw_outcome outcome;
	bool ended;
};

/* A flag of --policy and what says the same to the runtime. */
struct variant {
	const char *policy;
	struct fw_order_config order;
	bool protect;
	bool pausing;
};

#define PAPER .guard = FW_GUARD_OFF

static const struct variant variants[] = {
	{.policy = "fairway", .order = {PAPER}},
	{.policy = "fairway:guard=0.5"},
	{.policy = "fairway:protect", .order = {PAPER}, .protect = true},
	{.policy = "fairway:weight=1.5:carry",
	 .order = {PAPER, .weight = 1500, .carry = FW_CARRY_ON}},
	{.policy = "fairway:carry=long:floor=0.1:multiplier=1:protect",
	 .order = {PAPER, .carry = FW_CARRY_LONG, .slo_floor = 0.1,
		   .slo_multiplier = 1.0},
	 .protect = true},
	{.policy = "fairway:lane=off", .order = {PAPER, .no_fair_lane = 1}},
	{.policy = "fairway:wait=absolute",
	 .order = {PAPER, .wait_constant = 1.0}},
	{.policy = "fairway:guard=0.1", .order = {.guard = 100}},
	{.policy = "fairway:key=rest:guard=0.5:protect",
	 .order = {.fast = FW_FAST_REST, .guard = 500},
	 .protect = true},
	{.policy = "fairway:pause", .order = {PAPER}, .pausing = true},
	{.policy = "srpf", .order = {.fast = FW_FAST_REST}, .pausing = true},
	{.policy = "srpf:guard=0.2:protect",
	 .order = {.fast = FW_FAST_REST, .guard = 200},
	 .protect = true,
	 .pausing = true},
};

#define NUM_VARIANTS (sizeof(variants) / sizeof(variants[0]))

static uint64_t seed;
static const struct trace *trace;
static struct fw_executor device;
static struct served *served;
static struct fw_key (*keys)[MAX_KEYS];
static size_t num_ended;

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct served *s = &served[req->id];

	(void)ctx;
	ck_assert(!s->ended);
	s->ended = true;
	s->outcome = result->outcome;
	s->cached = result->cached;
	s->ttft = -1.0;
	if (result->outcome == FW_DONE)
		s->ttft = device.ops->now(device.ctx) -
			  trace_arrival_s(&trace->reqs[req->id], 1.0);
	num_ended++;
}

static struct fw *open_runtime(const struct sim_config *sim,
			       const struct variant *variant)
{
	const struct fw_model_config model = {
		.size = sizeof(model),
		.device = sim->device,
		.depth = 1,
	};
	struct fw_order_config order = variant->order;
	struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &device,
		.done = on_done,
		.num_blocks = sim->kv_blocks,
		.block_tokens = trace->block_size,
		.protect = variant->protect,
		.pausing = variant->pausing,
		.max_running = sim->max_running,
		.flags = FW_OWN_ARRIVAL,
	};
	struct fw *fw;

	order.size = sizeof(order);
	order.device = sim->device;
	order.budget = sim->budget;
	ck_assert_int_eq(fw_executor_model(&device, &model), 0);
	ck_assert_int_eq(fw_open(&fw, &config), 0);
	return fw;
}

static void make_request(size_t i)
{
	const struct trace_req *from = &trace->reqs[i];
	struct fw_request *req = &served[i].req;

	trace_keys(trace, from, keys[i]);
	*req = (struct fw_request){
		.id = i,
		.keys = keys[i],
		.num_keys = from->num_ids,
		.len = from->len,
		.arrival = (int64_t)from->arrival_ms * 1000000,
	};
}

/* The trace at its own pace: what the simulator's loop does. */
static void serve(struct fw *fw)
{
	size_t next = 0;

	num_ended = 0;
	while (num_ended < trace->num_reqs) {
		double now = device.ops->now(device.ctx);

		while (next < trace->num_reqs &&
		       trace_arrival_s(&trace->reqs[next], 1.0) <= now) {
			make_request(next);
			ck_assert_int_eq(fw_submit(fw, &served[next++].req,
						   NULL),
					 0);
		}
		if (fw_step(fw) > 0 || next == trace->num_reqs)
			continue;
		ck_assert_int_eq(
			fw_model_skip(&device,
				      (int64_t)trace->reqs[next].arrival_ms *
					      1000000),
			0);
	}
}

static void check_stats(struct fw *fw, const struct sim_result *result)
{
	struct fw_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_read_stats(fw, &stats), 0);
	ck_assert_uint_eq(stats.submitted, trace->num_reqs);
	ck_assert_uint_eq(stats.done + stats.rejected, trace->num_reqs);
	ck_assert_uint_eq(stats.plans, result->steps);
	ck_assert_uint_eq(stats.overtaken, result->overtaken);
	ck_assert_uint_eq(stats.bound_broken, 0);
	ck_assert_uint_eq(stats.waiting + stats.running + stats.queued, 0);
	ck_assert_uint_eq(stats.uncached_waiting, 0);
}

static void compare(const struct trace *requests, const struct sim_config *sim,
		    const struct variant *variant)
{
	struct sim_result result;
	struct diag why = {""};
	struct fw *fw;

	for (size_t i = 0; i < requests->num_reqs; i++)
		ck_assert_uint_le(requests->reqs[i].num_ids, MAX_KEYS);
	trace = requests;
	served = calloc(trace->num_reqs, sizeof(*served));
	keys = calloc(trace->num_reqs, sizeof(*keys));
	ck_assert(served && keys);
	ck_assert_msg(!oracle_run(trace, sim, variant->policy, &result, &why),
		      "%s", why.text);
	fw = open_runtime(sim, variant);
	serve(fw);
	check_stats(fw, &result);
	for (size_t i = 0; i < trace->num_reqs; i++) {
		ck_assert_msg(served[i].ttft == result.reqs[i].ttft_s,
			      "%s, request %zu: TTFT %.17g, simulated %.17g",
			      variant->policy, i, served[i].ttft,
			      result.reqs[i].ttft_s);
		ck_assert_uint_eq(served[i].cached, result.reqs[i].cached);
		ck_assert((served[i].outcome == FW_REJECTED) ==
			  (result.reqs[i].outcome == SIM_REJECTED));
	}
	ck_assert_int_eq(fw_close(fw, -1), 0);
	sim_result_destroy(&result);
	free(served);
	free(keys);
}

/* Shared prefixes, ties, full hits, and caches that hardly hold a prompt. */
static void draw_trace(struct draw *draw, struct trace *to, size_t num)
{
	uint64_t next = 1, ids[RANDOM_KEYS];
	double arrival = 0;

	trace_init(to, 1 + draw_below(draw, 32));
	ck_assert_int_ge(trace_phase(to, "all"), 0);
	for (size_t i = 0; i < num; i++) {
		struct trace_req req = {.output_len = 1};
		uint32_t total = draw_below(draw, RANDOM_KEYS);

		if (i && !one_in(draw, 4)) {
			const struct trace_req *old =
				&to->reqs[draw_below(draw, (uint32_t)i)];

			trace_ids(to, old, ids);
			req.num_ids =
				old->num_ids < total ? old->num_ids : total;
		}
		while (req.num_ids < total)
			ids[req.num_ids++] = next++;
		req.len = req.num_ids * to->block_size +
			  draw_below(draw, to->block_size);
		req.len += !req.len;
		req.num_ids = req.len / to->block_size;
		if (!total && req.num_ids)
			ids[0] = next++;
		arrival += one_in(draw, 2) ? 0 : draw_below(draw, 60);
		req.arrival_ms = arrival;
		ck_assert_int_eq(trace_add_ids(to, &req, ids), 0);
	}
}

START_TEST(test_random_traces_are_served_as_simulated)
{
	struct draw draw = {seed + (uint64_t)_i};

	for (int i = 0; i < 25; i++) {
		struct sim_config sim = {
			.device = one_in(&draw, 2) ? "a6000" : "h100",
			.budget = 1 + draw_below(&draw, 400),
			.max_running = 1 + draw_below(&draw, 12),
			.kv_blocks = 4 + draw_below(&draw, 60),
			.time_scale = 1.0,
		};
		struct trace requests;

		draw_trace(&draw, &requests, 1 + draw_below(&draw, 80));
		compare(&requests, &sim,
			&variants[draw_below(&draw, NUM_VARIANTS)]);
		trace_destroy(&requests);
	}
}
END_TEST

START_TEST(test_a_spike_is_served_as_simulated)
{
	struct sim_config sim = {
		.device = "a6000",
		.budget = 2048,
		.max_running = 256,
		.kv_blocks = 8000,
		.time_scale = 1.0,
	};
	struct trace requests;
	struct diag why = {""};

	ck_assert_msg(!workload_generate(&requests, "sec-dynamic", 3, &why),
		      "%s", why.text);
	compare(&requests, &sim, &variants[_i]);
	trace_destroy(&requests);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_sim");
	TCase *tcase = tcase_create("runtime_sim");

	seed = draw_seed();
	tcase_set_timeout(tcase, 20);
	tcase_add_loop_test(tcase, test_random_traces_are_served_as_simulated,
			    0, 10);
	tcase_add_loop_test(tcase, test_a_spike_is_served_as_simulated, 0,
			    (int)NUM_VARIANTS);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
