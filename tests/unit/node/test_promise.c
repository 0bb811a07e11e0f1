/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/compiler.h"
#include "lib/cost/device.h"
#include "tests/naive/oracle.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "random_case.h"

/*
 * What srpf promises: as far as predictions hold, a request ends by due + two
 * steps. When each is due comes from the naive simulator, when it ends from
 * the library. FAIRWAY_SEED repeats a run, FAIRWAY_RANDOM says how many traces,
 * FAIRWAY_CASE runs one of them.
 */

#define DEFAULT_CASES 2000
#define STEPS 2.0
/* Dues are whole nanoseconds, and a sum of rounded work. */
#define ROUNDING 1e-7

static uint64_t seed;
static uint64_t num_cases = DEFAULT_CASES;
static uint64_t first_case;
/* The one at hand, for messages. */
static uint64_t number;

/**
 * struct sums - over the traces of one kind
 * @traces: how many
 * @surprised: of them, where something came that nobody predicts
 * @requests: of all
 * @over: ended after they were due
 * @beyond: ended more than two steps after
 * @steps: how much after at most, in steps
 * @seconds: the same in seconds
 */
struct sums {
	uint64_t traces;
	uint64_t surprised;
	uint64_t requests;
	uint64_t over;
	uint64_t beyond;
	double steps;
	double seconds;
};

/* Prompts of up to a hundred steps: blocks are longer, and as many. */
static void make_long(struct random_case *test)
{
	uint32_t factor = draw_range(&test->draw, 1, 16);

	test->trace.block_size *= factor;
	for (size_t i = 0; i < test->trace.num_reqs; i++)
		test->trace.reqs[i].len *= factor;
	test->config.time_scale *= draw_range(&test->draw, 1, factor);
}

/* Memory and sequences for all, and full steps longer than the least one. */
static void make_ample(struct random_case *test)
{
	const struct fw_device *device = fw_device_find(test->config.device);
	double least = (device->tw - device->t0) / device->a;
	uint64_t blocks = 1;

	for (size_t i = 0; i < test->trace.num_reqs; i++)
		blocks += test->trace.reqs[i].num_ids + 1;
	test->config.kv_blocks = (uint32_t)blocks;
	test->config.max_running = (uint32_t)test->trace.num_reqs;
	test->config.budget = (uint32_t)least + draw_range(&test->draw, 1, 400);
}

static void make_small(struct random_case *test)
{
	uint32_t least = trace_longest(&test->trace);

	test->config.kv_blocks = least + draw_range(&test->draw, 0, least);
}

/* The same prompts with nothing in common. */
static void share_nothing(struct random_case *test)
{
	struct trace trace;
	uint64_t ids[MAX_IDS], next = 0;

	trace_init(&trace, test->trace.block_size);
	ck_assert_int_eq(trace_phase(&trace, "all"), 0);
	for (size_t i = 0; i < test->trace.num_reqs; i++) {
		struct trace_req req = test->trace.reqs[i];

		for (uint32_t j = 0; j < req.num_ids; j++)
			ids[j] = next++;
		ck_assert_int_eq(trace_add_ids(&trace, &req, ids), 0);
	}
	trace_destroy(&test->trace);
	test->trace = trace;
}

static void make_small_apart(struct random_case *test)
{
	share_nothing(test);
	make_small(test);
}

static void make_few(struct random_case *test)
{
	test->config.max_running = draw_range(&test->draw, 1, 3);
}

static void make_short_steps(struct random_case *test)
{
	test->config.budget = draw_range(&test->draw, 8, 40);
}

static double draw_guard(struct draw *draw)
{
	return draw_range(draw, 1, one_in(draw, 2) ? 3000 : 300) / 1000.0;
}

/* Any key of the fast lane, weight and guard: the promise is of all. */
static void draw_guarded(struct random_case *test, const char *more)
{
	static const char *const orders[] = {"srpf", "srpf", "fairway:pause",
					     "fairway:key=rest:pause"};
	struct draw *draw = &test->draw;
	const char *order = orders[draw_range(draw, 0, 3)];

	if (*more)
		order = "srpf";
	snprintf(test->policy, sizeof(test->policy),
		 "%s:guard=%.3f:weight=%.3f%s%s", order, draw_guard(draw),
		 draw_range(draw, 1, 8000) / 1000.0, more,
		 one_in(draw, 3) ? ":protect" : "");
}

/**
 * struct kind - traces in which one prediction does not hold, or all do
 * @name: what is not as predicted
 * @spoil: makes it so; NULL: nothing is spoilt
 * @more: flags of the policy
 * @holds: the promise is made
 * @share: one of so many traces is made into this kind too
 */
static const struct kind {
	const char *name;
	void (*spoil)(struct random_case *test);
	const char *more;
	bool holds;
	uint32_t share;
} kinds[] = {
	{"predictions hold", NULL, "", true, 1},
	{"predictions hold, nothing shared", share_nothing, "", true, 4},
	{"a small cache: hits shrink, memory is short", make_small, "", false,
	 4},
	{"memory is short, nothing shared", make_small_apart, "", false, 4},
	{"one to three sequences", make_few, "", false, 4},
	{"steps shorter than the least one", make_short_steps, "", false, 4},
	{"nopause", NULL, ":nopause", false, 4},
};

static struct sums sums[ARRAY_SIZE(kinds)];

/* How long after it was due did it end? Of the library's run, in seconds. */
static double late_by(const struct sim_request *got,
		      const struct naive_outcome *slow)
{
	return got->arrival_s + got->ttft_s - (double)slow->due * 1e-9;
}

static void count(struct sums *sum, const struct sim_request *got,
		  const struct naive_outcome *slow)
{
	double late = late_by(got, slow);

	sum->requests++;
	if (late <= ROUNDING)
		return;
	sum->over++;
	sum->beyond += late > STEPS * slow->step + ROUNDING;
	sum->steps = fmax(sum->steps, late / slow->step);
	sum->seconds = fmax(sum->seconds, late);
}

static void judge(const struct kind *kind, const struct random_case *test,
		  const struct sim_result *got, const struct naive_result *slow)
{
	struct sums *sum = &sums[kind - kinds];
	uint64_t before = sum->beyond;

	sum->traces++;
	sum->surprised += slow->surprises > 0;
	for (size_t i = 0; i < got->num_reqs; i++) {
		if (got->reqs[i].outcome == SIM_REJECTED)
			continue;
		ck_assert_msg(slow->reqs[i].looked, "request %zu has no due",
			      i);
		count(sum, &got->reqs[i], &slow->reqs[i]);
		ck_assert_msg(!kind->holds || sum->beyond == before,
			      "FAIRWAY_SEED=%" PRIu64 " FAIRWAY_CASE=%" PRIu64
			      ", %s: request %zu ends %.9f s after it is due, "
			      "a step takes %.9f",
			      seed, number, test->policy, i,
			      late_by(&got->reqs[i], &slow->reqs[i]),
			      slow->reqs[i].step);
	}
	ck_assert_msg(!kind->holds || !slow->surprises,
		      "no trace in which predictions hold");
}

static void run_case(const struct kind *kind)
{
	struct naive_result slow;
	struct random_case test;
	struct sim_result got;
	struct diag why = {0};

	make_case(&test, seed, number);
	make_long(&test);
	make_ample(&test);
	if (kind->spoil)
		kind->spoil(&test);
	draw_guarded(&test, kind->more);
	ck_assert_int_eq(oracle_naive(&test.trace, &test.config, test.policy,
				      &slow),
			 0);
	ck_assert_int_eq(oracle_run(&test.trace, &test.config, test.policy,
				    &got, &why),
			 0);
	judge(kind, &test, &got, &slow);
	ck_assert_msg(oracle_same(&test.trace, &got, &slow, &why),
		      "FAIRWAY_SEED=%" PRIu64 " FAIRWAY_CASE=%" PRIu64
		      ", %s: %s",
		      seed, number, test.policy, why.text);
	sim_result_destroy(&got);
	naive_result_destroy(&slow);
	trace_destroy(&test.trace);
}

static void print_sums(const struct kind *kind)
{
	const struct sums *sum = &sums[kind - kinds];

	printf("# %s: %" PRIu64 " traces, %" PRIu64 " surprised, %" PRIu64
	       " requests\n",
	       kind->name, sum->traces, sum->surprised, sum->requests);
	printf("#   %" PRIu64 " end after they are due, %" PRIu64
	       " more than two steps after, at most %.3f steps and %.3f s\n",
	       sum->over, sum->beyond, sum->steps, sum->seconds);
	fflush(stdout);
}

START_TEST(test_ends_by_due_and_two_steps)
{
	const struct kind *kind = &kinds[_i];

	for (number = first_case; number < first_case + num_cases; number++)
		if (num_cases == 1 || number % kind->share == 0)
			run_case(kind);
	print_sums(kind);
}
END_TEST

static void read_number(const char *name, uint64_t *to)
{
	const char *text = getenv(name);

	if (text && *text)
		*to = strtoull(text, NULL, 0);
}

static void read_environment(void)
{
	seed = draw_seed();
	read_number("FAIRWAY_RANDOM", &num_cases);
	if (getenv("FAIRWAY_CASE")) {
		read_number("FAIRWAY_CASE", &first_case);
		num_cases = 1;
	}
}

int main(void)
{
	Suite *suite = suite_create("promise");
	TCase *tcase = tcase_create("random");

	read_environment();
	tcase_add_loop_test(tcase, test_ends_by_due_and_two_steps, 0,
			    ARRAY_SIZE(kinds));
	tcase_set_timeout(tcase, 0);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
