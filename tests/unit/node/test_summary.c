/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/node/summary.h"

/* A small generator of its own, so that a seed repeats a case. */
static uint64_t state;

static uint64_t draw(uint64_t n)
{
	state += 0x9e3779b97f4a7c15ull;
	uint64_t z = state;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (z ^ (z >> 31)) % n;
}

struct run {
	struct trace trace;
	struct sim_result result;
};

static void run_init(struct run *run, size_t num, uint32_t phases)
{
	static const char *const names[] = {"a", "b", "c"};

	memset(run, 0, sizeof(*run));
	trace_init(&run->trace, 16);
	for (uint32_t i = 0; i < phases; i++)
		ck_assert_int_eq(trace_phase(&run->trace, names[i]), i);
	run->result.reqs = calloc(num + 1, sizeof(*run->result.reqs));
	ck_assert_ptr_nonnull(run->result.reqs);
}

static void run_add(struct run *run, uint32_t len, uint32_t phase,
		    struct sim_request ended)
{
	struct trace_req req = {.len = len, .phase = phase};

	ck_assert_int_eq(trace_add(&run->trace, &req, NULL), 0);
	run->result.reqs[run->result.num_reqs++] = ended;
}

static void run_destroy(struct run *run)
{
	free(run->result.reqs);
	trace_destroy(&run->trace);
}

/* Few distinct values, so that ties are common. */
static void random_run(struct run *run, size_t num, uint32_t phases)
{
	uint64_t distinct = 1 + draw(2 * num + 1);

	run_init(run, num, phases);
	for (size_t i = 0; i < num; i++) {
		struct sim_request ended = {
			.ttft_s = (double)(1 + draw(distinct)) / 7.0,
			.cached = draw(2) ? (uint32_t)draw(100) : 0,
			.outcome = SIM_DONE,
		};

		if (!draw(10))
			ended = (struct sim_request){.ttft_s = -1.0,
						     .outcome = SIM_REJECTED};
		run_add(run, (uint32_t)(100 + draw(1000)),
			(uint32_t)draw(phases), ended);
	}
}

static bool counts(const struct run *run, size_t i, int phase)
{
	return run->result.reqs[i].outcome == SIM_DONE &&
	       (phase < 0 || run->trace.reqs[i].phase == (uint32_t)phase);
}

/*
 * By definition: the smallest value that at least @percent in a hundred of all
 * do not exceed.
 */
static double naive_rank(const struct run *run, int phase, uint64_t percent)
{
	double best = NO_FIGURE;
	uint64_t num = 0;

	for (size_t i = 0; i < run->result.num_reqs; i++)
		num += counts(run, i, phase);
	for (size_t i = 0; i < run->result.num_reqs; i++) {
		double value = run->result.reqs[i].ttft_s;
		uint64_t below = 0;

		if (!counts(run, i, phase))
			continue;
		for (size_t k = 0; k < run->result.num_reqs; k++)
			below += counts(run, k, phase) &&
				 run->result.reqs[k].ttft_s <= value;
		if (below * 100 >= percent * num &&
		    !(best <= value)) /* also the first, over no figure */
			best = value;
	}
	return best;
}

static void same(double a, double b)
{
	ck_assert_msg((isnan(a) && isnan(b)) || a == b, "%.17g is not %.17g", a,
		      b);
}

struct naive {
	uint64_t requests, done, rejected, starved, cached, tokens;
	double miss, hit, sum;
};

static struct naive naive_sums(const struct run *run, int phase, double p99)
{
	struct naive n = {.miss = NO_FIGURE, .hit = NO_FIGURE};

	for (size_t i = 0; i < run->result.num_reqs; i++) {
		const struct sim_request *ended = &run->result.reqs[i];
		double *worst = ended->cached ? &n.hit : &n.miss;

		if (phase >= 0 && run->trace.reqs[i].phase != (uint32_t)phase)
			continue;
		n.requests++;
		n.rejected += ended->outcome == SIM_REJECTED;
		if (ended->outcome == SIM_REJECTED)
			continue;
		n.done++;
		n.sum += ended->ttft_s;
		n.cached += ended->cached;
		n.tokens += run->trace.reqs[i].len;
		n.starved += ended->ttft_s > 3.0 * p99;
		if (!(*worst >= ended->ttft_s))
			*worst = ended->ttft_s;
	}
	return n;
}

static void compare(const struct run *run, const struct summary *sum, int phase,
		    double p99)
{
	struct naive n = naive_sums(run, phase, p99);

	ck_assert_uint_eq(sum->requests, n.requests);
	ck_assert_uint_eq(sum->completed, n.done);
	ck_assert_uint_eq(sum->rejected, n.rejected);
	ck_assert_uint_eq(sum->starved, n.starved);
	ck_assert_uint_eq(sum->ttft.num, n.done);
	same(sum->worst_miss, n.miss);
	same(sum->worst_hit, n.hit);
	same(sum->hit_rate,
	     n.done ? (double)n.cached / (double)n.tokens : NO_FIGURE);
	same(sum->ttft.mean, n.done ? n.sum / (double)n.done : NO_FIGURE);
	same(sum->ttft.p50, naive_rank(run, phase, 50));
	same(sum->ttft.p90, naive_rank(run, phase, 90));
	same(sum->ttft.p99, naive_rank(run, phase, 99));
	same(sum->ttft.max, naive_rank(run, phase, 100));
}

START_TEST(test_figures_equal_their_definitions)
{
	const char *seed = getenv("FAIRWAY_SEED");

	state = seed ? strtoull(seed, NULL, 10) : 20;
	printf("# seed %llu\n", (unsigned long long)state);
	for (int round = 0; round < 300; round++) {
		uint32_t phases = (uint32_t)(1 + draw(3));
		struct summary sum;
		struct run run;

		random_run(&run, draw(150), phases);
		ck_assert_int_eq(summary_init(&sum, &run.trace, &run.result,
					      NULL),
				 0);
		ck_assert_uint_eq(sum.num_phases, run.trace.num_phases);
		compare(&run, &sum, -1, naive_rank(&run, -1, 99));
		for (uint32_t i = 0; i < sum.num_phases; i++)
			compare(&run, &sum.phases[i], (int)i,
				naive_rank(&run, -1, 99));
		summary_destroy(&sum);
		run_destroy(&run);
	}
}
END_TEST

static void check_ranks(uint64_t num)
{
	struct summary sum;
	struct run run;

	run_init(&run, num, 1);
	for (uint64_t i = num; i; i--) /* falling: sorting is part of it */
		run_add(&run, 100, 0,
			(struct sim_request){.ttft_s = (double)i});
	ck_assert_int_eq(summary_init(&sum, &run.trace, &run.result, NULL), 0);
	same(sum.ttft.p50, (double)((num + 1) / 2));
	same(sum.ttft.p90, (double)((num * 9 + 9) / 10));
	same(sum.ttft.p99, (double)((num * 99 + 99) / 100));
	same(sum.ttft.max, (double)num);
	summary_destroy(&sum);
	run_destroy(&run);
}

/* In doubles 0.99 * 100 and 0.9 * 10 need luck to round to 99 and 9. */
START_TEST(test_nearest_rank_is_exact_at_every_size)
{
	for (uint64_t num = 1; num <= 1000; num++)
		check_ranks(num);
}
END_TEST

START_TEST(test_nothing_served_has_no_figures)
{
	struct summary sum;
	struct run run;

	run_init(&run, 1, 1);
	run_add(&run, 100, 0,
		(struct sim_request){.ttft_s = -1.0, .outcome = SIM_REJECTED});
	ck_assert_int_eq(summary_init(&sum, &run.trace, &run.result, NULL), 0);
	ck_assert_uint_eq(sum.rejected, 1);
	ck_assert_uint_eq(sum.completed, 0);
	ck_assert_uint_eq(sum.starved, 0);
	ck_assert(isnan(sum.ttft.mean) && isnan(sum.ttft.p99));
	ck_assert(isnan(sum.hit_rate) && isnan(sum.worst_miss));
	summary_destroy(&sum);
	run_destroy(&run);
}
END_TEST

/* 199 of 1 s and one of 3 s: p99 is 1 s, and 3 is not over three times that. */
START_TEST(test_starving_is_over_three_times_the_runs_own_p99)
{
	struct summary sum;
	struct run run;

	run_init(&run, 201, 2);
	for (int i = 0; i < 199; i++)
		run_add(&run, 100, 0, (struct sim_request){.ttft_s = 1.0});
	run_add(&run, 100, 1, (struct sim_request){.ttft_s = 3.0});
	ck_assert_int_eq(summary_init(&sum, &run.trace, &run.result, NULL), 0);
	ck_assert_uint_eq(sum.starved, 0);
	summary_destroy(&sum);
	run.result.reqs[199].ttft_s = nextafter(3.0, 4.0);
	ck_assert_int_eq(summary_init(&sum, &run.trace, &run.result, NULL), 0);
	ck_assert_uint_eq(sum.starved, 1);
	ck_assert_uint_eq(sum.phases[0].starved, 0);
	/* Against the run's p99: the phase's own is the victim itself. */
	ck_assert_uint_eq(sum.phases[1].starved, 1);
	summary_destroy(&sum);
	run_destroy(&run);
}
END_TEST

static Suite *summary_suite(void)
{
	Suite *suite = suite_create("summary");
	TCase *tcase = tcase_create("summary");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_figures_equal_their_definitions);
	tcase_add_test(tcase, test_nearest_rank_is_exact_at_every_size);
	tcase_add_test(tcase, test_nothing_served_has_no_figures);
	tcase_add_test(tcase,
		       test_starving_is_over_three_times_the_runs_own_p99);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(summary_suite());
}
