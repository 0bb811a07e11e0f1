/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>

#include "tests/naive/naive_sim.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/node/sim.h"

/*
 * Sessions in a closed loop against the naive node, which knows none: it runs
 * again and again, each time with the arrivals that follow from the last run,
 * until nothing changes any more.
 */

enum {
	MAX_REQS = 40,
	BLOCK = 16,
	MAX_IDS = 16,
};

static uint64_t seed;

/**
 * struct loop - one random trace
 * @trace: as the simulator takes it
 * @ids: of each request
 * @arrival: seconds, as of the last naive run
 */
struct loop {
	struct trace trace;
	uint64_t ids[MAX_REQS][MAX_IDS];
	double arrival[MAX_REQS];
};

static void make(struct loop *loop, struct draw *draw)
{
	uint32_t num = 1 + draw_below(draw, MAX_REQS);
	double ms = 0.0;

	trace_init(&loop->trace, BLOCK);
	for (uint32_t i = 0; i < num; i++) {
		struct trace_req req = {.len = 1 + draw_below(draw, 250)};
		uint64_t family = draw_below(draw, 4) * 1000;

		ms += draw_below(draw, 3) ? draw_below(draw, 60) : 0;
		req.arrival_ms = ms;
		req.num_ids = req.len / BLOCK;
		if (i && draw_below(draw, 3)) {
			req.after = 1 + draw_below(draw, i);
			req.delay_ms =
				one_in(draw, 3) ? 0.0 : draw_below(draw, 90);
		}
		for (uint32_t j = 0; j < req.num_ids; j++)
			loop->ids[i][j] = family + j;
		ck_assert_int_eq(trace_add_ids(&loop->trace, &req,
					       loop->ids[i]),
				 0);
	}
}

struct ranked {
	double arrival;
	size_t index;
};

static int by_arrival(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->arrival < b->arrival || a->arrival > b->arrival)
		return a->arrival < b->arrival ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* One naive run of the arrivals as they are. */
static void run_naive(const struct loop *loop, const struct sim_config *config,
		      const char *policy, double *ttft, double *end,
		      uint32_t *cached)
{
	const struct naive_config node = {
		.device = config->device,
		.block_size = BLOCK,
		.pool_blocks = config->kv_blocks,
		.budget = config->budget,
		.max_running = config->max_running,
	};
	size_t num = loop->trace.num_reqs;
	struct naive_request reqs[MAX_REQS];
	struct ranked order[MAX_REQS];
	struct naive_result result;

	for (size_t i = 0; i < num; i++)
		order[i] = (struct ranked){loop->arrival[i], i};
	qsort(order, num, sizeof(*order), by_arrival);
	for (size_t i = 0; i < num; i++) {
		size_t from = order[i].index;

		reqs[i] = (struct naive_request){
			.arrival = loop->arrival[from],
			.len = loop->trace.reqs[from].len,
			.num_ids = loop->trace.reqs[from].num_ids,
			.ids = loop->ids[from],
		};
	}
	ck_assert_int_eq(naive_run(reqs, num, &node, policy, &result), 0);
	for (size_t i = 0; i < num; i++) {
		ttft[order[i].index] = result.reqs[i].ttft;
		end[order[i].index] = result.reqs[i].end;
		cached[order[i].index] = result.reqs[i].cached;
	}
	naive_result_destroy(&result);
}

/* Return: Whether an arrival changed by what ended when. */
static bool follow(struct loop *loop, const double *ttft, const double *end,
		   double scale)
{
	bool changed = false;

	for (size_t i = 0; i < loop->trace.num_reqs; i++) {
		const struct trace_req *req = &loop->trace.reqs[i];
		double at = loop->arrival[i];

		if (req->after) {
			size_t before = req->after - 1;
			double delay = req->delay_ms / 1000.0 * scale;

			/* What is rejected ends when it arrives. */
			at = ttft[before] > 0.0 ? end[before]
						: loop->arrival[before];
			at += delay;
		}
		changed = changed || at < loop->arrival[i] ||
			  at > loop->arrival[i];
		loop->arrival[i] = at;
	}
	return changed;
}

static void compare(struct loop *loop, const struct sim_config *config,
		    const char *policy)
{
	double ttft[MAX_REQS], end[MAX_REQS];
	uint32_t cached[MAX_REQS];
	struct policy_list list = {0};
	struct sim_result result;
	struct diag diag = {""};
	int rounds = 0;

	for (size_t i = 0; i < loop->trace.num_reqs; i++)
		loop->arrival[i] = trace_arrival_s(&loop->trace.reqs[i],
						   config->time_scale);
	do {
		ck_assert_int_lt(rounds++, 2 * MAX_REQS);
		run_naive(loop, config, policy, ttft, end, cached);
	} while (follow(loop, ttft, end, config->time_scale));
	ck_assert_int_eq(policy_parse(&list, policy, &diag), 0);
	ck_assert_msg(!sim_run(&loop->trace, config, &list.specs[0], NULL,
			       &result, &diag),
		      "%s", diag.text);
	for (size_t i = 0; i < loop->trace.num_reqs; i++) {
		const struct sim_request *req = &result.reqs[i];

		ck_assert_msg(req->arrival_s - loop->arrival[i] < 1e-8 &&
				      loop->arrival[i] - req->arrival_s < 1e-8,
			      "%s, %zu: arrives %.12f, naive %.12f", policy, i,
			      req->arrival_s, loop->arrival[i]);
		ck_assert_msg(req->ttft_s - ttft[i] < 1e-8 &&
				      ttft[i] - req->ttft_s < 1e-8,
			      "%s, %zu: %.12f, naive %.12f", policy, i,
			      req->ttft_s, ttft[i]);
		ck_assert_uint_eq(req->cached, cached[i]);
	}
	sim_result_destroy(&result);
	policy_list_destroy(&list);
}

static const char *const policies[] = {"fcfs", "lpm", "spf", "fairway"};

START_TEST(test_a_closed_loop_equals_naive_runs_until_nothing_changes)
{
	struct draw draw = {seed + (uint64_t)_i};

	for (int round = 0; round < 150; round++) {
		struct loop loop;
		const struct sim_config config = {
			.device = "a6000",
			.budget = 64 + draw_below(&draw, 512),
			.max_running = 1 + draw_below(&draw, 6),
			.kv_blocks = 12 + draw_below(&draw, 40),
			.time_scale = one_in(&draw, 2) ? 1.0 : 0.5,
			.closed_loop = true,
		};

		make(&loop, &draw);
		compare(&loop, &config, policies[_i]);
		trace_destroy(&loop.trace);
	}
}
END_TEST

/* Two turns: the second comes 250 ms after the first one's first token. */
START_TEST(test_the_next_turn_comes_after_the_end_and_its_delay)
{
	const struct trace_req turns[] = {
		{.arrival_ms = 1000.0, .len = 10},
		{.arrival_ms = 1001.0, .len = 10, .after = 1, .delay_ms = 250},
	};
	struct sim_config config = {
		.device = "a6000",
		.budget = 2048,
		.max_running = 8,
		.kv_blocks = 64,
		.time_scale = 1.0,
		.closed_loop = true,
	};
	struct policy_list list = {0};
	struct sim_result result;
	struct diag diag = {""};
	struct trace trace;
	double end;

	trace_init(&trace, BLOCK);
	ck_assert_int_eq(trace_add_ids(&trace, &turns[0], NULL), 0);
	ck_assert_int_eq(trace_add_ids(&trace, &turns[1], NULL), 0);
	ck_assert_int_eq(policy_parse(&list, "fcfs", &diag), 0);
	ck_assert_int_eq(sim_run(&trace, &config, &list.specs[0], NULL, &result,
				 &diag),
			 0);
	end = 1.0 + result.reqs[0].ttft_s;
	ck_assert(result.reqs[1].arrival_s - (end + 0.25) < 1e-12);
	ck_assert((end + 0.25) - result.reqs[1].arrival_s < 1e-12);
	sim_result_destroy(&result);
	config.closed_loop = false;
	ck_assert_int_eq(sim_run(&trace, &config, &list.specs[0], NULL, &result,
				 &diag),
			 0);
	ck_assert(result.reqs[1].arrival_s == 1.001);
	sim_result_destroy(&result);
	policy_list_destroy(&list);
	trace_destroy(&trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("closed loop");
	TCase *tc = tcase_create("turns");

	seed = draw_seed();
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc,
		       test_the_next_turn_comes_after_the_end_and_its_delay);
	tcase_add_loop_test(
		tc, test_a_closed_loop_equals_naive_runs_until_nothing_changes,
		0, sizeof(policies) / sizeof(policies[0]));
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
