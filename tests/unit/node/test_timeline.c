/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/naive/oracle.h"
#include "tests/support/run.h"
#include "tools/node/spread.h"
#include "tools/node/timeline.h"

/* What the page of --html reckons from the requests of a run. */

static uint64_t seed;

enum {
	NUM_REQS = 400,
	NUM_INTERVALS = 37,
	BLOCK = 8192, /* longer than any prompt: none has a full one */
};

static struct sim_request reqs[NUM_REQS];
static struct trace trace;

static const struct sim_result result = {.reqs = reqs, .num_reqs = NUM_REQS};

/* Some wait, some start as they arrive, some are rejected. */
static void make_run(struct draw *draw)
{
	double now = 5.0;

	trace_init(&trace, BLOCK);
	ck_assert_int_eq(trace_phase(&trace, "a"), 0);
	ck_assert_int_eq(trace_phase(&trace, "b"), 1);
	for (int i = 0; i < NUM_REQS; i++) {
		struct trace_req req = {
			.arrival_ms = now * 1000.0,
			.len = 1 + draw_below(draw, 5000),
			.phase = draw_below(draw, 2),
		};
		double wait = one_in(draw, 3) ? 0.0 : draw_below(draw, 900);

		reqs[i] = (struct sim_request){
			.arrival_s = now,
			.start_s = now + wait / 100.0,
			.ttft_s = wait / 100.0 + 0.5,
			.cached = draw_below(draw, req.len),
		};
		if (one_in(draw, 20)) {
			reqs[i].outcome = SIM_REJECTED;
			reqs[i].start_s = reqs[i].ttft_s = -1.0;
		}
		ck_assert_int_eq(trace_add(&trace, &req, NULL), 0);
		now += draw_below(draw, 40) / 100.0;
	}
}

/* Who waits at @at, counting those that arrive then and not who starts. */
static void look(double at, double *waiting, double *work)
{
	*waiting = *work = 0.0;
	for (int i = 0; i < NUM_REQS; i++)
		if (reqs[i].outcome == SIM_DONE && reqs[i].arrival_s <= at &&
		    reqs[i].start_s > at) {
			*waiting += 1.0;
			*work += (double)trace.reqs[i].len - reqs[i].cached;
		}
}

/* The queue grows at arrivals only, so its peaks are there or at the begin. */
static void peak(const struct timeline *line, size_t i, double *waiting,
		 double *work)
{
	double from = line->from_s + (double)i * line->step_s;

	look(from, waiting, work);
	for (int k = 0; k < NUM_REQS; k++) {
		double at = reqs[k].arrival_s, num, tokens;

		if (at < from ||
		    (i + 1 < line->num &&
		     at >= line->from_s + (double)(i + 1) * line->step_s))
			continue;
		look(at, &num, &tokens);
		*waiting = fmax(*waiting, num);
		*work = fmax(*work, tokens);
	}
}

START_TEST(test_the_timeline_has_the_peak_of_each_interval)
{
	struct draw draw = {seed + (uint64_t)_i};
	struct timeline line;

	make_run(&draw);
	ck_assert_int_eq(timeline_init(&line, &trace, &result,
				       reqs[NUM_REQS - 1].arrival_s + 9.5,
				       NUM_INTERVALS),
			 0);
	for (size_t i = 0; i < NUM_INTERVALS; i++) {
		double waiting, work;

		peak(&line, i, &waiting, &work);
		ck_assert_double_eq(line.waiting[i], waiting);
		ck_assert_double_eq(line.work[i], work);
	}
	timeline_destroy(&line);
	trace_destroy(&trace);
}
END_TEST

/* It once counted for the instant at which both happen. */
START_TEST(test_who_starts_as_an_interval_begins_does_not_wait_in_it)
{
	struct sim_request one = {.arrival_s = 0.0,
				  .start_s = 5.0,
				  .ttft_s = 6.0};
	const struct sim_result run = {.reqs = &one, .num_reqs = 1};
	struct trace_req req = {.len = 100};
	struct timeline line;

	trace_init(&trace, BLOCK);
	ck_assert_int_eq(trace_phase(&trace, "a"), 0);
	ck_assert_int_eq(trace_add(&trace, &req, NULL), 0);
	ck_assert_int_eq(timeline_init(&line, &trace, &run, 10.0, 2), 0);
	ck_assert_double_eq(line.waiting[0], 1.0);
	ck_assert_double_eq(line.waiting[1], 0.0);
	timeline_destroy(&line);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_nobody_waits_in_an_empty_run)
{
	const struct sim_result none = {.reqs = reqs, .num_reqs = 0};
	struct timeline line;

	trace_init(&trace, BLOCK);
	ck_assert_int_eq(timeline_init(&line, &trace, &none, 0.0, 3), 0);
	for (int i = 0; i < 3; i++)
		ck_assert_double_eq(line.waiting[i], 0.0);
	timeline_destroy(&line);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_every_request_stands_in_one_bin)
{
	struct draw draw = {seed + 100};
	struct bin out[SPREAD_MAX_BINS];
	uint64_t served = 0, num = 0;
	struct spread all;
	struct bins bins;

	make_run(&draw);
	if (_i)
		bins_by_share(&bins);
	else
		ck_assert_int_eq(bins_by_length(&bins, &trace), 0);
	ck_assert_int_eq(bins_fill(&bins, _i, &trace, &result, out), 0);
	ck_assert_int_eq(spread_init(&all, &trace, &result, -1), 0);
	for (int i = 0; i < NUM_REQS; i++)
		served += reqs[i].outcome == SIM_DONE;
	for (size_t i = 0; i < bins.num; i++) {
		num += out[i].num;
		ck_assert(!i || bins.at[i] > bins.at[i - 1]);
		if (out[i].num)
			ck_assert(out[i].p50 <= out[i].p99 &&
				  out[i].p99 <= spread_at(&all, 100.0));
	}
	ck_assert_uint_eq(num, served);
	ck_assert_uint_eq(all.num, served);
	spread_destroy(&all);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_percentiles_are_nearest_ranks)
{
	double ttft[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	const struct spread ten = {ttft, 10};
	const struct spread none = {ttft, 0};

	ck_assert_double_eq(spread_at(&ten, 0.0), 1.0);
	ck_assert_double_eq(spread_at(&ten, 10.0), 1.0);
	ck_assert_double_eq(spread_at(&ten, 50.0), 5.0);
	ck_assert_double_eq(spread_at(&ten, 50.1), 6.0);
	ck_assert_double_eq(spread_at(&ten, 99.0), 10.0);
	ck_assert_double_eq(spread_at(&ten, 100.0), 10.0);
	ck_assert(isnan(spread_at(&none, 50.0)));
}
END_TEST

/* --- lanes, of real runs --- */

static void count_lanes(const char *policy, uint64_t *fast, uint64_t *fair)
{
	struct sim_config config = {
		.device = "a6000",
		.budget = 2048,
		.max_running = 256,
		.kv_blocks = 3000,
		.time_scale = 0.02,
	};
	struct diag why = {""};
	struct sim_result run;

	ck_assert_msg(!oracle_run(&trace, &config, policy, &run, &why), "%s",
		      why.text);
	*fast = *fair = 0;
	for (size_t i = 0; i < run.num_reqs; i++) {
		*fast += run.reqs[i].lane == SIM_LANE_FAST;
		*fair += run.reqs[i].lane == SIM_LANE_FAIR;
		if (run.reqs[i].outcome == SIM_REJECTED)
			ck_assert_int_eq(run.reqs[i].lane, SIM_LANE_NONE);
	}
	sim_result_destroy(&run);
}

START_TEST(test_a_run_keeps_the_lane_of_each_request)
{
	struct draw draw = {seed + 200};
	uint64_t fast, fair;

	make_run(&draw);
	count_lanes("fairway", &fast, &fair);
	ck_assert(fast && fair);
	ck_assert_uint_eq(fast + fair, NUM_REQS);
	count_lanes("srpf", &fast, &fair);
	ck_assert(fast && fair);
	ck_assert_uint_eq(fast + fair, NUM_REQS);
	count_lanes("fairway:lane=off", &fast, &fair);
	ck_assert_uint_eq(fast, NUM_REQS);
	count_lanes("fcfs", &fast, &fair);
	ck_assert(!fast && !fair);
	trace_destroy(&trace);
}
END_TEST

static TCase *cases(void)
{
	TCase *tc = tcase_create("timeline");

	tcase_add_loop_test(tc, test_the_timeline_has_the_peak_of_each_interval,
			    0, 5);
	tcase_add_test(
		tc, test_who_starts_as_an_interval_begins_does_not_wait_in_it);
	tcase_add_test(tc, test_nobody_waits_in_an_empty_run);
	tcase_add_loop_test(tc, test_every_request_stands_in_one_bin, 0, 2);
	tcase_add_test(tc, test_percentiles_are_nearest_ranks);
	tcase_add_test(tc, test_a_run_keeps_the_lane_of_each_request);
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("timeline");

	seed = draw_seed();
	suite_add_tcase(suite, cases());
	return run_suite(suite);
}
