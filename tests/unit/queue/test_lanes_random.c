/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/alloc.h"
#include "lib/queue/lanes.h"
#include "tests/naive/naive_lanes.h"
#include "tests/support/run.h"
#include "tools/policy/score_sort.h"

/*
 * Random histories of the lanes against naive ones: every release, both
 * ledgers and all counters must be the same after every call. FAIRWAY_SEED
 * repeats a run, FAIRWAY_CASE runs one case of it.
 */

#define NUM_CASES 400
#define NUM_OPS 500

static uint64_t seed, only_case, number;
static uint64_t state;
static bool one_case;

static struct fw_lanes lanes;
static struct score_sort sort;
static struct naive_lanes naive;
static struct fw_request reqs[NAIVE_MAX];
static double now;
/* Allocations until one fails; below 0 for never. */
static int allocs_left = -1;
static int op;

/* splitmix64 */
static uint64_t draw(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(draw() % n);
}

/* check marks every assertion in a file: too slow for so many. */
static void require(bool is, const char *what)
{
	if (!is)
		ck_abort_msg("%s: FAIRWAY_SEED=%" PRIu64
			     " FAIRWAY_CASE=%" PRIu64 ", call %d",
			     what, seed, number, op);
}

static void *failing_alloc(void *ctx, size_t size)
{
	(void)ctx;
	if (!allocs_left)
		return NULL;
	allocs_left--;
	return malloc(size);
}

static void plain_free(void *ctx, void *ptr, size_t size)
{
	(void)ctx;
	(void)size;
	free(ptr);
}

static const struct fw_allocator allocator = {
	.alloc = failing_alloc,
	.free = plain_free,
};

static void start_case(void)
{
	static const uint32_t weights[] = {1, 890, 1000, 4000, 4000, 1000000};
	const struct fw_lanes_config config = {
		.weight = weights[below(6)],
		.budget = below(2) ? 2048 : 100,
		.carry = (enum fw_carry)below(3),
		.fair_lane = below(8) != 0,
		.wait_constant = below(4) ? 0.0 : 2.0,
		.score = below(4) ? NULL : &score_sort_ops,
		.score_ctx = &sort,
	};

	memset(reqs, 0, sizeof(reqs));
	now = 0.0;
	score_sort_init(&sort, config.wait_constant, &allocator);
	fw_lanes_init(&lanes, &config, &allocator);
	naive_lanes_init(&naive, &config);
}

static void compare(void)
{
	const struct naive_account *a = &naive.account;
	size_t waiting = 0;

	for (int i = 0; i < NAIVE_MAX; i++) {
		waiting += naive.reqs[i].waiting;
		require(naive.reqs[i].waiting ==
				fw_lanes_holds(&lanes, &reqs[i]),
			"who waits");
	}
	require(fw_lanes_valid(&lanes), "valid");
	require(lanes.waiting == waiting, "how many wait");
	require(!memcmp(&lanes.stats, &naive.stats, sizeof(naive.stats)),
		"counters");
	require(!naive.stats.bound_broken, "the bound");
	if (!naive.open)
		return;
	require(lanes.ledgers.fast == a->fast, "F");
	require(lanes.ledgers.fair == a->fair, "R");
	require(lanes.budget == naive.budget, "budget");
	require((lanes.ledgers.oldest != 0) == (a->oldest != NAIVE_NONE),
		"who is overtaken");
	if (a->oldest == NAIVE_NONE)
		return;
	require(lanes.ledgers.oldest == naive.reqs[a->oldest].seq, "by seq");
	require(lanes.ledgers.limit == a->oldest_cost * 1000, "its charge");
	require(lanes.ledgers.first == a->first_cost, "the first head");
	require(lanes.ledgers.ahead == a->ahead, "the work ahead");
}

/* Few different values, so that scores and arrivals often tie. */
static uint32_t draw_len(void)
{
	static const uint32_t lens[] = {1, 16, 300, 900, 6000, 12000};

	return below(8) ? lens[below(6)] : 1 + below(20000);
}

static uint32_t draw_hit(uint32_t len)
{
	switch (below(4)) {
	case 0:
		return 0;
	case 1:
		return len;
	case 2:
		return below(len + 1);
	default:
		return len - len / 20;
	}
}

/* Few: older than most, or still to come. */
static double draw_arrival(void)
{
	switch (below(8)) {
	case 0:
		return now - below(100);
	case 1:
		return now + below(3);
	default:
		return now - 0.5 * below(4);
	}
}

static void do_add(int who)
{
	struct naive_req *r = &naive.reqs[who];
	double arrival = draw_arrival(), slo;
	uint32_t len = draw_len(), hit;
	int ret;

	if (r->seq && below(2)) {
		/* Put back as it was. */
		len = r->len;
		arrival = r->arrival;
	} else if (naive.undo.who != who) {
		memset(reqs[who].priv, 0, sizeof(reqs[who].priv));
		r->seq = 0;
	}
	hit = draw_hit(len);
	slo = len < 3000 ? 1.0 : len / 3000.0;
	reqs[who].len = len;
	allocs_left = below(2) ? -1 : (int)below(3);
	ret = fw_lanes_add(&lanes, &reqs[who], arrival, slo, hit);
	require(!ret || (ret == -ENOMEM && !allocs_left), "adding");
	allocs_left = -1;
	if (!ret)
		naive_lanes_add(&naive, who, len, hit, arrival, slo);
	else
		/* The request was not taken, so its old length stands. */
		reqs[who].len = r->len;
}

static void do_update(int who)
{
	uint32_t len = draw_len(), hit = draw_hit(len);
	double arrival = draw_arrival();
	double slo = 1.0 + len / 3000.0;

	if (below(2))
		arrival = naive.reqs[who].arrival;
	reqs[who].len = len;
	reqs[who].hit = hit;
	fw_lanes_update(&lanes, &reqs[who], arrival, slo);
	naive_lanes_add(&naive, who, len, hit, arrival, slo);
}

static void do_set_hit(int who)
{
	struct naive_req *r = &naive.reqs[who];

	r->hit = draw_hit(r->len);
	fw_lanes_set_hit(&lanes, &reqs[who], r->hit);
}

static void do_remove(int who)
{
	fw_lanes_remove(&lanes, &reqs[who]);
	naive_lanes_remove(&naive, who);
}

/* The requests that the pass at hand turns on. */
static void remove_from_pass(void)
{
	if (naive.peeked != NAIVE_NONE)
		do_remove(naive.peeked);
	else if (naive.open && naive.account.oldest != NAIVE_NONE)
		do_remove(naive.account.oldest);
}

/* Any time, in a pass or not. */
static void change(void)
{
	int who = (int)below(NAIVE_MAX);
	uint32_t kind = below(10);

	if (!below(8))
		remove_from_pass();
	else if (!naive.reqs[who].waiting)
		do_add(who);
	else if (kind < 5)
		do_set_hit(who);
	else if (kind < 7)
		do_update(who);
	else
		do_remove(who);
}

static void peek(void)
{
	int who = naive_lanes_peek(&naive);
	struct fw_request *req = fw_lanes_peek(&lanes);

	require(req == (who == NAIVE_NONE ? NULL : &reqs[who]), "who is next");
	if (!req)
		return;
	require(lanes.lane == naive.lane, "by which lane");
	require(fw_queued(req)->rank.hit == naive.reqs[who].h, "h");
	require(fw_queued(req)->rank.cost == naive.reqs[who].c, "c");
}

static void admit(void)
{
	uint32_t tokens = below(2) ? UINT32_MAX : below(1000);

	if (naive.peeked != NAIVE_NONE && below(8))
		tokens = naive.reqs[naive.peeked].c;
	require(fw_lanes_admit(&lanes, tokens) ==
			naive_lanes_admit(&naive, tokens),
		"admitting");
}

static void skip(void)
{
	require(fw_lanes_skip(&lanes) == naive_lanes_skip(&naive), "skipping");
}

static void begin(void)
{
	uint32_t budget = below(3) ? below(20000) : below(4) * 100000;

	/* Mostly 30 ms, at times an idle hour or a clock that is put back. */
	now += below(8) ? 0.03 : (double)below(4000) - 100.0;
	fw_lanes_begin(&lanes, now, budget);
	naive_lanes_begin(&naive, now, budget);
}

static void end(void)
{
	fw_lanes_end(&lanes);
	naive_lanes_end(&naive);
}

static void step_pass(void)
{
	uint32_t kind = below(16);

	if (!naive.open)
		begin();
	else if (kind < 6)
		peek();
	else if (kind < 12)
		admit();
	else if (kind < 14)
		skip();
	else
		end();
}

static void run_case(void)
{
	uint32_t changes;

	state = seed + number * 0x632be59bd9b4e019;
	start_case();
	/* From storms of changes to hardly any. */
	changes = 1 + below(8);
	for (op = 0; op < NUM_OPS; op++) {
		if (below(10) < changes)
			change();
		else
			step_pass();
		compare();
	}
	fw_lanes_destroy(&lanes);
	score_sort_destroy(&sort);
	for (int i = 0; i < NAIVE_MAX; i++)
		require(!fw_queued(&reqs[i])->lanes, "free after the end");
}

START_TEST(test_lanes_do_what_naive_ones_do)
{
	if (one_case) {
		number = only_case;
		run_case();
		return;
	}
	for (number = 0; number < NUM_CASES; number++)
		run_case();
}
END_TEST

/* Else the test above would prove nothing about what never happened. */
START_TEST(test_the_histories_meet_every_turn)
{
	uint64_t fast = 0, fair = 0, skipped = 0, overtaken = 0, ahead = 0;

	for (number = 0; number < 200; number++) {
		run_case();
		fast += naive.stats.admitted[FW_LANE_FAST];
		fair += naive.stats.admitted[FW_LANE_FAIR];
		skipped += naive.stats.skipped;
		overtaken += naive.stats.overtaken;
		ahead += naive.stats.max_ahead;
	}
	ck_assert_uint_gt(fast, 400);
	ck_assert_uint_gt(fair, 400);
	ck_assert_uint_gt(skipped, 400);
	ck_assert_uint_gt(overtaken, 100);
	ck_assert_uint_gt(ahead, 0);
}
END_TEST

static Suite *lanes_random_suite(void)
{
	Suite *suite = suite_create("lanes_random");
	TCase *tcase = tcase_create("lanes_random");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_lanes_do_what_naive_ones_do);
	tcase_add_test(tcase, test_the_histories_meet_every_turn);
	suite_add_tcase(suite, tcase);
	return suite;
}

static bool read_env(const char *name, uint64_t *value)
{
	const char *text = getenv(name);

	if (text)
		*value = strtoull(text, NULL, 10);
	return text != NULL;
}

int main(void)
{
	seed = (uint64_t)time(NULL);
	read_env("FAIRWAY_SEED", &seed);
	one_case = read_env("FAIRWAY_CASE", &only_case);
	printf("# FAIRWAY_SEED=%" PRIu64 "\n", seed);
	fflush(stdout);
	return run_suite(lanes_random_suite());
}
