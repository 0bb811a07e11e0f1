/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <fairway/fairway.h>

#include "lib/runtime/runtime.h"
#include "tests/support/run.h"
#include "tests/support/stop_thread.h"
#include "tests/support/torture.h"

/*
 * A thread stops at instructions of a public call while another one ends the
 * runtime. From the moment that the call is inside, close must wait for it; as
 * soon as close has freed the runtime, the call must not touch it any more.
 * What is freed here cannot be read, so the call would die of it.
 */

#define CLOSE_NS 1000000
#define TOO_LONG_NS INT64_C(20000000000)

/* Single steps are slow: of a long call some places, and all near its end. */
#define PLACES 64u
#define LONG_PLACES 12u
#define LAST_PLACES 16u

/* Longer calls differ from time to time: their end may be missed. */
#define EXACT 2000u

/**
 * struct call - a public call
 * @name: of it
 * @make: makes it
 */
struct call {
	const char *name;
	void (*make)(void);
};

static struct fw *fw;
static struct fw_request req;
static uint64_t handle;

/* Each allocation has pages of its own, which nobody may touch once freed. */
static void *page_alloc(void *ctx, size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)ctx;
	return mem == MAP_FAILED ? NULL : mem;
}

static void page_free(void *ctx, void *mem, size_t size)
{
	(void)ctx;
	if (mem)
		ck_assert_int_eq(mprotect(mem, size, PROT_NONE), 0);
}

static const struct fw_allocator pages = {page_alloc, page_free, NULL};

static void done(void *ctx, struct fw_request *ended,
		 const struct fw_result *result)
{
	(void)ctx;
	(void)ended;
	(void)result;
}

static enum fw_admit admit(void *ctx, struct fw_request *next, uint32_t cached)
{
	(void)ctx;
	(void)next;
	(void)cached;
	return FW_ADMIT_FITS;
}

/* An executor without a thread: a plan ends when it is submitted. */
static int compute(void *ctx, const struct fw_plan *plan,
		   struct fw_flight *flight)
{
	(void)ctx;
	(void)plan;
	fw_plan_done(flight, 0);
	return 0;
}

static void destroy(void *ctx)
{
	(void)ctx;
}

static const struct fw_executor_ops at_once = {
	.size = sizeof(at_once),
	.submit = compute,
	.destroy = destroy,
};

static void open_runtime(void)
{
	struct fw_executor executor = {.ops = &at_once};
	struct fw_order_config order = {
		.size = sizeof(order),
		.by_tenant = 1,
		.allocator = &pages,
	};
	struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &executor,
		.done = done,
		.admit = admit,
		.max_running = 4,
		.max_waiting = 8,
		.max_events = 8,
		.max_cached = 16,
		.shards = 1,
	};

	ck_assert_int_eq(fw_open(&fw, &config), 0);
	/* A request that waits, to be cancelled. */
	req = (struct fw_request){.len = 40};
	ck_assert_int_eq(fw_submit(fw, &req, &handle), 0);
}

static bool inside(void)
{
	uint64_t num = 0;

	for (uint32_t i = 0; i < fw->calls.num; i++)
		num += atomic_load(&fw->calls.shards[i].inside) +
		       atomic_load(&fw->submits.shards[i].inside);
	return num > 0 || atomic_load(&fw->owner);
}

/* The calls. What one submits has ended before it is made again. */
static void submit(void)
{
	static struct fw_request own;

	own = (struct fw_request){.len = 40};
	fw_submit(fw, &own, NULL);
}

static void cancel(void)
{
	fw_cancel(fw, handle);
}

static void stored(void)
{
	const struct fw_key key = {1, 1};

	fw_block_stored(fw, &key, NULL);
}

static void quiesce(void)
{
	fw_quiesce(fw);
}

static void stop(void)
{
	fw_stop(fw);
}

static void poke(void)
{
	fw_poke(fw);
}

static void step(void)
{
	fw_step(fw);
}

static void read_stats(void)
{
	struct fw_stats stats = {.size = sizeof(stats)};

	fw_read_stats(fw, &stats);
}

static void read_distribution(void)
{
	struct fw_distribution dist = {.size = sizeof(dist)};

	fw_read_distribution(fw, FW_METRIC_HIT, &dist);
}

static void read_tenants(void)
{
	struct fw_tenant_stats rows[2];

	fw_read_tenants(fw, rows, 2, sizeof(rows[0]));
}

static const struct call calls[] = {
	{"fw_submit", submit},
	{"fw_cancel", cancel},
	{"fw_block_stored", stored},
	{"fw_quiesce", quiesce},
	{"fw_stop", stop},
	{"fw_poke", poke},
	{"fw_step", step},
	{"fw_read_stats", read_stats},
	{"fw_read_distribution", read_distribution},
	{"fw_read_tenants", read_tenants},
};

#define NUM_CALLS ((int)(sizeof(calls) / sizeof(calls[0])))

static void make(void *arg)
{
	((const struct call *)arg)->make();
}

static void close_runtime(void)
{
	ck_assert_int_eq(fw_close(fw, TOO_LONG_NS), 0);
}

/* Close beside the call, which stands inside or not, and let it go on. */
static void close_beside(struct stopper *stopper, bool held)
{
	ck_assert_int_eq(fw_close(fw, CLOSE_NS), held ? -EBUSY : 0);
	stopper_release(stopper);
	if (held)
		close_runtime();
}

START_TEST(test_close_frees_nothing_under_a_call)
{
	const struct call *call = &calls[_i];
	uint32_t len, stride, places = 0, busy = 0;
	struct stopper stopper;
	bool begun = false;

	ck_assert_int_eq(stopper_init(&stopper, make, (void *)call), 0);
	open_runtime();
	len = stopper_count(&stopper);
	stride = len / (len < EXACT ? PLACES : LONG_PLACES);
	stride = stride ? stride : 1;
	close_runtime();
	open_runtime();
	for (uint32_t at = 0; stopper_stop_at(&stopper, at);
	     at += at + LAST_PLACES < len ? stride : 1) {
		bool held = inside();

		begun = begun || held;
		places += begun;
		busy += held;
		if (begun) {
			close_beside(&stopper, held);
		} else {
			stopper_release(&stopper);
			close_runtime();
		}
		open_runtime();
	}
	stopper_destroy(&stopper);
	close_runtime();
	printf("# %s: %u instructions, close beside it at %u, busy at %u\n",
	       call->name, len, places, busy);
	fflush(stdout);
	/* It was inside for a while, and for a while it was not any more. */
	ck_assert_uint_gt(busy, 2);
	if (len < EXACT)
		ck_assert_uint_gt(places, busy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stop_close");
	TCase *tc = tcase_create("close");

	if (!stopper_possible())
		return 77;
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_close_frees_nothing_under_a_call, 0,
			    NUM_CALLS);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
