/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/alloc.h"
#include "lib/base/key.h"
#include "lib/index/prefix_index.h"
#include "lib/queue/lanes.h"
#include "tests/support/run.h"

/*
 * What a waiting request takes, its keys aside: itself, its places in both
 * lanes, and an index node for the block that it alone lacks.
 */

#define BLOCK_TOKENS 16u
#define MAX_BYTES 512u

/**
 * struct counted - an allocator that sums what is live
 * @allocator: to hand out
 * @bytes: live, as asked for
 */
struct counted {
	struct fw_allocator allocator;
	size_t bytes;
};

static void *counted_alloc(void *ctx, size_t size)
{
	struct counted *counted = ctx;

	counted->bytes += size;
	return malloc(size);
}

static void counted_free(void *ctx, void *ptr, size_t size)
{
	struct counted *counted = ctx;

	counted->bytes -= size;
	free(ptr);
}

static struct counted counted = {
	.allocator = {.alloc = counted_alloc,
		      .free = counted_free,
		      .ctx = &counted},
};

/* Pages that are resident, in bytes; 0 where nobody tells. */
static size_t resident(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

struct world {
	size_t num;
	struct fw_lanes lanes;
	struct fw_prefix_index index;
	struct fw_request *reqs;
	struct fw_key *keys;
};

static void open_world(struct world *w, size_t num)
{
	static const struct fw_lanes_config config = {
		.weight = 4000,
		.budget = 2048,
		.fair_lane = true,
	};

	*w = (struct world){.num = num};
	w->keys = malloc(num * sizeof(*w->keys));
	ck_assert_ptr_nonnull(w->keys);
	/* The keys are the caller's: resident before anything is counted. */
	for (size_t i = 0; i < num; i++)
		w->keys[i] = fw_key_widen(i);
	fw_lanes_init(&w->lanes, &config, &counted.allocator);
	ck_assert_int_eq(fw_index_init(&w->index, 1, BLOCK_TOKENS,
				       &counted.allocator),
			 0);
}

static void fill(struct world *w)
{
	w->reqs = fw_alloc_array(&counted.allocator, w->num, sizeof(*w->reqs));
	ck_assert_ptr_nonnull(w->reqs);
	for (size_t i = 0; i < w->num; i++) {
		struct fw_request *req = &w->reqs[i];
		uint32_t blocks;

		req->len = 100 + (uint32_t)i % 16000;
		req->keys = &w->keys[i];
		req->num_keys = 1;
		ck_assert_int_eq(fw_index_watch(&w->index, req, &blocks), 0);
		ck_assert_int_eq(fw_lanes_add(&w->lanes, req, (double)i * 1e-3,
					      1.0 + req->len * 1e-4, 0),
				 0);
	}
	fw_lanes_begin(&w->lanes, (double)w->num * 1e-3, 0);
	fw_lanes_end(&w->lanes);
}

static void close_world(struct world *w)
{
	for (size_t i = 0; i < w->num; i++)
		fw_index_unwatch(&w->index, &w->reqs[i]);
	fw_lanes_destroy(&w->lanes);
	fw_index_destroy(&w->index);
	fw_free_array(&counted.allocator, w->reqs, w->num, sizeof(*w->reqs));
	free(w->keys);
	ck_assert_uint_eq(counted.bytes, 0);
}

/* Shadow memory and quarantines of a sanitizer are not the library's. */
static bool counts_pages(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	return false;
#endif
#endif
	return resident() > 0;
}

START_TEST(test_a_waiting_request_takes_at_most_512_bytes)
{
	const size_t num = 1000000;
	size_t before;
	struct world w;

	open_world(&w, num);
	before = resident();
	fill(&w);
	ck_assert_uint_eq(w.lanes.waiting, num);
	/* Room to grow was asked for, too, but takes no page. */
	printf("# %.1f bytes each were asked for",
	       (double)counted.bytes / (double)num);
	if (counts_pages()) {
		size_t pages = resident() - before;

		printf(", %.1f are resident", (double)pages / (double)num);
		ck_assert_uint_le(pages, num * MAX_BYTES);
	}
	printf("\n");
	fflush(stdout);
	close_world(&w);
}
END_TEST

static Suite *waiting_memory_suite(void)
{
	Suite *suite = suite_create("waiting_memory");
	TCase *tcase = tcase_create("waiting_memory");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_a_waiting_request_takes_at_most_512_bytes);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(waiting_memory_suite());
}
