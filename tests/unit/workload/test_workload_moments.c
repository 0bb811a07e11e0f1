/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/workload/workload.h"

/*
 * The forms of what workloads draw, beyond medians and rates: gaps, spreads and
 * exponents, at fixed seeds. Each share is of n draws, so that its deviation is
 * sqrt(p (1 - p) / n); four of them are allowed.
 */

static struct trace make(const char *spec, uint64_t seed)
{
	struct diag diag = {0};
	struct trace trace;
	int err = workload_generate(&trace, spec, seed, &diag);

	ck_assert_msg(!err, "%s: %s", spec, diag.text);
	return trace;
}

static void check_share(const char *what, size_t got, size_t of, double want)
{
	double share = (double)got / (double)of;
	double off = 4.0 * sqrt(want * (1.0 - want) / (double)of);

	ck_assert_msg(fabs(share - want) <= off,
		      "%s: %.4f, expected %.4f +- %g", what, share, want, off);
}

/* Prompts of at most so many tokens. */
static size_t at_most(const struct trace *trace, double len)
{
	size_t num = 0;

	for (size_t i = 0; i < trace->num_reqs; i++)
		num += trace->reqs[i].len <= len;
	return num;
}

/* Gaps between arrivals that are below @ms; those on whole ms count half. */
static size_t gaps_below(const struct trace *trace, double ms)
{
	size_t twice = 0;

	for (size_t i = 1; i < trace->num_reqs; i++) {
		const struct trace_req *req = &trace->reqs[i];
		double gap = req->arrival_ms - req[-1].arrival_ms;

		twice += 2 * (gap < ms) + (gap == ms);
	}
	return twice / 2;
}

/* Half of the gaps are below ln 2 / rate, nine tenths below ln 10 / rate. */
START_TEST(test_gaps_are_exponential)
{
	static const struct {
		const char *spec;
		double rate;
	} rates[] = {
		{"sec:requests=8000", 2.5},
		{"musique-unique:requests=8000", 3},
		{"musique:requests=8000", 10},
		{"mixed-halves:requests=8000", 1.5},
		{"toolagent:requests=8000:rate=7", 7},
	};
	struct trace trace = make(rates[_i].spec, 21);
	double ms = 1000.0 / rates[_i].rate;
	size_t num = trace.num_reqs - 1;

	check_share("a tenth", gaps_below(&trace, round(-log(0.9) * ms)), num,
		    1.0 - exp(-round(-log(0.9) * ms) / ms));
	check_share("half", gaps_below(&trace, round(log(2) * ms)), num,
		    1.0 - exp(-round(log(2) * ms) / ms));
	check_share("nine tenths", gaps_below(&trace, round(log(10) * ms)), num,
		    1.0 - exp(-round(log(10) * ms) / ms));
	trace_destroy(&trace);
}
END_TEST

/* Of a log-normal: median, and a deviation to both sides. */
static void check_lognormal(const struct trace *trace, double added,
			    double median, double sigma)
{
	size_t num = trace->num_reqs;

	/* Lengths are rounded: the border lies half a token further. */
	check_share("median", at_most(trace, added + round(median)), num,
		    0.5 * erfc(-log((round(median) + 0.5) / median) / sigma /
			       sqrt(2)));
	for (int side = -1; side <= 1; side += 2) {
		double len = round(median * exp(side * sigma));

		check_share(side < 0 ? "a deviation down" : "a deviation up",
			    at_most(trace, added + len), num,
			    0.5 * erfc(-log((len + 0.5) / median) / sigma /
				       sqrt(2)));
	}
}

START_TEST(test_paragraphs_are_lognormal)
{
	struct trace trace =
		make("musique-unique:paragraphs=1:repeat=0:question-min=9:"
		     "question-max=9:requests=6000",
		     22);
	struct trace retrieved =
		make("musique:paragraphs=1:documents=1000000:zipf=0:"
		     "question-min=9:question-max=9:requests=6000",
		     22);

	check_lognormal(&trace, 9, 95, 0.55);
	check_lognormal(&retrieved, 9, 95, 0.55);
	trace_destroy(&trace);
	trace_destroy(&retrieved);
}
END_TEST

START_TEST(test_questions_of_paragraphs_are_lognormal)
{
	struct trace trace = make("musique-unique:paragraphs=1:min=100:max=100:"
				  "requests=6000",
				  23);

	check_lognormal(&trace, 100, 18, 0.29);
	trace_destroy(&trace);
}
END_TEST

static int falling(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* Paragraphs of 96 tokens, so that each has a block of its own to count. */
START_TEST(test_retrieval_is_popular_by_zipf)
{
	struct trace trace = make("musique:paragraphs=1:sigma=0:"
				  "median=96:requests=20000",
				  24);
	size_t *met = calloc(largest_id(&trace) + 1, sizeof(*met));
	double sum = 0.0;

	ck_assert_ptr_nonnull(met);
	for (int k = 1; k <= 5021; k++)
		sum += pow(k, -1.1);
	for (size_t i = 0; i < trace.num_reqs; i++)
		met[nth_id(&trace, &trace.reqs[i], 0)]++;
	qsort(met, largest_id(&trace) + 1, sizeof(*met), falling);
	for (int k = 1; k <= 16; k *= 4)
		check_share("rank", met[k - 1], 20000, pow(k, -1.1) / sum);
	free(met);
	trace_destroy(&trace);
}
END_TEST

struct session {
	double last_ms;
	uint32_t last_len;
	uint32_t turns;
};

/* What the sessions of an agent do between their turns. */
START_TEST(test_agents_think_and_grow_as_stated)
{
	struct trace trace = make("agent:sessions=300", 25);
	struct session *sessions =
		calloc(largest_id(&trace) + 1, sizeof(*sessions));
	size_t down = 0, up = 0, grown = 0, turns = 0, few = 0;

	ck_assert_ptr_nonnull(sessions);
	for (size_t i = 0; i < trace.num_reqs; i++) {
		const struct trace_req *req = &trace.reqs[i];
		struct session *s = &sessions[nth_id(&trace, req, 0)];
		double think = req->arrival_ms - s->last_ms;

		grown += req->len - s->last_len <= 650;
		if (s->turns++) {
			down += think <= 5000 * exp(-1);
			up += think <= 5000 * exp(1);
			turns++;
		}
		s->last_ms = req->arrival_ms;
		s->last_len = req->len;
	}
	check_share("a deviation down", down, turns, 0.1587);
	check_share("a deviation up", up, turns, 0.8413);
	check_share("a quarter of the growth", grown, trace.num_reqs,
		    451.0 / 1801);
	for (uint64_t id = 0; id <= largest_id(&trace); id++)
		few += sessions[id].turns && sessions[id].turns <= 22;
	check_share("half of the turns", few, 300, 0.5);
	free(sessions);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_own_tokens_are_uniform)
{
	struct trace trace = make("toolagent:requests=8000", 26);
	struct trace mixed = make("mixed-halves:requests=8000", 26);
	size_t num_short = at_most(&mixed, 999);

	check_share("a tenth", at_most(&trace, 6000 + 244), 8000, 195.0 / 1951);
	check_share("nine tenths", at_most(&trace, 6000 + 1805), 8000,
		    1756.0 / 1951);
	check_share("half of the short", at_most(&mixed, 549), num_short,
		    450.0 / 900);
	check_share("a quarter of the long", at_most(&mixed, 10000) - num_short,
		    8000 - num_short, 2001.0 / 8001);
	trace_destroy(&mixed);
	trace_destroy(&trace);
}
END_TEST

/* The flood's own arrivals, after a backlog that stands still. */
START_TEST(test_flood_gaps_are_exponential)
{
	struct trace trace = make("flood", 27);
	size_t below = 0, num = 0;

	for (size_t i = 1; i < trace.num_reqs; i++) {
		const struct trace_req *req = &trace.reqs[i];

		if (req->phase != 3 || req[-1].phase != 3)
			continue;
		/* Of two rounded times, 69 ms and less are below 69.5. */
		below += req->arrival_ms - req[-1].arrival_ms <= 69;
		num++;
	}
	check_share("half", below, num, 1.0 - exp(-0.0695 * 10));
	trace_destroy(&trace);
}
END_TEST

static Suite *moments_suite(void)
{
	Suite *suite = suite_create("moments");
	TCase *tcase = tcase_create("workloads");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_gaps_are_exponential, 0, 5);
	tcase_add_test(tcase, test_paragraphs_are_lognormal);
	tcase_add_test(tcase, test_questions_of_paragraphs_are_lognormal);
	tcase_add_test(tcase, test_retrieval_is_popular_by_zipf);
	tcase_add_test(tcase, test_agents_think_and_grow_as_stated);
	tcase_add_test(tcase, test_own_tokens_are_uniform);
	tcase_add_test(tcase, test_flood_gaps_are_exponential);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(moments_suite());
}
