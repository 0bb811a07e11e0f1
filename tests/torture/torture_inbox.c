/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sync/inbox.h"

#include <stdlib.h>

#include "lib/base/alloc.h"
#include "tests/support/run.h"
#include "tests/support/torture.h"

#define PRODUCERS 8
#define NODES 16

/**
 * struct item - what is pushed, over and over
 * @node: hook
 * @producer: whose it is
 * @number: which of its pushes this is; written before the push
 * @home: the consumer has handed it back
 */
struct item {
	struct fw_inbox_node node;
	uint32_t producer;
	uint32_t number;
	_Atomic bool home;
};

struct producer {
	pthread_t thread;
	struct draw draw;
	uint32_t pushes;
	struct item items[NODES];
};

static uint64_t seed;
static struct fw_inbox inbox;
static struct producer producers[PRODUCERS];

static void *produce(void *arg)
{
	struct producer *own = arg;
	struct item *item;
	uint32_t i;

	for (i = 0; i < own->pushes; i++) {
		item = &own->items[i % NODES];
		while (!atomic_load_explicit(&item->home, memory_order_acquire))
			sched_yield();
		atomic_store_explicit(&item->home, false, memory_order_relaxed);
		item->number = i;
		fw_inbox_push(&inbox, &item->node);
		torture_pause(&own->draw);
	}
	return NULL;
}

static void start_producers(uint32_t pushes)
{
	uint32_t i, j;

	for (i = 0; i < PRODUCERS; i++) {
		producers[i].pushes = pushes;
		producers[i].draw.state = seed + i;
		for (j = 0; j < NODES; j++) {
			producers[i].items[j].producer = i;
			atomic_store(&producers[i].items[j].home, true);
		}
	}
	for (i = 0; i < PRODUCERS; i++)
		torture_start(&producers[i].thread, produce, &producers[i]);
}

/* Hand back one chain; how many were not next in their producer's order. */
static uint32_t take_chain(struct fw_inbox_node *node, uint32_t *taken)
{
	struct fw_inbox_node *next;
	uint32_t wrong = 0;
	struct item *item;

	for (; node; node = next) {
		next = node->next;
		item = container_of(node, struct item, node);
		wrong += item->number != taken[item->producer]++;
		/* Release: the producer writes the item again. */
		atomic_store_explicit(&item->home, true, memory_order_release);
	}
	return wrong;
}

static bool all_taken(const uint32_t *taken, uint32_t pushes)
{
	uint32_t i;

	for (i = 0; i < PRODUCERS; i++)
		if (taken[i] < pushes)
			return false;
	return true;
}

START_TEST(test_nothing_is_lost_and_each_producers_order_kept)
{
	static const uint32_t shards[] = {1, 4, 16};
	uint32_t pushes = torture_rounds(100000);
	uint32_t taken[PRODUCERS] = {0};
	uint32_t wrong = 0;
	uint32_t i;

	ck_assert_int_eq(fw_inbox_init(&inbox, shards[_i],
				       &fw_allocator_default),
			 0);
	start_producers(pushes);
	/* Too few would hang here until check's time is over. */
	while (!all_taken(taken, pushes)) {
		for (i = 0; i < inbox.num_shards; i++)
			wrong += take_chain(fw_inbox_drain(&inbox, i), taken);
		sched_yield();
	}
	for (i = 0; i < PRODUCERS; i++) {
		pthread_join(producers[i].thread, NULL);
		ck_assert_uint_eq(taken[i], pushes);
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert(fw_inbox_empty(&inbox));
	fw_inbox_destroy(&inbox);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("torture_inbox");
	TCase *tc = tcase_create("inbox");

	seed = draw_seed();
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc,
			    test_nothing_is_lost_and_each_producers_order_kept,
			    0, 3);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
