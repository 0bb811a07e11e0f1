/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "by_hand.h"

/*
 * What the runtime promises about a request on its way in, and what callbacks
 * and figures say of it.
 */

START_TEST(test_a_request_is_computed_and_given_back)
{
	const struct fw_result *result = &ends[0].result;

	open_depth(1, 100);
	submit(0);
	ck_assert_int_eq(fw_step(fw), 1);
	ck_assert_uint_eq(hand.num, 1);
	ck_assert_uint_eq(hand.plans[0]->num_tokens, BUDGET);
	end_plan(0);
	ck_assert_uint_eq(num_ends, 0);
	ck_assert_uint_eq(hand.plans[0]->entries[0].flags, FW_PLAN_LAST);
	end_plan(0);
	expect(0, FW_DONE, FW_REASON_NONE);
	ck_assert_uint_eq(result->cached, 0);
	ck_assert_uint_eq(result->computed, 100);
	ck_assert_int_eq(result->status, 0);
	ck_assert_int_le(reqs[0].arrival, result->admitted);
	ck_assert_int_le(result->admitted, result->ended);
	/* The same prompt again: all but its last token may be hit. */
	memset(reqs[0].priv, 0, sizeof(reqs[0].priv));
	submit(0);
	finish();
	ck_assert_uint_eq(ends[0].times, 2);
	ck_assert_uint_eq(result->cached, 96);
	ck_assert_uint_eq(result->computed, 4);
	close_all();
}
END_TEST

START_TEST(test_a_full_queue_refuses_at_once)
{
	struct fw_config config = defaults(1);
	struct fw_request before;

	config.max_waiting = 3;
	config.max_running = 1;
	open_with(&config, 100);
	submit_many(3);
	before = reqs[3];
	ck_assert_int_eq(fw_submit(fw, &reqs[3], NULL), -EAGAIN);
	ck_assert_mem_eq(&before, &reqs[3], sizeof(before));
	ck_assert_uint_eq(stats().refused, 1);
	/* One was admitted: its place is free, though it still runs. */
	settle();
	submit(3);
	ck_assert_int_eq(fw_submit(fw, &reqs[4], NULL), -EAGAIN);
	finish();
	for (uint32_t i = 0; i < 4; i++)
		expect(i, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

/* Until its callback a request is the runtime's, so it is not taken twice. */
START_TEST(test_a_request_that_has_not_ended_is_refused)
{
	struct fw_request before;

	open_depth(1, 40);
	submit(0);
	before = reqs[0];
	ck_assert_int_eq(fw_submit(fw, &reqs[0], NULL), -EBUSY);
	ck_assert_mem_eq(&before, &reqs[0], sizeof(before));
	settle();
	ck_assert(hand_computes(&hand, 0));
	ck_assert_int_eq(fw_submit(fw, &reqs[0], NULL), -EBUSY);
	submit(1);
	settle();
	ck_assert_int_eq(fw_submit(fw, &reqs[1], NULL), -EBUSY);
	finish();
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(1, FW_DONE, FW_REASON_NONE);
	/* Ended, it may come again, and so may one whose priv is anything. */
	submit(0);
	memset(reqs[2].priv, 0xff, sizeof(reqs[2].priv));
	submit(2);
	memset(reqs[3].priv, 1, sizeof(reqs[3].priv));
	submit(3);
	finish();
	ck_assert_uint_eq(ends[0].times, 2);
	expect(2, FW_DONE, FW_REASON_NONE);
	expect(3, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

START_TEST(test_bytes_bound_the_queue_too)
{
	struct fw_config config = defaults(1);

	/* Each takes 256 bytes and 16 for each of 6 keys. */
	config.max_bytes = 2 * 352 + 351;
	open_with(&config, 100);
	submit_many(2);
	ck_assert_int_eq(fw_submit(fw, &reqs[2], NULL), -EAGAIN);
	ck_assert_uint_eq(stats().queued_bytes, 704);
	reqs[3].num_keys = 5;
	submit(3);
	finish();
	ck_assert_uint_eq(stats().queued_bytes, 0);
	ck_assert_uint_eq(stats().done, 3);
	close_all();
}
END_TEST

START_TEST(test_requests_out_of_form_are_refused_untouched)
{
	struct fw_request before;

	open_depth(1, 100);
	reqs[0].len = 0;
	reqs[1].flags = 1;
	reqs[2].reserved[6] = 1;
	reqs[3].reserved32 = 1;
	reqs[4].priority = 1;
	reqs[5].max_wait = -1;
	reqs[6].num_keys = 7;
	reqs[7].keys = NULL;
	reqs[8].len = (uint32_t)INT32_MAX + 1;
	for (uint32_t i = 0; i < 9; i++) {
		before = reqs[i];
		handles[i] = 77;
		ck_assert_int_eq(fw_submit(fw, &reqs[i], &handles[i]), -EINVAL);
		ck_assert_mem_eq(&before, &reqs[i], sizeof(before));
		ck_assert_uint_eq(handles[i], 77);
	}
	ck_assert_uint_eq(stats().queued, 0);
	close_all();
}
END_TEST

START_TEST(test_what_never_fits_is_rejected)
{
	open_depth(1, 100);
	reqs[0].len = 64 * BLOCK;
	reqs[1].len = 64 * BLOCK + 1;
	submit_many(2);
	settle();
	expect(1, FW_REJECTED, FW_REASON_TOO_LONG);
	finish();
	expect(0, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

START_TEST(test_a_higher_class_goes_first)
{
	const uint32_t expected[] = {5, 3, 4, 1, 0, 2};
	struct fw_config config = defaults(1);

	config.num_classes = 4;
	config.max_running = 1;
	open_with(&config, BUDGET);
	reqs[1].priority = 1;
	reqs[3].priority = reqs[4].priority = 2;
	reqs[5].priority = 3;
	submit_many(6);
	finish();
	ck_assert_uint_eq(num_ends, 6);
	ck_assert_mem_eq(order_of_ends, expected, sizeof(expected));
	close_all();
}
END_TEST

static struct fw_request *reborn;

/* All that a callback may do, and what it may not. */
static void on_done_busy(void *ctx, struct fw_request *req,
			 const struct fw_result *result)
{
	on_done(ctx, req, result);
	ck_assert_int_eq(fw_step(fw), -EDEADLK);
	ck_assert_int_eq(fw_wait(fw, 0), -EDEADLK);
	ck_assert_int_eq(fw_run(fw), -EDEADLK);
	ck_assert_int_eq(fw_close(fw, -1), -EDEADLK);
	if (req == reborn) {
		free(req);
		return;
	}
	if (req->id == 0) {
		reborn = malloc(sizeof(*reborn));
		*reborn = reqs[10];
		ck_assert_int_eq(fw_submit(fw, reborn, NULL), 0);
		ck_assert_int_eq(fw_cancel(fw, handles[1]), 0);
		memset(req, 0xee, sizeof(*req));
	}
}

START_TEST(test_callbacks_may_submit_cancel_and_free)
{
	struct fw_config config = defaults(1);

	config.done = on_done_busy;
	config.max_running = 1;
	open_with(&config, 40);
	submit_many(3);
	finish();
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(1, FW_CANCELLED, FW_REASON_CANCEL);
	expect(2, FW_DONE, FW_REASON_NONE);
	expect(10, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

START_TEST(test_the_embedder_has_a_say_in_admission)
{
	struct fw_config config = defaults(1);

	config.admit = on_admit;
	open_with(&config, 20);
	answers[0] = FW_ADMIT_SKIP;
	answers[1] = FW_ADMIT_NEVER;
	answers[3] = FW_ADMIT_FULL;
	submit_many(5);
	settle();
	expect(1, FW_REJECTED, FW_REASON_REFUSED);
	ck_assert_uint_eq(hand.plans[0]->num_entries, 1);
	ck_assert(hand_computes(&hand, 2));
	ck_assert_uint_eq(stats().step_ends[FW_STEP_MEMORY], 1);
	end_plan(0);
	ck_assert_uint_eq(hand.num, 0);
	answers[0] = answers[3] = FW_ADMIT_FITS;
	ck_assert_int_eq(fw_poke(fw), 0);
	ck_assert_int_eq(fw_wait(fw, -1), 1);
	finish();
	ck_assert_uint_eq(stats().done, 4);
	ck_assert_uint_ge(stats().skipped, 1);
	close_all();
}
END_TEST

START_TEST(test_each_admission_is_explained)
{
	struct fw_config config = defaults(1);

	config.decided = on_decided;
	open_with(&config, 32);
	submit_many(3);
	finish();
	ck_assert_uint_eq(num_decisions, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct fw_decision *d = &decisions[i];

		ck_assert_ptr_eq(d->request, &reqs[i]);
		ck_assert_uint_eq(d->cost, 32);
		ck_assert_uint_eq(d->hit + d->cached, 0);
		ck_assert(d->wait >= 0.0 && d->score >= 0.0);
	}
	ck_assert_uint_eq(decisions[0].position, 0);
	ck_assert_uint_eq(decisions[1].position, 1);
	ck_assert_uint_eq(decisions[2].position, 0);
	ck_assert_uint_eq(decisions[0].step, decisions[1].step);
	ck_assert_uint_eq(decisions[0].waiting, 2);
	close_all();
}
END_TEST

START_TEST(test_figures_say_what_happened)
{
	struct fw_distribution batch = {.size = sizeof(batch)};
	struct fw_stats s;

	open_depth(1, 100);
	submit_many(3);
	settle();
	s = stats();
	ck_assert_uint_eq(s.submitted, 3);
	ck_assert_uint_eq(s.waiting, 2);
	ck_assert_uint_eq(s.queued, 2);
	ck_assert_uint_eq(s.running, 1);
	ck_assert_uint_eq(s.uncached_waiting, 200);
	ck_assert_uint_eq(s.blocks, 64);
	ck_assert_uint_eq(s.blocks_free, 57);
	finish();
	s = stats();
	ck_assert_uint_eq(s.done, 3);
	ck_assert_uint_eq(s.plan_tokens, 300);
	ck_assert_uint_eq(s.prompt_tokens, 300);
	ck_assert_uint_eq(s.released_fast + s.released_fair, 3);
	ck_assert_uint_eq(s.plans, 5);
	ck_assert_int_eq(fw_read_distribution(fw, FW_METRIC_BATCH, &batch), 0);
	ck_assert_uint_eq(batch.count, 5);
	ck_assert_uint_eq(batch.sum, 300);
	ck_assert_uint_eq(batch.max, BUDGET);
	ck_assert_int_eq(fw_read_distribution(fw, FW_METRICS, &batch), -EINVAL);
	s.size = 0;
	ck_assert_int_eq(fw_read_stats(fw, &s), -EINVAL);
	close_all();
}
END_TEST

START_TEST(test_the_text_form_is_cut_as_snprintf_does)
{
	const struct fw_label label = {"engine", "a \"b\"\n"};
	const struct fw_label bad = {"0engine", "x"};
	static char text[65536], part[100];
	int64_t len;

	open_depth(1, 100);
	submit_many(1);
	finish();
	len = fw_stats_text(fw, &label, 1, text, sizeof(text));
	ck_assert_int_gt(len, 1000);
	ck_assert_uint_eq(strlen(text), (size_t)len);
	ck_assert_ptr_nonnull(
		strstr(text, "\nfairway_ended_total{engine=\"a \\\"b\\\"\\n\","
			     "outcome=\"done\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "# TYPE fairway_ttft_seconds "));
	ck_assert_int_ge(fw_stats_text(fw, &label, 1, part, sizeof(part)),
			 len - 100);
	ck_assert_uint_eq(strlen(part), sizeof(part) - 1);
	ck_assert_int_gt(fw_stats_text(fw, NULL, 0, NULL, 0), 1000);
	ck_assert_int_eq(fw_stats_text(fw, &bad, 1, text, sizeof(text)),
			 -EINVAL);
	close_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime");
	TCase *tcase = tcase_create("runtime");

	tcase_add_test(tcase, test_a_request_is_computed_and_given_back);
	tcase_add_test(tcase, test_a_full_queue_refuses_at_once);
	tcase_add_test(tcase, test_a_request_that_has_not_ended_is_refused);
	tcase_add_test(tcase, test_bytes_bound_the_queue_too);
	tcase_add_test(tcase, test_requests_out_of_form_are_refused_untouched);
	tcase_add_test(tcase, test_what_never_fits_is_rejected);
	tcase_add_test(tcase, test_a_higher_class_goes_first);
	tcase_add_test(tcase, test_callbacks_may_submit_cancel_and_free);
	tcase_add_test(tcase, test_the_embedder_has_a_say_in_admission);
	tcase_add_test(tcase, test_each_admission_is_explained);
	tcase_add_test(tcase, test_figures_say_what_happened);
	tcase_add_test(tcase, test_the_text_form_is_cut_as_snprintf_does);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
