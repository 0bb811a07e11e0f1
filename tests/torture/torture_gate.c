/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sync/gate.h"

#include <stdlib.h>

#include "lib/base/alloc.h"
#include "lib/sync/inbox.h"
#include "tests/support/run.h"
#include "tests/support/torture.h"

#define PRODUCERS 4

/* Far longer than a wake-up takes on a machine that has other work. */
#define TOO_LONG_NS INT64_C(10000000000)

/**
 * struct bell - a producer that rings and waits until it is heard
 * @node: hook
 * @rung: when it was pushed, nanoseconds
 * @heard: the consumer took it
 */
struct bell {
	struct fw_inbox_node node;
	pthread_t thread;
	struct draw draw;
	uint32_t rounds;
	int64_t rung;
	_Atomic bool heard;
};

static uint64_t seed;
static struct fw_inbox inbox;
static struct fw_gate gate;
static struct bell bells[PRODUCERS];

/* Give the consumer some time to fall asleep, or none. */
static void wait_a_little(struct draw *draw)
{
	struct timespec nap = {.tv_nsec = draw_below(draw, 60000)};

	if (one_in(draw, 4))
		nanosleep(&nap, NULL);
	else if (one_in(draw, 2))
		sched_yield();
}

static void *ring(void *arg)
{
	struct bell *own = arg;
	uint32_t i;

	for (i = 0; i < own->rounds; i++) {
		wait_a_little(&own->draw);
		atomic_store_explicit(&own->heard, false, memory_order_relaxed);
		own->rung = torture_now();
		fw_inbox_push(&inbox, &own->node);
		fw_gate_wake(&gate);
		while (!atomic_load_explicit(&own->heard, memory_order_acquire))
			sched_yield();
	}
	return NULL;
}

/* How many bells; those that woke a sleeper leave their latency. */
static uint32_t hear(bool slept, int64_t *latencies, uint32_t *num)
{
	struct fw_inbox_node *node, *next;
	uint32_t heard = 0;
	struct bell *bell;
	uint32_t i;

	for (i = 0; i < inbox.num_shards; i++) {
		for (node = fw_inbox_drain(&inbox, i); node; node = next) {
			next = node->next;
			bell = container_of(node, struct bell, node);
			if (slept && !heard)
				latencies[(*num)++] =
					torture_now() - bell->rung;
			heard++;
			atomic_store_explicit(&bell->heard, true,
					      memory_order_release);
		}
	}
	return heard;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void print_latencies(int64_t *latencies, uint32_t num)
{
	if (!num)
		return;
	qsort(latencies, num, sizeof(*latencies), compare);
	printf("# %u sleeps, push to drain: median %.1f us, p99 %.1f us, "
	       "max %.1f us\n",
	       num, (double)latencies[num / 2] / 1e3,
	       (double)latencies[num - 1 - num / 100] / 1e3,
	       (double)latencies[num - 1] / 1e3);
	fflush(stdout);
}

/* Every sleep ends by a wake-up: none ever takes its time-out. */
START_TEST(test_no_wake_up_is_lost)
{
	uint32_t rounds = torture_rounds(20000);
	uint32_t left = rounds * PRODUCERS;
	uint32_t overslept = 0;
	uint32_t slept = 0;
	int64_t *latencies = calloc(left, sizeof(*latencies));
	bool asleep = false;
	uint32_t i;

	ck_assert_int_eq(fw_inbox_init(&inbox, 2, &fw_allocator_default), 0);
	fw_gate_init(&gate);
	for (i = 0; i < PRODUCERS; i++) {
		bells[i].rounds = rounds;
		bells[i].draw.state = seed + i;
		torture_start(&bells[i].thread, ring, &bells[i]);
	}
	while (left) {
		left -= hear(asleep, latencies, &slept);
		asleep = false;
		fw_gate_prepare(&gate);
		if (!left || !fw_inbox_empty(&inbox)) {
			fw_gate_cancel(&gate);
			continue;
		}
		asleep = true;
		overslept += fw_gate_wait(&gate, TOO_LONG_NS) != 0;
	}
	for (i = 0; i < PRODUCERS; i++)
		pthread_join(bells[i].thread, NULL);
	print_latencies(latencies, slept);
	free(latencies);
	ck_assert_uint_eq(overslept, 0);
	fw_gate_destroy(&gate);
	fw_inbox_destroy(&inbox);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("torture_gate");
	TCase *tc = tcase_create("gate");

	seed = draw_seed();
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_no_wake_up_is_lost);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
