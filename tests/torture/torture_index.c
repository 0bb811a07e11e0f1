/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/index/prefix_index.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"
#include "tests/support/torture.h"

/*
 * One owner stores, removes, clears and lets the map grow while others match.
 * The owner notes the longest match of each prompt after each of its calls. A
 * reader's match must lie between the least and the most that was noted while
 * it matched. The call that was under way then counts as well.
 */

#define READERS 3u
#define PROMPTS 6u
#define DEPTH 40u
#define TOKENS 1u
#define MAX_STEPS 60000u
#define STOPPED_BLOCKS 64u
/* Matches that are judged together. */
#define LATE 16u

/**
 * struct reader - one thread that matches
 * @matches: how many it made
 * @wrong: those that were true at no moment
 */
struct reader {
	pthread_t thread;
	struct draw draw;
	uint64_t matches;
	uint64_t wrong;
};

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_prefix_index tree;
static struct fw_key prompts[PROMPTS][DEPTH];
/* Longest match of each prompt after step i; written before @steps says i. */
static uint8_t noted[MAX_STEPS + 1][PROMPTS];
static _Atomic uint32_t steps;
static _Atomic bool stop;

/* The owner's own view: is block @depth of @prompt cached, and how often. */
static uint32_t copies[PROMPTS][DEPTH];

/* All prompts share their first blocks, so that closing one closes many. */
static void make_prompts(struct draw *draw)
{
	for (uint32_t p = 0; p < PROMPTS; p++) {
		uint32_t shared = p ? draw_below(draw, DEPTH) : 0;

		for (uint32_t i = 0; i < DEPTH; i++)
			prompts[p][i] = i < shared
						? prompts[p - 1][i]
						: fw_key_widen(draw_u64(draw));
	}
}

/* The same block in all prompts that have it. */
static void count_copy(const struct fw_key *key, int change)
{
	for (uint32_t p = 0; p < PROMPTS; p++)
		for (uint32_t i = 0; i < DEPTH; i++)
			if (prompts[p][i].hi == key->hi &&
			    prompts[p][i].lo == key->lo)
				copies[p][i] += (uint32_t)change;
}

static void note(void)
{
	uint32_t step = atomic_load_explicit(&steps, memory_order_relaxed) + 1;

	for (uint32_t p = 0; p < PROMPTS; p++) {
		uint8_t hit = 0;

		while (hit < DEPTH && copies[p][hit])
			hit++;
		noted[step][p] = hit;
	}
	/* Release: what was done and noted; readers load it with acquire. */
	atomic_store_explicit(&steps, step, memory_order_release);
}

static void one_event(struct draw *draw)
{
	uint32_t p = draw_below(draw, PROMPTS), i = draw_below(draw, DEPTH);
	struct fw_index_event event = {
		.kind = i ? FW_INDEX_NEXT : FW_INDEX_FIRST,
		.key = prompts[p][i],
	};

	if (i)
		event.parent = prompts[p][i - 1];
	if (one_in(draw, 2000)) {
		event.kind = FW_INDEX_CLEARED;
		memset(copies, 0, sizeof(copies));
	} else if (copies[p][i] && (copies[p][i] > 2 || one_in(draw, 3))) {
		event.kind = FW_INDEX_GONE;
		count_copy(&event.key, -1);
	} else {
		count_copy(&event.key, 1);
	}
	fw_index_apply(&tree, &event, 1);
	note();
}

/* Between the least and the most that was true from @before to @after. */
static bool was_true(uint32_t p, uint32_t hit, uint32_t before, uint32_t after)
{
	uint32_t least = DEPTH, most = 0;

	for (uint32_t i = before; i <= after; i++) {
		if (noted[i][p] < least)
			least = noted[i][p];
		if (noted[i][p] > most)
			most = noted[i][p];
	}
	return least <= hit && hit <= most;
}

/**
 * struct memo - a match, until the step that was under way at its end is noted
 * @prompt: which
 * @hit: what it gave
 * @before: last step noted before it
 * @after: step that may have been under way at its end
 */
struct memo {
	uint32_t prompt;
	uint32_t hit;
	uint32_t before;
	uint32_t after;
};

/* Those whose last step is noted, or will never be, as there is none. */
static void judge(struct reader *r, struct memo *late, uint32_t num)
{
	uint32_t last = atomic_load_explicit(&steps, memory_order_acquire);

	for (uint32_t i = 0; i < num; i++) {
		if (late[i].after > last)
			late[i].after = last;
		r->wrong += !was_true(late[i].prompt, late[i].hit,
				      late[i].before, late[i].after);
	}
}

static bool stopped(void)
{
	return atomic_load_explicit(&stop, memory_order_acquire);
}

static void *read_all(void *arg)
{
	struct reader *r = arg;
	struct memo late[LATE];
	uint32_t num = 0;

	while (!stopped()) {
		struct memo m = {.prompt = draw_below(&r->draw, PROMPTS)};

		m.before = atomic_load_explicit(&steps, memory_order_acquire);
		m.hit = fw_index_match(&tree, prompts[m.prompt], DEPTH);
		m.after =
			atomic_load_explicit(&steps, memory_order_acquire) + 1;
		late[num++] = m;
		r->matches++;
		torture_pause(&r->draw);
		if (num < LATE)
			continue;
		while (!stopped() &&
		       atomic_load_explicit(&steps, memory_order_acquire) <
			       m.after)
			sched_yield();
		judge(r, late, num);
		num = 0;
	}
	judge(r, late, num);
	return NULL;
}

/* Each has a block of its own that nobody stores: the table grows. */
static void grow(struct fw_request *req, struct draw *draw)
{
	static struct fw_key keys[4096];
	static uint32_t used;
	uint32_t hit;

	if (used == ARRAY_SIZE(keys))
		return;
	keys[used] = fw_key_widen(draw_u64(draw));
	req[used].keys = &keys[used];
	req[used].num_keys = 1;
	req[used].len = 2;
	ck_assert_int_eq(fw_index_watch(&tree, &req[used], &hit), 0);
	used++;
}

static void start_readers(struct reader *readers)
{
	atomic_store_explicit(&stop, false, memory_order_relaxed);
	for (uint32_t i = 0; i < READERS; i++) {
		readers[i].draw.state = seed + 1 + i;
		torture_start(&readers[i].thread, read_all, &readers[i]);
	}
}

/* The owner's steps, while the readers match. */
static void change_all(struct draw *draw, uint32_t rounds)
{
	static struct fw_request watched[4096];

	for (uint32_t i = 0; i < rounds; i++) {
		/* One that found no node does not enter: wait, as tests may. */
		while (tree.arena.limbo.num + tree.arena.leaving.num > 256) {
			fw_index_flush(&tree, 0);
			sched_yield();
		}
		one_event(draw);
		if (!(i % 8))
			grow(watched, draw);
		torture_pause(draw);
	}
}

START_TEST(test_each_match_was_true_at_some_moment)
{
	struct draw draw = {seed};
	struct reader readers[READERS] = {0};
	uint32_t rounds = torture_rounds(MAX_STEPS);
	uint64_t wrong = 0, matches = 0;

	if (rounds > MAX_STEPS)
		rounds = MAX_STEPS;
	make_prompts(&draw);
	fail_alloc_init(&memory);
	ck_assert_int_eq(fw_index_init(&tree, PROMPTS * DEPTH, TOKENS,
				       &memory.allocator),
			 0);
	ck_assert_int_eq(fw_index_share(&tree, 512), 0);
	start_readers(readers);
	change_all(&draw, rounds);
	atomic_store_explicit(&stop, true, memory_order_release);
	for (uint32_t i = 0; i < READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		wrong += readers[i].wrong;
		matches += readers[i].matches;
	}
	ck_assert_uint_eq(tree.refused, 0);
	ck_assert(fw_index_valid(&tree));
	fw_index_destroy(&tree);
	ck_assert(fail_alloc_clean(&memory));
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_gt(matches, rounds / 100);
}
END_TEST

/* Stands inside its section, as one that a debugger stopped, until told. */
static _Atomic bool inside;

static void *stand_still(void *arg)
{
	(void)arg;
	fw_rcu_read_lock();
	atomic_store_explicit(&inside, true, memory_order_release);
	while (!atomic_load_explicit(&stop, memory_order_acquire))
		sched_yield();
	fw_rcu_read_unlock();
	return NULL;
}

static struct fw_index_event event_of(uint64_t id, enum fw_index_kind kind)
{
	return (struct fw_index_event){.kind = kind, .key = fw_key_widen(id)};
}

/* Blocks come and go: the reader who stands keeps their nodes. */
static void churn(uint64_t from, uint64_t num)
{
	for (uint64_t i = from; i < from + num; i++) {
		struct fw_index_event events[] = {event_of(i, FW_INDEX_FIRST),
						  event_of(i, FW_INDEX_GONE)};

		fw_index_apply(&tree, events, 2);
	}
}

START_TEST(test_a_reader_who_stands_still_stops_nothing_but_new_blocks)
{
	struct fw_index_event event = event_of(1, FW_INDEX_FIRST);
	struct fw_key key = fw_key_widen(1);
	struct fw_request req = {.keys = &key, .num_keys = 1, .len = 2};
	pthread_t thread;
	uint32_t hit;

	atomic_store_explicit(&stop, false, memory_order_relaxed);
	fail_alloc_init(&memory);
	ck_assert_int_eq(fw_index_init(&tree, STOPPED_BLOCKS, TOKENS,
				       &memory.allocator),
			 0);
	ck_assert_int_eq(fw_index_share(&tree, 32), 0);
	torture_start(&thread, stand_still, NULL);
	while (!atomic_load_explicit(&inside, memory_order_acquire))
		sched_yield();
	/* Grace periods take as long as he stands, and nobody waits. */
	churn(1000, 5000);
	ck_assert_uint_gt(tree.refused, 0);
	ck_assert(fw_index_valid(&tree));
	ck_assert(!fw_index_settled(&tree));
	/* A request that finds no node for what it lacks is not forgotten. */
	ck_assert_int_eq(fw_index_watch(&tree, &req, &hit), 0);
	ck_assert_uint_eq(hit, 0);
	atomic_store_explicit(&stop, true, memory_order_release);
	pthread_join(thread, NULL);
	do {
		sched_yield();
		fw_index_apply(&tree, &event, 1);
		fw_index_flush(&tree, 0);
	} while (!fw_index_match(&tree, &key, 1));
	ck_assert(fw_index_valid(&tree));
	fw_index_unwatch(&tree, &req);
	fw_index_destroy(&tree);
	ck_assert(fail_alloc_clean(&memory));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("torture_index");
	TCase *tcase = tcase_create("torture_index");

	seed = draw_seed();
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_each_match_was_true_at_some_moment);
	tcase_add_test(
		tcase,
		test_a_reader_who_stands_still_stops_nothing_but_new_blocks);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
