/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <string.h>

#include <fairway/order.h>

#include "lib/base/alloc.h"
#include "lib/cost/cost.h"
#include "lib/cost/score.h"
#include "lib/queue/lanes.h"
#include "tests/support/run.h"

/*
 * The merge of the lanes, release by release, on histories whose ledgers were
 * worked out by hand. Ledgers are written in tokens here.
 */

#define MAX_WAITING 9
#define PLENTY 1000000u
#define NS_PER_S 1000000000

/**
 * struct waiting - a request of a history
 * @name: NULL after the last one
 * @len: tokens
 * @hit: cached tokens
 * @arrival: seconds
 */
struct waiting {
	const char *name;
	uint32_t len;
	uint32_t hit;
	int arrival;
};

/**
 * struct release - what must be released, and how F and R stand before
 */
struct release {
	const char *name;
	enum fw_lane lane;
	int64_t fast;
	int64_t fair;
};

struct history {
	int now;
	struct waiting waiting[MAX_WAITING + 1];
	struct release releases[MAX_WAITING + 1];
};

static const struct history histories[] = {
	{
		/* Five hits fit into a quarter of M and one overshoot. */
		.now = 10,
		.waiting = {{"M", 6000, 0, 0},
			    {"H1", 6300, 6000, 1},
			    {"H2", 6300, 6000, 2},
			    {"H3", 6300, 6000, 3},
			    {"H4", 6300, 6000, 4},
			    {"H5", 6300, 6000, 5}},
		.releases = {{"H1", FW_LANE_FAST, 1200, 6000},
			     {"H2", FW_LANE_FAST, 2400, 6000},
			     {"H3", FW_LANE_FAST, 3600, 6000},
			     {"H4", FW_LANE_FAST, 4800, 6000},
			     {"H5", FW_LANE_FAST, 6000, 6000},
			     {"M", FW_LANE_FAIR, 7200, 6000}},
	},
	{
		/* The sixth hit waits for M. */
		.now = 10,
		.waiting = {{"M", 6000, 0, 0},
			    {"H1", 6300, 6000, 1},
			    {"H2", 6300, 6000, 2},
			    {"H3", 6300, 6000, 3},
			    {"H4", 6300, 6000, 4},
			    {"H5", 6300, 6000, 5},
			    {"H6", 6300, 6000, 6},
			    {"H7", 6300, 6000, 7},
			    {"H8", 6300, 6000, 8}},
		.releases = {{"H1", FW_LANE_FAST, 1200, 6000},
			     {"H2", FW_LANE_FAST, 2400, 6000},
			     {"H3", FW_LANE_FAST, 3600, 6000},
			     {"H4", FW_LANE_FAST, 4800, 6000},
			     {"H5", FW_LANE_FAST, 6000, 6000},
			     {"M", FW_LANE_FAIR, 7200, 6000},
			     {"H6", FW_LANE_FAST, 7200, 12000},
			     {"H7", FW_LANE_FAST, 8400, 12000},
			     {"H8", FW_LANE_FAST, 9600, 12000}},
	},
	{
		/* Unequal hits: the start value is the first head's. */
		.now = 10,
		.waiting = {{"M", 6000, 0, 0},
			    {"H1", 6100, 6000, 1},
			    {"H2", 6900, 6000, 2},
			    {"H3", 6500, 6000, 3},
			    {"H4", 7200, 6000, 4}},
		.releases = {{"H1", FW_LANE_FAST, 400, 6000},
			     {"H3", FW_LANE_FAST, 800, 6000},
			     {"H2", FW_LANE_FAST, 2800, 6000},
			     {"M", FW_LANE_FAIR, 6400, 6000},
			     {"H4", FW_LANE_FAST, 6400, 12000}},
	},
	{
		/* A cheap oldest request lets nobody pass. */
		.now = 10,
		.waiting = {{"T", 16, 0, 0},
			    {"M", 6000, 0, 1},
			    {"H1", 6300, 6000, 2},
			    {"H2", 6300, 6000, 3},
			    {"H3", 6300, 6000, 4}},
		.releases = {{"T", FW_LANE_FAIR, 1200, 16},
			     {"M", FW_LANE_FAIR, 1200, 32},
			     {"H1", FW_LANE_FAST, 1200, 6032},
			     {"H2", FW_LANE_FAST, 2400, 6032},
			     {"H3", FW_LANE_FAST, 3600, 6032}},
	},
	{
		/* A dear head of the fast lane holds it up. */
		.now = 100,
		.waiting = {{"M1", 6000, 0, 0},
			    {"M2", 6000, 0, 96},
			    {"M3", 6000, 0, 97},
			    {"M4", 6000, 0, 98},
			    {"H1", 900, 600, 99}},
		.releases = {{"M1", FW_LANE_FAIR, 24000, 6000},
			     {"M2", FW_LANE_FAIR, 24000, 12000},
			     {"M3", FW_LANE_FAIR, 24000, 18000},
			     {"H1", FW_LANE_FAST, 24000, 24000},
			     {"M4", FW_LANE_FAIR, 25200, 24000}},
	},
};

static struct fw_lanes lanes;
static struct fw_cost cost;
static struct fw_request reqs[MAX_WAITING];

static void open_lanes(const struct fw_lanes_config *config)
{
	ck_assert_int_eq(fw_cost_init(&cost, "a6000", NULL, 0,
				      &fw_allocator_default),
			 0);
	fw_lanes_init(&lanes, config, &fw_allocator_default);
	memset(reqs, 0, sizeof(reqs));
}

static void setup(void)
{
	const struct fw_lanes_config config = {
		.weight = 4000,
		.budget = 2048,
		.fair_lane = true,
	};

	open_lanes(&config);
}

static void teardown(void)
{
	fw_lanes_destroy(&lanes);
	fw_cost_destroy(&cost);
}

static void reopen(const struct fw_lanes_config *config)
{
	teardown();
	open_lanes(config);
}

static void add(struct fw_request *req, uint32_t len, uint32_t hit,
		double arrival)
{
	double slo = fw_slo(fw_cost_prefill(&cost, len), 3.0, 1.0);

	req->len = len;
	req->hit = hit;
	ck_assert_int_eq(fw_lanes_add(&lanes, req, arrival, slo, hit), 0);
	ck_assert(fw_lanes_valid(&lanes));
}

/* Release the request that comes next, all of it. */
static struct fw_request *take(void)
{
	struct fw_request *req = fw_lanes_peek(&lanes);

	if (!req)
		return NULL;
	ck_assert_int_eq(fw_lanes_admit(&lanes, req->len - req->hit), 0);
	ck_assert(fw_lanes_valid(&lanes));
	return req;
}

static void check_ledgers(int64_t fast, int64_t fair)
{
	ck_assert_int_eq(lanes.ledgers.fast, fast * 1000);
	ck_assert_int_eq(lanes.ledgers.fair, fair * 1000);
}

static size_t num_waiting(const struct history *h)
{
	size_t num = 0;

	while (num < MAX_WAITING && h->waiting[num].name)
		num++;
	return num;
}

START_TEST(test_ledgers_go_as_worked_out_by_hand)
{
	const struct history *h = &histories[_i];
	const struct release *r = h->releases;
	struct fw_request *req;

	/* Youngest first: arrivals decide, not the sequence of calls. */
	for (size_t i = num_waiting(h); i-- > 0;)
		add(&reqs[i], h->waiting[i].len, h->waiting[i].hit,
		    h->waiting[i].arrival);
	fw_lanes_begin(&lanes, h->now, PLENTY);
	for (; r->name; r++) {
		check_ledgers(r->fast, r->fair);
		req = fw_lanes_peek(&lanes);
		ck_assert_ptr_nonnull(req);
		ck_assert_str_eq(h->waiting[req - reqs].name, r->name);
		ck_assert_int_eq(lanes.lane, r->lane);
		ck_assert_ptr_eq(take(), req);
	}
	ck_assert_ptr_null(fw_lanes_peek(&lanes));
	fw_lanes_end(&lanes);
	ck_assert_uint_eq(lanes.waiting, 0);
	ck_assert_uint_eq(lanes.stats.bound_broken, 0);
}
END_TEST

static void queue_history(struct fw_order *order, const struct history *h)
{
	for (size_t i = num_waiting(h); i-- > 0;) {
		reqs[i].len = h->waiting[i].len;
		reqs[i].hit = h->waiting[i].hit;
		reqs[i].arrival = (int64_t)h->waiting[i].arrival * NS_PER_S;
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	}
}

START_TEST(test_an_engine_sees_the_same_order)
{
	struct fw_order_stats stats = {.size = sizeof(stats)};
	const struct history *h = &histories[_i];
	uint64_t lane[2] = {0, 0};
	struct fw_order *order;
	struct fw_request *req;

	ck_assert_int_eq(fw_order_open(&order, NULL), 0);
	queue_history(order, h);
	ck_assert_int_eq(fw_pass_begin(order, (int64_t)h->now * NS_PER_S,
				       PLENTY),
			 0);
	for (const struct release *r = h->releases; r->name; r++) {
		req = fw_pass_peek(order);
		ck_assert_ptr_nonnull(req);
		ck_assert_str_eq(h->waiting[req - reqs].name, r->name);
		ck_assert_int_eq(fw_pass_admit(order, req->len - req->hit), 0);
		lane[r->lane]++;
	}
	ck_assert_ptr_null(fw_pass_peek(order));
	ck_assert_int_eq(fw_pass_end(order), 0);
	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	ck_assert_uint_eq(stats.admitted_fast, lane[FW_LANE_FAST]);
	ck_assert_uint_eq(stats.admitted_fair, lane[FW_LANE_FAIR]);
	ck_assert_uint_eq(stats.bound_broken, 0);
	fw_order_close(order);
}
END_TEST

/* M, then three hits: the common start of the tests below. */
static void queue_miss_and_hits(void)
{
	add(&reqs[0], 6000, 0, 0.0);
	for (int i = 1; i <= 3; i++)
		add(&reqs[i], 6300, 6000, i);
}

START_TEST(test_a_skip_takes_the_charge_back)
{
	queue_miss_and_hits();
	fw_lanes_begin(&lanes, 10.0, PLENTY);
	ck_assert_ptr_eq(take(), &reqs[1]);
	check_ledgers(2400, 6000);
	ck_assert_ptr_eq(take(), &reqs[2]);
	check_ledgers(3600, 6000);
	ck_assert_int_eq(fw_lanes_skip(&lanes), 0);
	check_ledgers(2400, 6000);
	ck_assert_uint_eq(lanes.budget, PLENTY - 300);
	ck_assert_uint_eq(lanes.stats.admitted[FW_LANE_FAST], 1);
	ck_assert_uint_eq(lanes.stats.overtaken, 1);
	ck_assert_uint_eq(lanes.stats.skipped, 1);
	ck_assert_ptr_eq(take(), &reqs[3]);
	ck_assert_ptr_eq(take(), &reqs[0]);
	ck_assert_ptr_null(take());
	fw_lanes_end(&lanes);
	ck_assert_uint_eq(lanes.waiting, 1);
}
END_TEST

START_TEST(test_a_first_skip_starts_the_ledgers_anew)
{
	queue_miss_and_hits();
	add(&reqs[4], 1016, 1000, -1.0);
	for (int after = 0; after < 2; after++) {
		fw_lanes_begin(&lanes, 10.0, PLENTY);
		check_ledgers(64, 16);
		ck_assert_ptr_eq(fw_lanes_peek(&lanes), &reqs[4]);
		if (after)
			ck_assert_ptr_eq(take(), &reqs[4]);
		ck_assert_int_eq(fw_lanes_skip(&lanes), 0);
		check_ledgers(1200, 6000);
		ck_assert_ptr_eq(fw_lanes_peek(&lanes), &reqs[1]);
		fw_lanes_end(&lanes);
	}
}
END_TEST

START_TEST(test_once_skipped_the_oldest_holds_nobody_up)
{
	queue_miss_and_hits();
	for (int i = 4; i < MAX_WAITING; i++)
		add(&reqs[i], 6300, 6000, i);
	fw_lanes_begin(&lanes, 10.0, PLENTY);
	for (int i = 1; i <= 5; i++)
		ck_assert_ptr_eq(take(), &reqs[i]);
	ck_assert_ptr_eq(fw_lanes_peek(&lanes), &reqs[0]);
	ck_assert_int_eq(fw_lanes_skip(&lanes), 0);
	check_ledgers(7200, 6000);
	for (int i = 6; i < MAX_WAITING; i++)
		ck_assert_ptr_eq(take(), &reqs[i]);
	fw_lanes_end(&lanes);
	ck_assert_uint_eq(lanes.stats.overtaken, 5);
	ck_assert_uint_eq(lanes.stats.bound_broken, 0);
}
END_TEST

START_TEST(test_without_the_fair_lane_score_decides_alone)
{
	const struct fw_lanes_config config = {.weight = 4000, .budget = 2048};

	reopen(&config);
	queue_miss_and_hits();
	for (int i = 4; i < MAX_WAITING; i++)
		add(&reqs[i], 6300, 6000, i);
	fw_lanes_begin(&lanes, 10.0, PLENTY);
	for (int i = 1; i < MAX_WAITING; i++)
		ck_assert_ptr_eq(take(), &reqs[i]);
	ck_assert_ptr_eq(take(), &reqs[0]);
	fw_lanes_end(&lanes);
	ck_assert_uint_eq(lanes.stats.admitted[FW_LANE_FAIR], 0);
	ck_assert_uint_eq(lanes.stats.overtaken, 0);
}
END_TEST

START_TEST(test_work_ahead_is_summed_over_passes)
{
	queue_miss_and_hits();
	for (int i = 1; i <= 3; i++) {
		fw_lanes_begin(&lanes, 10.0, 300);
		ck_assert_ptr_eq(take(), &reqs[i]);
		ck_assert_ptr_null(take());
		fw_lanes_end(&lanes);
	}
	fw_lanes_begin(&lanes, 10.0, 300);
	ck_assert_ptr_eq(take(), &reqs[0]);
	fw_lanes_end(&lanes);
	ck_assert_uint_eq(lanes.stats.max_ahead, 900);
}
END_TEST

START_TEST(test_ledgers_do_not_overflow)
{
	const struct fw_lanes_config config = {
		.weight = 1000000,
		.budget = 2048,
		.carry = FW_CARRY_ON,
		.fair_lane = true,
	};

	reopen(&config);
	for (int i = 0; i < 3; i++)
		add(&reqs[i], UINT32_MAX, 0, i);
	fw_lanes_begin(&lanes, 10.0, UINT32_MAX);
	ck_assert_int_eq(lanes.ledgers.fast, (int64_t)UINT32_MAX * 1000000);
	lanes.ledgers.fair = INT64_MAX - 1;
	lanes.ledgers.fast = INT64_MAX - 1;
	ck_assert_ptr_eq(fw_lanes_peek(&lanes), &reqs[0]);
	ck_assert_int_eq(fw_lanes_admit(&lanes, 1), 0);
	ck_assert_int_eq(lanes.ledgers.fast, INT64_MAX);
	ck_assert_int_eq(lanes.ledgers.fair, INT64_MAX - 1);
	ck_assert_ptr_eq(fw_lanes_peek(&lanes), &reqs[1]);
	ck_assert_int_eq(fw_lanes_admit(&lanes, 1), 0);
	ck_assert_int_eq(lanes.ledgers.fair, INT64_MAX);
	fw_lanes_end(&lanes);
	ck_assert_uint_eq(lanes.stats.bound_broken, 0);
}
END_TEST

/* Queued between an admission and its taking back, both must find room. */
START_TEST(test_there_is_room_for_who_was_taken_back)
{
	static struct fw_request many[67];

	memset(many, 0, sizeof(many));
	for (int i = 0; i < 66; i++) {
		add(&many[i], 100, 0, i);
		fw_lanes_begin(&lanes, 100.0, PLENTY);
		ck_assert_ptr_eq(take(), &many[0]);
		add(&many[i + 1], 100, 0, i + 1);
		ck_assert_int_eq(fw_lanes_skip(&lanes), 0);
		fw_lanes_end(&lanes);
		fw_lanes_begin(&lanes, 100.0, PLENTY);
		ck_assert(fw_lanes_valid(&lanes));
		fw_lanes_end(&lanes);
		fw_lanes_remove(&lanes, &many[i + 1]);
	}
	ck_assert_uint_eq(lanes.waiting, 66);
}
END_TEST

START_TEST(test_whoever_waits_is_free_after_the_end)
{
	queue_miss_and_hits();
	fw_lanes_begin(&lanes, 10.0, PLENTY);
	ck_assert_ptr_nonnull(fw_lanes_peek(&lanes));
	ck_assert_int_eq(fw_lanes_skip(&lanes), 0);
	add(&reqs[4], 100, 0, 5.0);
	fw_lanes_destroy(&lanes);
	for (int i = 0; i < 5; i++)
		ck_assert(!fw_lanes_holds(&lanes, &reqs[i]));
}
END_TEST

static Suite *lanes_suite(void)
{
	const int num = sizeof(histories) / sizeof(histories[0]);
	Suite *suite = suite_create("lanes");
	TCase *tcase = tcase_create("lanes");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_ledgers_go_as_worked_out_by_hand, 0,
			    num);
	tcase_add_loop_test(tcase, test_an_engine_sees_the_same_order, 0, num);
	tcase_add_test(tcase, test_a_skip_takes_the_charge_back);
	tcase_add_test(tcase, test_a_first_skip_starts_the_ledgers_anew);
	tcase_add_test(tcase, test_once_skipped_the_oldest_holds_nobody_up);
	tcase_add_test(tcase, test_without_the_fair_lane_score_decides_alone);
	tcase_add_test(tcase, test_work_ahead_is_summed_over_passes);
	tcase_add_test(tcase, test_ledgers_do_not_overflow);
	tcase_add_test(tcase, test_there_is_room_for_who_was_taken_back);
	tcase_add_test(tcase, test_whoever_waits_is_free_after_the_end);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(lanes_suite());
}
