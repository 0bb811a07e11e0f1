/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <fairway/fairway.h>

#include "lib/base/alloc.h"
#include "lib/sync/gate.h"
#include "lib/sync/inbox.h"
#include "lib/sync/slots.h"
#include "tests/support/run.h"
#include "tests/support/stop_thread.h"
#include "tests/support/torture.h"

/* Longer than any wake-up takes. */
#define TOO_LONG_NS INT64_C(20000000000)

/* A sanitizer adds instructions that are not ours: look at fewer of them. */
#ifdef TORTURE_SLOW
#define STRIDE 7u
#else
#define STRIDE 1u
#endif

static struct fw_inbox inbox;
static struct fw_gate gate;
static struct fw_slots slots;
static struct fw_inbox_node victims;
static uint64_t handle;
static int returned;

static void say(const char *what, uint32_t steps)
{
	printf("# %s: stopped at %u places\n", what, steps / STRIDE);
	fflush(stdout);
	/* A function that was stepped through has some. */
	ck_assert_uint_gt(steps / STRIDE, 5);
}

static void setup(void)
{
	ck_assert_int_eq(fw_inbox_init(&inbox, 1, &fw_allocator_default), 0);
	ck_assert_int_eq(fw_slots_init(&slots, 3, 1, &fw_allocator_default), 0);
	fw_gate_init(&gate);
}

static void teardown(void)
{
	ck_assert(fw_slots_valid(&slots));
	fw_slots_destroy(&slots);
	fw_inbox_destroy(&inbox);
	fw_gate_destroy(&gate);
}

static void push(void *arg)
{
	(void)arg;
	fw_inbox_push(&inbox, &victims);
	fw_gate_wake(&gate);
}

/* How often is @node among what is in the inbox now? */
static uint32_t drain_for(const struct fw_inbox_node *node, uint32_t *others)
{
	struct fw_inbox_node *at = fw_inbox_drain(&inbox, 0);
	uint32_t num = 0;

	for (; at; at = at->next) {
		num += at == node;
		*others += at != node;
	}
	return num;
}

START_TEST(test_push_stopped_anywhere_stops_nobody)
{
	struct fw_inbox_node own[3];
	struct stopper stopper;
	uint32_t step, others, came;
	size_t i;

	ck_assert_int_eq(stopper_init(&stopper, push, NULL), 0);
	for (step = 0; stopper_stop_at(&stopper, step); step += STRIDE) {
		others = 0;
		came = 0;
		for (i = 0; i < 3; i++) {
			fw_inbox_push(&inbox, &own[i]);
			came += drain_for(&victims, &others);
		}
		ck_assert_uint_eq(others, 3);
		stopper_release(&stopper);
		came += drain_for(&victims, &others);
		ck_assert_uint_eq(came, 1);
		ck_assert_uint_eq(others, 3);
	}
	/* The last time it went through. */
	ck_assert_uint_eq(drain_for(&victims, &others), 1);
	stopper_destroy(&stopper);
	say("push and wake", step);
}
END_TEST

/* Sleeps once; did it have to be woken by its time-out? */
static void *sleep_once(void *arg)
{
	bool *overslept = arg;

	*overslept = fw_gate_wait(&gate, TOO_LONG_NS) != 0;
	return NULL;
}

START_TEST(test_wake_stopped_anywhere_lets_another_wake)
{
	struct stopper stopper;
	bool overslept = false;
	uint32_t others = 0;
	pthread_t sleeper;
	uint32_t step;

	ck_assert_int_eq(stopper_init(&stopper, push, NULL), 0);
	for (step = 0;; step += STRIDE) {
		fw_gate_prepare(&gate);
		torture_start(&sleeper, sleep_once, &overslept);
		if (!stopper_stop_at(&stopper, step))
			break;
		fw_gate_wake(&gate);
		pthread_join(sleeper, NULL);
		ck_assert(!overslept);
		stopper_release(&stopper);
		drain_for(&victims, &others);
	}
	pthread_join(sleeper, NULL);
	ck_assert(!overslept);
	stopper_destroy(&stopper);
	say("wake of a sleeper", step);
}
END_TEST

static void submit(void *arg)
{
	uint32_t slot = fw_slot_take(&slots);

	(void)arg;
	handle = fw_slot_submit(&slots, slot, &victims);
	fw_inbox_push(&inbox, &victims);
}

/* Submit, cancel and end a request of our own, on another slot. */
static void go_round(void)
{
	uint32_t slot = fw_slot_take(&slots);
	uint64_t own;
	int owner;

	ck_assert_uint_ne(slot, FW_SLOT_NONE);
	own = fw_slot_submit(&slots, slot, &owner);
	ck_assert(!fw_slot_move(&slots, slot, FW_SLOT_SUBMITTED,
				FW_SLOT_WAITING));
	ck_assert_int_eq(fw_slot_cancel(&slots, own), 0);
	while (fw_slots_next_cancel(&slots) != &owner)
		ck_assert(fw_slot_state(&slots, slot) == FW_SLOT_WAITING);
	ck_assert(fw_slot_end(&slots, slot));
	fw_slot_put(&slots, slot);
}

static bool end_victims(void)
{
	uint32_t slot = fw_slot_of(handle);
	bool cancelled;

	fw_slot_move(&slots, slot, FW_SLOT_SUBMITTED, FW_SLOT_WAITING);
	cancelled = fw_slot_end(&slots, slot);
	fw_slot_put(&slots, slot);
	return cancelled;
}

START_TEST(test_submit_stopped_anywhere_stops_nobody)
{
	struct stopper stopper;
	uint32_t others = 0;
	uint32_t step;

	ck_assert_int_eq(stopper_init(&stopper, submit, NULL), 0);
	for (step = 0; stopper_stop_at(&stopper, step); step += STRIDE) {
		go_round();
		go_round();
		stopper_release(&stopper);
		ck_assert_uint_eq(drain_for(&victims, &others), 1);
		ck_assert(!end_victims());
	}
	ck_assert_uint_eq(drain_for(&victims, &others), 1);
	end_victims();
	stopper_destroy(&stopper);
	say("take, submit and push", step);
}
END_TEST

static void cancel(void *arg)
{
	(void)arg;
	returned = fw_slot_cancel(&slots, handle);
}

/* Its request ends while the canceller stands; others use the slots. */
START_TEST(test_cancel_stopped_anywhere_stops_nobody)
{
	struct stopper stopper;
	bool cancelled;
	uint32_t step;

	ck_assert_int_eq(stopper_init(&stopper, cancel, NULL), 0);
	for (step = 0;; step += STRIDE) {
		handle = fw_slot_submit(&slots, fw_slot_take(&slots), NULL);
		if (!stopper_stop_at(&stopper, step))
			break;
		cancelled = end_victims();
		go_round();
		go_round();
		ck_assert_uint_le(slots.held_back, 1);
		stopper_release(&stopper);
		ck_assert_int_eq(returned == 0, cancelled);
		ck_assert_ptr_null(fw_slots_next_cancel(&slots));
		ck_assert_uint_eq(slots.held_back, 0);
	}
	end_victims();
	fw_slots_next_cancel(&slots);
	stopper_destroy(&stopper);
	say("cancel", step);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stop_producer");
	TCase *tc = tcase_create("parts");

	if (!stopper_possible())
		return 77;
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_push_stopped_anywhere_stops_nobody);
	tcase_add_test(tc, test_wake_stopped_anywhere_lets_another_wake);
	tcase_add_test(tc, test_submit_stopped_anywhere_stops_nobody);
	tcase_add_test(tc, test_cancel_stopped_anywhere_stops_nobody);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
