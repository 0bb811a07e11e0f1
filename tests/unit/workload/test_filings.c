/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/naive/naive_filings.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/node/sim.h"
#include "tools/workload/workload.h"

/*
 * The workloads of filings beside a form that was written from their
 * description alone. Both are drawn under many seeds; what is compared are
 * means over the seeds, which may differ by four of their deviations.
 */

enum {
	SEEDS = 30,
	REQUESTS = 1000,
	FEW = 400,
};

/* What is measured of each trace. */
enum {
	LEN, /* mean tokens of a prompt */
	SQUARE, /* mean of their squares, as its root */
	SHARED, /* of the blocks that are in two prompts, over all blocks */
	SHORT, /* prompts under a third of the longest */
	MISSES, /* share of the tokens computed, of prompts without a hit */
	PARTIAL, /* the same, of prompts of which a part is hit */
	FULL, /* the same, of prompts that compute but their own tokens */
	POOL, /* blocks */
	NUM_MEASURES,
};

static const char *const measures[NUM_MEASURES] = {
	"length", "square",  "shared", "short",
	"misses", "partial", "full",   "pool",
};

static const struct form {
	const char *spec;
	struct naive_filings naive;
} forms[] = {
	{"sec:requests=1000", {REQUESTS, 200, 1.8, 8, 2.0, 1000, 0.4, 2, 6}},
	{"long:requests=400", {FEW, 200, 1.8, 8, 2.0, 2000, 0.4, 3, 8}},
	{"mixed:requests=400", {FEW, 200, 1.8, 10, 2.0, 1500, 0.8, 1, 10}},
	/* Other keys, each away from its default. */
	{"sec:requests=400:documents=50:zipf=1:passages=5:passage-zipf=0.5:"
	 "median=600:sigma=0.7:take-min=1:take-max=4",
	 {FEW, 50, 1.0, 5, 0.5, 600, 0.7, 1, 4}},
};

#define NUM_FORMS ((int)(sizeof(forms) / sizeof(forms[0])))

/* More than a question and the rest of a block is a part that was not hit. */
#define MAX_OWN 315u

/* Tokens computed by first-come-first-served, as shares of all. */
static void measure_work(const struct trace *trace, double *out)
{
	const struct sim_config config = {
		.device = "a6000",
		.budget = 2048,
		.max_running = 256,
		.kv_blocks = trace->kv_blocks,
		.time_scale = 1.0,
	};
	struct diag diag = {.text = ""};
	struct policy_list list = {0};
	struct sim_result result;
	double sum = 0.0;

	ck_assert(!policy_parse(&list, "fcfs", &diag));
	ck_assert(
		!sim_run(trace, &config, &list.specs[0], NULL, &result, &diag));
	out[MISSES] = out[PARTIAL] = out[FULL] = 0.0;
	for (size_t i = 0; i < trace->num_reqs; i++) {
		uint32_t own = trace->reqs[i].len - result.reqs[i].cached;
		int kind = own <= MAX_OWN	   ? FULL
			   : result.reqs[i].cached ? PARTIAL
						   : MISSES;

		out[kind] += own;
		sum += own;
	}
	for (int kind = MISSES; kind <= FULL; kind++)
		out[kind] /= sum;
	sim_result_destroy(&result);
	policy_list_destroy(&list);
}

static void measure(const struct trace *trace, double *out)
{
	double num = (double)trace->num_reqs;
	double len = 0.0, square = 0.0, few = 0.0;

	for (size_t i = 0; i < trace->num_reqs; i++) {
		double tokens = trace->reqs[i].len;

		ck_assert(tokens <= 16000);
		len += tokens;
		square += tokens * tokens;
		few += tokens < 16000.0 / 3;
	}
	out[LEN] = len / num;
	out[SQUARE] = sqrt(square / num);
	out[SHORT] = few / num;
	out[SHARED] =
		(double)trace_shared_ids(trace) / (double)count_ids(trace);
	out[POOL] = trace->kv_blocks;
	measure_work(trace, out);
}

/**
 * struct moments - of one measure over the seeds
 * @sum: of the values
 * @squares: of their squares
 */
struct moments {
	double sum;
	double squares;
};

static void add(struct moments *moments, const double *values)
{
	for (int i = 0; i < NUM_MEASURES; i++) {
		moments[i].sum += values[i];
		moments[i].squares += values[i] * values[i];
	}
}

static double mean(const struct moments *m)
{
	return m->sum / SEEDS;
}

/* Square of the mean's deviation. */
static double error(const struct moments *m)
{
	double spread = m->squares / SEEDS - mean(m) * mean(m);

	return spread / (SEEDS - 1);
}

static void measure_both(const struct form *form, struct moments *ours,
			 struct moments *naive)
{
	double values[NUM_MEASURES];

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct diag diag = {.text = ""};
		struct trace trace;

		ck_assert_msg(!workload_generate(&trace, form->spec, seed,
						 &diag),
			      "%s", diag.text);
		measure(&trace, values);
		add(ours, values);
		trace_destroy(&trace);
		naive_filings(&trace, &form->naive, seed);
		measure(&trace, values);
		add(naive, values);
		trace_destroy(&trace);
	}
}

/* What the source says of its traces: about half of the work is partial. */
static void check_shares(const struct moments *ours)
{
	static const struct {
		int measure;
		double least;
		double most;
	} bounds[] = {
		{MISSES, 0.42, 0.50},
		{PARTIAL, 0.46, 0.55},
		{FULL, 0.03, 0.04},
	};

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		double share = mean(&ours[bounds[i].measure]);

		ck_assert_msg(share >= bounds[i].least &&
				      share <= bounds[i].most,
			      "%s: %.3f", measures[bounds[i].measure], share);
	}
}

START_TEST(test_filings_are_as_the_independent_form_draws_them)
{
	struct moments ours[NUM_MEASURES] = {{0.0, 0.0}};
	struct moments naive[NUM_MEASURES] = {{0.0, 0.0}};

	measure_both(&forms[_i], ours, naive);
	for (int i = 0; i < NUM_MEASURES; i++) {
		double off = 4.0 * sqrt(error(&ours[i]) + error(&naive[i]));
		double a = mean(&ours[i]), b = mean(&naive[i]);

		printf("# %s: %s %.4g, independent %.4g +- %.2g\n",
		       forms[_i].spec, measures[i], a, b, off);
		ck_assert_msg(fabs(a - b) <= off,
			      "%s: %s %.6g, independent %.6g +- %.3g",
			      forms[_i].spec, measures[i], a, b, off);
	}
	if (!_i)
		check_shares(ours);
}
END_TEST

/* Passages of 1,000 tokens, three a prompt, and one token of its own. */
#define THREE                                                        \
	"sec:sigma=0:take-min=3:take-max=3:question-min=1:question-" \
	"max=1:requests=400"

static struct trace make(const char *spec)
{
	struct diag diag = {.text = ""};
	struct trace trace;

	ck_assert_msg(!workload_generate(&trace, spec, 1, &diag), "%s",
		      diag.text);
	return trace;
}

START_TEST(test_passages_without_room_are_dropped_from_the_end)
{
	struct trace all = make(THREE);
	struct trace two = make(THREE ":prompt-max=2999");
	struct trace none = make(THREE ":prompt-max=1000");

	for (size_t i = 0; i < all.num_reqs; i++) {
		ck_assert_uint_eq(all.reqs[i].len, 3001);
		ck_assert_uint_eq(two.reqs[i].len, 2001);
		ck_assert_uint_eq(none.reqs[i].len, 1);
		/* What is left is the beginning of what was there. */
		for (uint32_t k = 0; i && k < two.reqs[i].num_ids; k++)
			ck_assert((nth_id(&two, &two.reqs[i], k) ==
				   nth_id(&two, &two.reqs[0], k)) ==
				  (nth_id(&all, &all.reqs[i], k) ==
				   nth_id(&all, &all.reqs[0], k)));
	}
	trace_destroy(&none);
	trace_destroy(&two);
	trace_destroy(&all);
}
END_TEST

/* All passages of a filing, so its prompts differ by their own token alone. */
START_TEST(test_passages_stand_in_one_order)
{
	struct trace trace = make("sec:documents=1:sigma=0:take-min=8:"
				  "question-min=1:question-max=1:"
				  "take-max=8:requests=50");

	ck_assert_int_eq(trace_shared_ids(&trace), 8000 / 16);
	ck_assert_uint_eq(trace.kv_blocks, 4 * 501);
	trace_destroy(&trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("filings");
	TCase *tcase = tcase_create("filings");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase,
			    test_filings_are_as_the_independent_form_draws_them,
			    0, NUM_FORMS);
	tcase_add_test(tcase,
		       test_passages_without_room_are_dropped_from_the_end);
	tcase_add_test(tcase, test_passages_stand_in_one_order);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
