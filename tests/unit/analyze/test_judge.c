/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/analyze/analyze.h"

static const struct sim_config node = {.device = "a6000", .budget = 2048};

enum {
	LPM = 1,
	FAIRWAY,
	PROTECT,
};

/* Figures of a queue for which nothing is in the way. */
static struct analysis good(void)
{
	const struct queue_spread queue = {.arrivals = 100,
					   .together = 80,
					   .p90_p10 = {10.0, 20.0}};

	return (struct analysis){.requests = 2000,
				 .prompt_tokens = 100,
				 .cached_tokens = 50,
				 .from = QUEUE_SIMULATED,
				 .config = &node,
				 .queue = queue,
				 .simulated = queue,
				 .num = 4,
				 .names = {"fcfs", "lpm", "fairway",
					   "fairway:protect"},
				 .gains = {{0}, {0}, {0.3, 0.1, 0.0}, {0}}};
}

static void assert_verdict(struct analysis a, enum verdict verdict,
			   enum reason reason, const char *says)
{
	char why[ANALYZE_REASON_SIZE];

	analyze_judge(&a);
	reason_text(&a, why, sizeof(why));
	ck_assert_msg(a.verdict == verdict && a.reason == reason &&
			      strstr(why, says) && !strstr(why, "nan"),
		      "%d %d %s", a.verdict, a.reason, why);
}

START_TEST(test_verdicts_at_their_thresholds)
{
	struct analysis a = good();

	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "spread 10.0 times");
	a.gains[FAIRWAY].p50 = 0.19;
	assert_verdict(a, VERDICT_LITTLE, REASON_WIDE, "although");
	a.gains[FAIRWAY].p50 = 0.09;
	assert_verdict(a, VERDICT_NO, REASON_WIDE, "although");
	a.gains[FAIRWAY].p50 = 0.0;
	assert_verdict(a, VERDICT_NO, REASON_WIDE, "the same as");
	a = good();
	a.gains[FAIRWAY].p99 = -0.26;
	assert_verdict(a, VERDICT_LITTLE, REASON_TAIL, "26% longer");
	a.gains[FAIRWAY].p99 = -0.25;
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "25% longer");
}
END_TEST

START_TEST(test_what_stands_in_the_way_is_named)
{
	struct analysis a = good();

	a.gains[FAIRWAY].p50 = 0.05;
	a.queue.together = a.simulated.together = 49;
	assert_verdict(a, VERDICT_NO, REASON_SHORT_QUEUE, "at 51.0%");
	a.gains[FAIRWAY].p50 =
		0.3; /* the simulation has the same queue, and gains */
	assert_verdict(a, VERDICT_PAYS, REASON_SHORT_QUEUE, "although");
	a = good();
	a.gains[FAIRWAY].p50 = 0.05;
	a.cached_tokens = 4;
	assert_verdict(a, VERDICT_NO, REASON_FEW_HITS, "only 4.0%");
	a = good();
	a.gains[FAIRWAY].p50 = 0.05;
	a.queue.p90_p10.p50 = 2.9;
	assert_verdict(a, VERDICT_NO, REASON_NARROW, "only 2.9 times");
}
END_TEST

/* The same as a log whose times are those of its simulation. */
static struct analysis logged(void)
{
	struct analysis a = good();

	a.form = "log";
	a.from = QUEUE_LOGGED;
	a.num = 3;
	a.match = (struct match){
		.times = LOG_STARTS,
		.logged = {NULL, 1.0, 4.0, 1.0},
		.simulated = {"a6000", 1.0, 4.0, 1.0},
	};
	return a;
}

START_TEST(test_the_order_that_gains_most_is_named)
{
	struct analysis a = good();

	a.gains[FAIRWAY] = (struct gain){0.04, 0.0, 0.0};
	a.gains[PROTECT] = (struct gain){0.22, 0.36, 0.0};
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE,
		       "fairway:protect's simulated median is 22% shorter");
	a.gains[LPM] = (struct gain){0.5, 0.0, 0.0};
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "lpm's simulated");
}
END_TEST

START_TEST(test_an_order_that_loses_the_tail_is_the_last_choice)
{
	struct analysis a = good();

	a.gains[LPM] = (struct gain){0.9, -0.3, 0.0};
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "fairway's simulated");
	a.gains[FAIRWAY] = (struct gain){0.05, 0.5, 0.0};
	assert_verdict(a, VERDICT_LITTLE, REASON_TAIL, "lpm's simulated");
}
END_TEST

/* Of a flood's 1,400 requests twenty wait for all others: a p99 hides them. */
START_TEST(test_an_order_that_starves_a_few_is_the_last_choice_too)
{
	struct analysis a = good();

	a.gains[LPM] = (struct gain){0.9, 0.8, -4.2};
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "fairway's simulated");
	a.gains[FAIRWAY].p50 = 0.05;
	assert_verdict(a, VERDICT_LITTLE, REASON_TAIL, "longest 5.2 times");
}
END_TEST

START_TEST(test_medians_about_equal_leave_it_to_the_p99)
{
	struct analysis a = good();

	a.gains[LPM] = (struct gain){0.34, -0.2, 0.0};
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "fairway's simulated");
	a.gains[LPM].p50 = 0.36;
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "lpm's simulated");
}
END_TEST

static void assert_untold(struct analysis a, const char *says)
{
	char why[ANALYZE_REASON_SIZE];

	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, says);
	analyze_judge(&a);
	reason_text(&a, why, sizeof(why));
	ck_assert_msg(!strstr(why, "10%"), "%s", why);
	ck_assert(!analyze_tells_p99(&a, FAIRWAY));
}

START_TEST(test_a_p99_gain_that_a_log_cannot_show_is_not_told)
{
	struct analysis a = logged();

	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "its p99 10% shorter");
	a.requests = 999;
	assert_untold(a, "999 requests are too few");
	a = logged();
	a.match = (struct match){.times = LOG_NO_TIMES};
	assert_untold(a, "a log without times does not tell");
	a.gains[FAIRWAY].p99 = -0.1; /* a loss is a warning */
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "its p99 10% longer");
}
END_TEST

/* No gain is told; it would be read as one of the logged node. */
static void assert_other_node(struct analysis a, const char *says)
{
	char why[ANALYZE_REASON_SIZE];

	assert_verdict(a, VERDICT_OTHER_NODE, REASON_OTHER_NODE, says);
	analyze_judge(&a);
	reason_text(&a, why, sizeof(why));
	ck_assert_msg(!strstr(why, "shorter"), "%s", why);
}

START_TEST(test_times_far_apart_are_of_another_node)
{
	struct analysis a = logged();

	a.match.simulated = (struct node_times){"a6000", 2.0, 4.0, 2.0};
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "fairway's");
	a.match.simulated = (struct node_times){"a6000", 2.1, 4.0, 2.1};
	assert_other_node(a, "a median of 1.000 s and a p99 of 4.000 s in the "
			     "log, of 2.100 s and 4.000 s");
}
END_TEST

START_TEST(test_queues_far_apart_are_of_another_node)
{
	struct analysis a = logged();

	a.simulated.together = 39;
	assert_other_node(a, "80.0% of the arrivals in the log and at 39.0%");
	a.simulated.together = 1; /* of two short queues neither says much */
	a.queue.together = 5;
	a.gains[FAIRWAY].p50 = 0.0;
	assert_verdict(a, VERDICT_NO, REASON_SHORT_QUEUE, "fewer than two");
}
END_TEST

static Suite *judge_suite(void)
{
	Suite *suite = suite_create("judge");
	TCase *orders = tcase_create("orders");
	TCase *node_case = tcase_create("node");

	tcase_add_test(orders, test_verdicts_at_their_thresholds);
	tcase_add_test(orders, test_what_stands_in_the_way_is_named);
	tcase_add_test(orders, test_the_order_that_gains_most_is_named);
	tcase_add_test(orders,
		       test_an_order_that_loses_the_tail_is_the_last_choice);
	tcase_add_test(orders,
		       test_an_order_that_starves_a_few_is_the_last_choice_too);
	tcase_add_test(orders, test_medians_about_equal_leave_it_to_the_p99);
	tcase_add_test(orders,
		       test_a_p99_gain_that_a_log_cannot_show_is_not_told);
	tcase_add_test(node_case, test_times_far_apart_are_of_another_node);
	tcase_add_test(node_case, test_queues_far_apart_are_of_another_node);
	suite_add_tcase(suite, orders);
	suite_add_tcase(suite, node_case);
	return suite;
}

int main(void)
{
	return run_suite(judge_suite());
}
