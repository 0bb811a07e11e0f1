/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sync/slots.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "lib/sync/bound.h"
#include "tests/support/run.h"
#include "tests/support/torture.h"

#define PRODUCERS 6
#define SLOTS 37
#define MAX_BYTES 600

/**
 * struct record - one request, kept to the end to be checked
 * @node: hook in the inbox
 * @handle: 0 until it was submitted
 * @slot: its slot
 * @bytes: what it reserved
 * @told: cancels that returned 0
 * @ended: times it ended
 * @cancelled: as what it ended
 * @seen: how often fw_slots_next_cancel() gave it; the scheduler's
 */
struct record {
	struct fw_inbox_node node;
	_Atomic uint64_t handle;
	uint32_t slot;
	uint32_t bytes;
	_Atomic uint32_t told;
	uint32_t ended;
	bool cancelled;
	uint32_t seen;
};

struct producer {
	pthread_t thread;
	struct draw draw;
	uint32_t first;
	uint32_t wrong;
};

static uint64_t seed;
static struct fw_slots slots;
static struct fw_inbox inbox;
static struct fw_bound bytes;
static struct producer producers[PRODUCERS];
static struct record *records;
static uint32_t each;
static _Atomic uint32_t submitted;

/* Retries as an engine would that was told -EAGAIN. */
static void submit(struct producer *own, struct record *record)
{
	uint64_t handle;

	record->bytes = draw_below(&own->draw, MAX_BYTES / 10);
	while (!fw_bound_reserve(&bytes, record->bytes))
		sched_yield();
	while ((record->slot = fw_slot_take(&slots)) == FW_SLOT_NONE)
		sched_yield();
	torture_pause(&own->draw);
	/* Now and then think better of it. */
	if (one_in(&own->draw, 16)) {
		fw_slot_put(&slots, record->slot);
		while ((record->slot = fw_slot_take(&slots)) == FW_SLOT_NONE)
			sched_yield();
	}
	handle = fw_slot_submit(&slots, record->slot, record);
	fw_inbox_push(&inbox, &record->node);
	/* Release: others may cancel it from here on. */
	atomic_store_explicit(&record->handle, handle, memory_order_release);
	atomic_fetch_add(&submitted, 1);
}

/* Any request of any producer, mostly one that is still there. */
static struct record *choose(struct producer *own, uint32_t i)
{
	uint32_t who = draw_below(&own->draw, PRODUCERS);
	uint32_t back =
		draw_below(&own->draw, one_in(&own->draw, 8) ? each : 8);

	return &records[who * each + (i > back ? i - back : 0)];
}

static void cancel(struct producer *own, uint32_t i)
{
	struct record *record = choose(own, i);
	uint64_t handle;
	int err;

	handle = atomic_load_explicit(&record->handle, memory_order_acquire);
	if (!handle)
		return;
	err = fw_slot_cancel(&slots, handle);
	if (!err)
		atomic_fetch_add(&record->told, 1);
	else if (err != -ENOENT && err != -EALREADY)
		own->wrong++;
}

static void *produce(void *arg)
{
	struct producer *own = arg;
	uint32_t i;

	for (i = 0; i < each; i++) {
		submit(own, &records[own->first + i]);
		while (one_in(&own->draw, 2))
			cancel(own, i);
		torture_pause(&own->draw);
	}
	return NULL;
}

/* What the scheduler holds: in any order. */
static struct record *held[SLOTS];
static uint32_t num_held;

static void end_held(uint32_t i)
{
	struct record *record = held[i];

	held[i] = held[--num_held];
	record->cancelled = fw_slot_end(&slots, record->slot);
	record->ended++;
	fw_bound_release(&bytes, record->bytes);
	fw_slot_put(&slots, record->slot);
}

/* Ends at once what was cancelled before it arrived. */
static void ingest(void)
{
	struct fw_inbox_node *node, *next;
	struct record *record;
	uint32_t i;

	for (i = 0; i < inbox.num_shards; i++) {
		for (node = fw_inbox_drain(&inbox, i); node; node = next) {
			next = node->next;
			record = container_of(node, struct record, node);
			held[num_held++] = record;
			if (fw_slot_move(&slots, record->slot,
					 FW_SLOT_SUBMITTED, FW_SLOT_WAITING))
				end_held(num_held - 1);
		}
	}
}

static void end_cancelled(void)
{
	struct record *record;
	uint32_t i;

	while ((record = fw_slots_next_cancel(&slots))) {
		record->seen++;
		for (i = 0; held[i] != record; i++)
			;
		end_held(i);
	}
}

static void step(struct draw *draw)
{
	uint32_t i;

	ingest();
	if (one_in(draw, 2))
		end_cancelled();
	for (i = 0; i < num_held; i++)
		if (one_in(draw, 3) &&
		    fw_slot_state(&slots, held[i]->slot) == FW_SLOT_WAITING)
			fw_slot_move(&slots, held[i]->slot, FW_SLOT_WAITING,
				     FW_SLOT_RUNNING);
	while (num_held && one_in(draw, 2))
		end_held(draw_below(draw, num_held));
}

static void check_records(void)
{
	uint32_t num_cancelled = 0;
	uint32_t i;

	for (i = 0; i < PRODUCERS * each; i++) {
		ck_assert_uint_eq(records[i].ended, 1);
		ck_assert_uint_eq(records[i].told, records[i].cancelled);
		ck_assert_uint_le(records[i].seen, records[i].told);
		num_cancelled += records[i].cancelled;
	}
	printf("# %u requests, %u cancelled, %" PRIu64 " refused for bytes\n",
	       PRODUCERS * each, num_cancelled, fw_bound_refused(&bytes));
	fflush(stdout);
	/* Else it tested little. */
	ck_assert_uint_gt(num_cancelled, PRODUCERS * each / 50);
}

START_TEST(test_each_ends_once_as_its_cancels_were_told)
{
	struct draw draw = {seed ^ 1};
	uint32_t i;

	each = torture_rounds(30000);
	records = calloc((size_t)PRODUCERS * each, sizeof(*records));
	fw_bound_init(&bytes, MAX_BYTES);
	ck_assert_int_eq(fw_inbox_init(&inbox, 4, &fw_allocator_default), 0);
	ck_assert_int_eq(fw_slots_init(&slots, SLOTS, 4, &fw_allocator_default),
			 0);
	for (i = 0; i < PRODUCERS; i++) {
		producers[i].draw.state = seed + i;
		producers[i].first = i * each;
		torture_start(&producers[i].thread, produce, &producers[i]);
	}
	while (atomic_load(&submitted) < PRODUCERS * each || num_held) {
		step(&draw);
		torture_pause(&draw);
	}
	for (i = 0; i < PRODUCERS; i++) {
		pthread_join(producers[i].thread, NULL);
		ck_assert_uint_eq(producers[i].wrong, 0);
	}
	ingest();
	while (num_held)
		end_held(0);
	ck_assert_ptr_null(fw_slots_next_cancel(&slots));
	check_records();
	ck_assert_uint_eq(slots.held_back, 0);
	ck_assert_uint_eq(fw_bound_used(&bytes), 0);
	ck_assert(fw_slots_valid(&slots));
	fw_slots_destroy(&slots);
	fw_inbox_destroy(&inbox);
	free(records);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("torture_slots");
	TCase *tc = tcase_create("slots");

	seed = draw_seed();
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_each_ends_once_as_its_cancels_were_told);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
