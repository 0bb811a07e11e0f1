/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"

/*
 * Producers, observers, an executor's thread and a scheduler at once: every
 * request that was taken ends exactly once, by its own thread's count. Worker
 * threads count what is wrong, the main thread asserts. FAIRWAY_TORTURE
 * multiplies the requests.
 */

#define PRODUCERS 4u
#define REQUESTS 4000u
#define KEYS 8u
#define BLOCK 16u
#define CLASSES 2u
#define TENANTS 300u
#define ROWS 65

/* One request and how often it ended. */
struct item {
	struct fw_request req;
	struct fw_key keys[KEYS];
	_Atomic uint32_t ended;
	enum fw_outcome outcome;
	bool cancelled;
	bool taken;
};

/**
 * struct producer - a thread that submits
 * @thread: it
 * @items: its requests
 * @num: how many
 * @seed: of its chances
 * @refused: submissions that got -EAGAIN
 * @wrong: results that no promise allows
 * @cancelled: cancels that got 0
 */
struct producer {
	pthread_t thread;
	struct item *items;
	uint32_t num;
	uint64_t seed;
	uint64_t refused;
	uint64_t wrong;
	uint64_t cancelled;
};

static uint64_t seed;
static uint32_t factor = 1;
static uint32_t shards = 2;
static struct fw *fw;
static _Atomic bool over;
static _Atomic uint64_t wrong_ends;
static _Atomic uint32_t plans;

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct item *item = (struct item *)(void *)req;

	(void)ctx;
	item->outcome = result->outcome;
	if (result->ended < req->arrival)
		atomic_fetch_add(&wrong_ends, 1);
	/* Release: the outcome, to the main thread. */
	if (atomic_fetch_add_explicit(&item->ended, 1, memory_order_release))
		atomic_fetch_add(&wrong_ends, 1);
}

/* On the executor's thread: some plans fail. */
static int compute(void *ctx, const struct fw_plan *plan)
{
	uint32_t num = atomic_fetch_add(&plans, 1);

	(void)ctx;
	return num % 50 == 49 && plan->num_entries ? -EIO : 0;
}

/* Where prompts pause, most take several steps. */
static void open_runtime(uint32_t flags, bool pausing)
{
	const struct fw_host_config host = {.size = sizeof(host),
					    .compute = compute};
	const struct fw_order_config order = {
		.size = sizeof(order),
		.fast = pausing ? FW_FAST_REST : FW_FAST_SCORE,
		.budget = pausing ? 3 * BLOCK : 0,
		.by_tenant = 1,
	};
	struct fw_executor executor;
	const struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &executor,
		.done = on_done,
		.num_blocks = 256,
		.block_tokens = BLOCK,
		.max_waiting = 512,
		.tenant_max_waiting = 256,
		.num_classes = CLASSES,
		.max_retries = 1,
		.shards = shards,
		.flags = flags,
		.pausing = pausing,
	};

	over = false;
	wrong_ends = 0;
	ck_assert_int_eq(fw_executor_host(&executor, &host), 0);
	ck_assert_int_eq(fw_open(&fw, &config), 0);
}

static void make_item(struct item *item, struct draw *draw, uint32_t id)
{
	uint32_t prompt = draw_below(draw, 64);

	memset(item, 0, sizeof(*item));
	item->req.id = id;
	item->req.num_keys = 1 + draw_below(draw, KEYS);
	item->req.len = item->req.num_keys * BLOCK + draw_below(draw, BLOCK);
	item->req.keys = item->keys;
	item->req.priority = draw_below(draw, CLASSES);
	/* One in two is of a tenant that floods. */
	item->req.tenant = one_in(draw, 2) ? 0 : draw_below(draw, TENANTS);
	if (one_in(draw, 20))
		item->req.max_wait = 1 + draw_below(draw, 2000000);
	for (uint32_t i = 0; i < KEYS; i++)
		item->keys[i] = fw_key_widen(prompt * KEYS + i);
}

/* Until it is taken or nothing is any more. */
static int submit(struct producer *p, struct item *item, uint64_t *handle)
{
	int ret;

	while ((ret = fw_submit(fw, &item->req, handle)) == -EAGAIN) {
		p->refused++;
		sched_yield();
	}
	if (ret && ret != -ESHUTDOWN)
		p->wrong++;
	return ret;
}

static void cancel(struct producer *p, struct item *item, uint64_t handle)
{
	int ret = fw_cancel(fw, handle);

	item->cancelled |= !ret;
	p->cancelled += !ret;
	if (ret && ret != -ENOENT && ret != -EALREADY)
		p->wrong++;
}

static void *produce(void *arg)
{
	struct producer *p = arg;
	struct draw draw = {p->seed};
	struct item *old_item = NULL;
	uint64_t old = 0;

	fw_thread_attach();
	for (uint32_t i = 0; i < p->num; i++) {
		struct item *item = &p->items[i];
		uint64_t handle;

		make_item(item, &draw, i);
		if (submit(p, item, &handle))
			break;
		item->taken = true;
		if (one_in(&draw, 10))
			cancel(p, item, handle);
		/* A late one: of a request that has most likely ended. */
		if (old && one_in(&draw, 50))
			cancel(p, old_item, old);
		old = handle;
		old_item = item;
	}
	return NULL;
}

static void *observe(void *arg)
{
	static char text[1 << 16];
	uint64_t *wrong = arg, last = 0;

	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		struct fw_stats s = {.size = sizeof(s)};
		struct fw_tenant_stats rows[ROWS];
		int64_t num = fw_read_tenants(fw, rows, ROWS, sizeof(rows[0]));

		*wrong += num < 1;
		for (int64_t i = 0; i < num; i++)
			*wrong +=
				rows[i].rest != !i || rows[i].tenant >= TENANTS;
		*wrong += fw_read_stats(fw, &s) != 0;
		*wrong += s.submitted < last;
		*wrong += fw_stats_text(fw, NULL, 0, text, sizeof(text)) < 100;
		last = s.submitted;
		sched_yield();
	}
	return NULL;
}

static void *schedule(void *arg)
{
	*(int *)arg = fw_run(fw);
	return NULL;
}

static void start_producers(struct producer *producers, uint32_t num)
{
	for (uint32_t i = 0; i < PRODUCERS; i++) {
		producers[i] = (struct producer){
			.items = calloc(num, sizeof(struct item)),
			.num = num,
			.seed = seed + i,
		};
		ck_assert_ptr_nonnull(producers[i].items);
		ck_assert_int_eq(pthread_create(&producers[i].thread, NULL,
						produce, &producers[i]),
				 0);
	}
}

/* Each taken one ended once, each promised cancel was kept. */
static uint64_t check_items(struct producer *p, uint64_t *counts)
{
	uint64_t taken = 0;

	for (uint32_t i = 0; i < p->num; i++) {
		struct item *item = &p->items[i];
		uint32_t ended = atomic_load_explicit(&item->ended,
						      memory_order_acquire);

		ck_assert_uint_eq(ended, item->taken);
		if (!ended)
			continue;
		taken++;
		counts[item->outcome]++;
		if (item->cancelled)
			ck_assert_int_eq(item->outcome, FW_CANCELLED);
	}
	ck_assert_uint_eq(p->wrong, 0);
	free(p->items);
	return taken;
}

static void check_counts(const struct fw_stats *s, const uint64_t *counts,
			 uint64_t taken)
{
	ck_assert_uint_eq(s->submitted, taken);
	ck_assert_uint_eq(s->done, counts[FW_DONE]);
	ck_assert_uint_eq(s->cancelled, counts[FW_CANCELLED]);
	ck_assert_uint_eq(s->rejected, counts[FW_REJECTED]);
	ck_assert_uint_eq(s->expired, counts[FW_EXPIRED]);
	ck_assert_uint_eq(s->failed, counts[FW_FAILED]);
	ck_assert_uint_eq(s->bound_broken, 0);
	ck_assert_uint_eq(s->waiting + s->running + s->queued, 0);
}

/* All rows together say what the counters do. */
static void check_tenants(const struct fw_stats *s)
{
	struct fw_tenant_stats rows[ROWS], sum = {0};
	int64_t num = fw_read_tenants(fw, rows, ROWS, sizeof(rows[0]));

	ck_assert_int_eq(num, ROWS);
	for (int64_t i = 0; i < num; i++) {
		sum.submitted += rows[i].submitted;
		sum.waiting += rows[i].waiting;
		sum.done += rows[i].done;
		sum.expired += rows[i].expired;
		sum.otherwise += rows[i].otherwise;
	}
	ck_assert_uint_eq(sum.submitted, s->submitted);
	ck_assert_uint_eq(sum.waiting, 0);
	ck_assert_uint_eq(sum.done, s->done);
	ck_assert_uint_eq(sum.expired, s->expired);
	ck_assert_uint_eq(sum.otherwise,
			  s->cancelled + s->rejected + s->failed);
}

START_TEST(test_each_request_of_many_threads_ends_once)
{
	struct producer producers[PRODUCERS];
	struct fw_stats s = {.size = sizeof(s)};
	pthread_t scheduler, observer;
	uint64_t counts[5] = {0}, taken = 0, wrong = 0;
	int ret = -1;

	open_runtime(_i & 1 ? FW_MATCH_AT_SUBMIT : 0, _i & 2);
	pthread_create(&scheduler, NULL, schedule, &ret);
	pthread_create(&observer, NULL, observe, &wrong);
	start_producers(producers, REQUESTS * factor);
	for (uint32_t i = 0; i < PRODUCERS; i++)
		pthread_join(producers[i].thread, NULL);
	ck_assert_int_eq(fw_quiesce(fw), 0);
	pthread_join(scheduler, NULL);
	ck_assert_int_eq(ret, 0);
	over = true;
	pthread_join(observer, NULL);
	ck_assert_uint_eq(wrong + wrong_ends, 0);
	ck_assert_int_eq(fw_read_stats(fw, &s), 0);
	check_tenants(&s);
	ck_assert_int_eq(fw_close(fw, -1), 0);
	for (uint32_t i = 0; i < PRODUCERS; i++)
		taken += check_items(&producers[i], counts);
	ck_assert_uint_eq(taken, PRODUCERS * REQUESTS * factor);
	ck_assert_uint_gt(counts[FW_DONE], 0);
	ck_assert_uint_gt(counts[FW_CANCELLED], 0);
	check_counts(&s, counts, taken);
}
END_TEST

/* A close that comes before fw_run() would give that -EBUSY, or worse. */
static void wait_for_scheduler(void)
{
	struct fw_stats stats = {.size = sizeof(stats)};

	do {
		sched_yield();
		fw_read_stats(fw, &stats);
	} while (!stats.steps);
}

/* While all others are at it, the scheduler's fw_run() included. */
START_TEST(test_close_at_any_moment_loses_nothing)
{
	struct draw draw = {seed + (uint64_t)_i};
	struct producer producers[PRODUCERS];
	uint64_t counts[5] = {0}, taken = 0;
	pthread_t scheduler;
	struct timespec nap;
	int ret = -1;

	open_runtime(_i % 2 ? FW_MATCH_AT_SUBMIT : 0, _i % 3 == 0);
	pthread_create(&scheduler, NULL, schedule, &ret);
	start_producers(producers, REQUESTS * factor);
	wait_for_scheduler();
	nap = (struct timespec){.tv_nsec = draw_below(&draw, 5000000)};
	nanosleep(&nap, NULL);
	/* They stop at -ESHUTDOWN, and must have before the last byte goes. */
	ck_assert_int_eq(fw_quiesce(fw), 0);
	for (uint32_t i = 0; i < PRODUCERS; i++)
		pthread_join(producers[i].thread, NULL);
	ck_assert_int_eq(fw_close(fw, -1), 0);
	pthread_join(scheduler, NULL);
	ck_assert_msg(ret == -EINTR || ret == 0, "ret %d", ret);
	ck_assert_uint_eq(wrong_ends, 0);
	for (uint32_t i = 0; i < PRODUCERS; i++)
		taken += check_items(&producers[i], counts);
	for (uint32_t i = 0; i < 5; i++)
		taken -= counts[i];
	ck_assert_uint_eq(taken, 0);
}
END_TEST

/* Threads that come, submit one request and end at once. */
static void *submit_one(void *arg)
{
	struct item *item = arg;

	item->taken = !fw_submit(fw, &item->req, NULL);
	return NULL;
}

START_TEST(test_threads_may_end_right_after_a_submit)
{
	struct draw draw = {seed};
	pthread_t threads[64], scheduler;
	struct item *items = calloc(64, sizeof(*items));
	int ret = -1;

	open_runtime(FW_MATCH_AT_SUBMIT, false);
	pthread_create(&scheduler, NULL, schedule, &ret);
	for (uint32_t i = 0; i < 64; i++) {
		make_item(&items[i], &draw, i);
		pthread_create(&threads[i], NULL, submit_one, &items[i]);
	}
	for (uint32_t i = 0; i < 64; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(fw_quiesce(fw), 0);
	pthread_join(scheduler, NULL);
	ck_assert_int_eq(ret, 0);
	ck_assert_int_eq(fw_close(fw, -1), 0);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert(items[i].taken && items[i].ended == 1);
	free(items);
}
END_TEST

/* A scheduler with nothing to do sleeps: no processor time at all. */
START_TEST(test_an_idle_runtime_takes_no_processor_time)
{
	struct timespec nap = {.tv_nsec = 300000000}, used;
	pthread_t scheduler;
	clockid_t clock;
	int64_t before;
	int ret = -1;

	open_runtime(0, false);
	pthread_create(&scheduler, NULL, schedule, &ret);
	ck_assert_int_eq(pthread_getcpuclockid(scheduler, &clock), 0);
	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	clock_gettime(clock, &used);
	before = used.tv_sec * 1000000000 + used.tv_nsec;
	nanosleep(&nap, NULL);
	clock_gettime(clock, &used);
	ck_assert_int_eq(used.tv_sec * 1000000000 + used.tv_nsec - before, 0);
	ck_assert_int_eq(fw_close(fw, -1), 0);
	pthread_join(scheduler, NULL);
	ck_assert_int_eq(ret, -EINTR);
}
END_TEST

static void *read_without_pause(void *arg)
{
	char text[16384];

	while (!atomic_load(&over))
		fw_stats_text(fw, NULL, 0, text, sizeof(text));
	return arg;
}

static void *run_to_the_end(void *arg)
{
	int *ret = arg;

	*ret = fw_run(fw);
	return NULL;
}

/*
 * Calls that overlap keep their count above 0 for ever. Once all calls were
 * counted, readers of figures kept fw_run() from ever ending.
 */
START_TEST(test_readers_without_pause_do_not_hold_back_the_end)
{
	pthread_t readers[4], scheduler;
	struct timespec limit;
	int ret = 1, joined;

	shards = 1;
	open_runtime(0, false);
	for (size_t i = 0; i < 4; i++)
		pthread_create(&readers[i], NULL, read_without_pause, NULL);
	pthread_create(&scheduler, NULL, run_to_the_end, &ret);
	ck_assert_int_eq(fw_quiesce(fw), 0);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 10;
	joined = pthread_timedjoin_np(scheduler, NULL, &limit);
	over = true;
	for (size_t i = 0; i < 4; i++)
		pthread_join(readers[i], NULL);
	shards = 2;
	ck_assert_int_eq(joined, 0);
	ck_assert_int_eq(ret, 0);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_threads");
	TCase *tcase = tcase_create("runtime_threads");

	seed = draw_seed();
	if (getenv("FAIRWAY_TORTURE"))
		factor = (uint32_t)atoi(getenv("FAIRWAY_TORTURE"));
	tcase_set_timeout(tcase, 20);
	tcase_add_loop_test(tcase, test_each_request_of_many_threads_ends_once,
			    0, 4);
	tcase_add_loop_test(tcase, test_close_at_any_moment_loses_nothing, 0,
			    6);
	tcase_add_test(tcase, test_threads_may_end_right_after_a_submit);
	tcase_add_test(tcase,
		       test_readers_without_pause_do_not_hold_back_the_end);
	tcase_add_test(tcase, test_an_idle_runtime_takes_no_processor_time);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
