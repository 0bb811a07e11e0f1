/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/histogram.h"

#include <stdlib.h>

#include "tests/support/run.h"
#include "tests/support/torture.h"

#define READERS 3
#define VALUES 200000

/**
 * struct reader - reads over and over while the writer records
 * @reads: how often
 * @wrong: reads that missed what was recorded or seen before them
 */
struct reader {
	pthread_t thread;
	struct fw_histogram_view view;
	uint64_t reads;
	uint64_t wrong;
};

static uint64_t seed;
static struct fw_histogram histogram;
static struct reader readers[READERS];

/* Values that are recorded for sure. */
static _Atomic uint64_t done;
static _Atomic bool stop;

static void *read_on(void *arg)
{
	struct reader *own = arg;
	uint64_t least, before = 0;

	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		/* Acquire: what was recorded before is to be seen. */
		least = atomic_load_explicit(&done, memory_order_acquire);
		own->view = (struct fw_histogram_view){0};
		fw_histogram_read(&histogram, &own->view);
		own->wrong += own->view.num < least || own->view.num < before ||
			      fw_histogram_quantile(&own->view, 990000) < 0;
		before = own->view.num;
		own->reads++;
		sched_yield();
	}
	own->wrong += before > torture_rounds(VALUES);
	return NULL;
}

START_TEST(test_a_reader_sees_what_was_recorded_by_then)
{
	uint32_t values = torture_rounds(VALUES);
	struct draw draw = {seed};
	struct fw_histogram_view *view = &readers[0].view;
	uint64_t reads = 0;
	uint64_t i;

	fw_histogram_init(&histogram);
	for (i = 0; i < READERS; i++)
		torture_start(&readers[i].thread, read_on, &readers[i]);
	for (i = 1; i <= values; i++) {
		fw_histogram_record(&histogram,
				    (int64_t)(draw_u64(&draw) >>
					      draw_below(&draw, 64)));
		atomic_store_explicit(&done, i, memory_order_release);
		torture_pause(&draw);
	}
	atomic_store(&stop, true);
	for (i = 0; i < READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		ck_assert_uint_eq(readers[i].wrong, 0);
		reads += readers[i].reads;
	}
	printf("# %" PRIu64 " reads beside %u values\n", reads, values);
	fflush(stdout);
	*view = (struct fw_histogram_view){0};
	fw_histogram_read(&histogram, view);
	ck_assert_uint_eq(view->num, values);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("torture_histogram");
	TCase *tc = tcase_create("histogram");

	seed = draw_seed();
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_a_reader_sees_what_was_recorded_by_then);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
