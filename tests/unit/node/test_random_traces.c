/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/oracle.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"

/*
 * Small traces, made to be nasty: shared prefixes, caches that hold hardly one
 * prompt, ties, full hits, single tokens. FAIRWAY_SEED repeats a run,
 * FAIRWAY_RANDOM says how many cases, FAIRWAY_CASE runs one of them.
 */

#define DEFAULT_CASES 3000
#define POLICIES_A_CASE 3
#define MAX_IDS 48

static uint64_t seed;
static uint64_t num_cases = DEFAULT_CASES;
static uint64_t first_case;

/**
 * struct draw - where a case takes its chances from
 */
struct draw {
	uint64_t state;
};

/**
 * struct random_case - one case
 * @draw: its chances
 * @trace: its requests
 * @config: its node
 * @next_id: smallest block id that no request has had
 * @policy: the policy of the run at hand
 */
struct random_case {
	struct draw draw;
	struct trace trace;
	struct sim_config config;
	uint64_t next_id;
	char policy[128];
};

/* splitmix64 */
static uint64_t draw_u64(struct draw *draw)
{
	uint64_t z = (draw->state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint32_t draw_range(struct draw *draw, uint32_t low, uint32_t high)
{
	return low + (uint32_t)(draw_u64(draw) % (high - low + 1));
}

static bool one_in(struct draw *draw, uint32_t num)
{
	return draw_range(draw, 1, num) == 1;
}

static double draw_arrival(struct draw *draw, double last_ms)
{
	switch (draw_range(draw, 0, 5)) {
	case 0:
	case 1:
		return last_ms;
	case 2:
		return last_ms + draw_range(draw, 1, 3);
	case 3:
		return last_ms + draw_range(draw, 1, 60);
	case 4:
		return last_ms + draw_range(draw, 1, 300) / 7.0;
	default:
		return last_ms + draw_range(draw, 1, 2000);
	}
}

/* The blocks that a prompt begins with: those of an earlier one, or none. */
static uint32_t draw_prefix(struct random_case *test, uint64_t *ids)
{
	const struct trace_req *other;
	uint32_t num;

	if (test->trace.num_reqs == 0 || one_in(&test->draw, 4))
		return 0;
	other = &test->trace.reqs[draw_range(
		&test->draw, 0, (uint32_t)test->trace.num_reqs - 1)];
	num = one_in(&test->draw, 2)
		      ? other->num_ids
		      : draw_range(&test->draw, 0, other->num_ids);
	for (uint32_t i = 0; i < num; i++)
		ids[i] = nth_id(&test->trace, other, i);
	return num;
}

static uint32_t draw_own_blocks(struct draw *draw, uint32_t room)
{
	uint32_t num;

	if (one_in(draw, 3))
		return 0;
	num = one_in(draw, 6) ? draw_range(draw, 0, MAX_IDS)
			      : draw_range(draw, 0, 6);
	return num < room ? num : room;
}

static void add_request(struct random_case *test)
{
	uint32_t size = test->trace.block_size;
	size_t num = test->trace.num_reqs;
	uint64_t ids[MAX_IDS];
	struct trace_req req = {.output_len = 1};
	uint32_t own;

	req.num_ids = draw_prefix(test, ids);
	own = draw_own_blocks(&test->draw, MAX_IDS - req.num_ids);
	while (own-- > 0)
		ids[req.num_ids++] = test->next_id++;
	req.len = req.num_ids * size;
	if (req.len == 0)
		req.len = one_in(&test->draw, 2) && size > 1 ? 1 : 0;
	else if (!one_in(&test->draw, 3))
		req.len += draw_range(&test->draw, 0, size - 1);
	if (req.len == 0) {
		ids[req.num_ids++] = test->next_id++;
		req.len = size;
	}
	if (num > 0)
		req.arrival_ms =
			draw_arrival(&test->draw,
				     test->trace.reqs[num - 1].arrival_ms);
	ck_assert_int_eq(trace_add_ids(&test->trace, &req, ids), 0);
}

static uint32_t draw_pool(struct random_case *test)
{
	uint32_t longest = trace_longest(&test->trace);

	switch (draw_range(&test->draw, 0, 4)) {
	case 0:
		return longest;
	case 1:
		return longest + draw_range(&test->draw, 0, 8);
	case 2: /* the longest prompts are rejected */
		return draw_range(&test->draw, longest / 2 + 1, longest);
	case 3:
		return 2 * longest + draw_range(&test->draw, 0, 32);
	default:
		return 10000;
	}
}

static uint32_t draw_budget(struct draw *draw)
{
	switch (draw_range(draw, 0, 5)) {
	case 0:
		return 2048;
	case 1:
	case 2: /* weight * budget can be a whole number of tokens */
		return 8 * (uint32_t)1 << draw_range(draw, 1, 5);
	default:
		return draw_range(draw, 16, 256);
	}
}

static void make_case(struct random_case *test, uint64_t number)
{
	static const char *const devices[] = {"a6000", "a100", "h100", "h200"};
	static const double scales[] = {1, 1, 0.5, 0.37, 3.2};
	struct draw *draw = &test->draw;
	uint32_t num;

	memset(test, 0, sizeof(*test));
	draw->state = seed + number * 0x632be59bd9b4e019;
	trace_init(&test->trace, draw_range(draw, 1, 32));
	ck_assert_int_eq(trace_phase(&test->trace, "all"), 0);
	test->next_id = one_in(draw, 3) ? draw_u64(draw) >> 2 : 0;
	num = one_in(draw, 25) ? draw_range(draw, 150, 400)
			       : draw_range(draw, 1, 40);
	while (num-- > 0)
		add_request(test);
	test->config = (struct sim_config){
		.device = devices[draw_range(draw, 0, 3)],
		.budget = draw_budget(draw),
		.max_running = one_in(draw, 3) ? 256 : draw_range(draw, 1, 8),
		.kv_blocks = draw_pool(test),
		.time_scale = scales[draw_range(draw, 0, 4)],
	};
}

static void add_text(struct random_case *test, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_text(struct random_case *test, const char *fmt, ...)
{
	size_t used = strlen(test->policy);
	va_list args;

	va_start(args, fmt);
	vsnprintf(test->policy + used, sizeof(test->policy) - used, fmt, args);
	va_end(args);
}

static void add_wait(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (!one_in(draw, 4))
		return;
	add_text(test, ":wait=absolute");
	if (one_in(draw, 2))
		add_text(test, ":constant=%.3f",
			 draw_range(draw, 1, 3000) / 1000.0);
}

/*
 * Often a weight at which weight * budget is about what some request has to
 * compute, since carry=long turns on just that.
 */
static uint32_t draw_weight(struct random_case *test)
{
	struct draw *draw = &test->draw;
	const struct trace *trace = &test->trace;
	const struct trace_req *req;
	uint64_t cost;

	if (one_in(draw, 2))
		return draw_range(draw, 1, one_in(draw, 4) ? 100000 : 8000);
	req = &trace->reqs[draw_range(draw, 0, (uint32_t)trace->num_reqs - 1)];
	cost = req->len - draw_range(draw, 0, req->num_ids / 2) *
				  (uint64_t)trace->block_size;
	cost = cost * 1000 / test->config.budget;
	return cost > 0 ? (uint32_t)cost : 1;
}

static void add_fairway_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":weight=%.3f", draw_weight(test) / 1000.0);
	if (one_in(draw, 3))
		add_text(test, ":multiplier=%.2f",
			 draw_range(draw, 1, 1000) / 100.0);
	if (one_in(draw, 2))
		add_text(test, ":floor=%.3f",
			 draw_range(draw, 1, 1500) / 1000.0);
	add_wait(test);
	if (one_in(draw, 10))
		add_text(test, ":lane=off");
	else if (one_in(draw, 2))
		add_text(test, one_in(draw, 2) ? ":carry" : ":carry=long");
	if (one_in(draw, 5))
		add_text(test, ":order=sort");
}

static void add_lpm_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":limit=%u", draw_range(draw, 1, 20));
	if (one_in(draw, 2))
		add_text(test, ":dedupe");
}

static void add_ragcache_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":window=%u", draw_range(draw, 1, 10));
	if (one_in(draw, 2))
		add_text(test, ":pgdsf");
}

static void add_uniboost_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":gamma=%.3f",
			 draw_range(draw, 1, 4000) / 1000.0);
	else if (one_in(draw, 2))
		add_text(test, ":ada");
}

static void add_klpm_flags(struct random_case *test)
{
	add_text(test, ":k=%u", draw_range(&test->draw, 1, 9));
}

static void add_hrrn_flags(struct random_case *test)
{
	if (one_in(&test->draw, 2))
		add_text(test, ":clock=tokens");
}

static void add_rsjf_flags(struct random_case *test)
{
	add_text(test, ":max=%.3f", draw_range(&test->draw, 1, 5000) / 1000.0);
}

static const struct {
	const char *name;
	void (*add_flags)(struct random_case *test);
	uint32_t share;
} kinds[] = {
	{"fcfs", NULL, 1},
	{"lpm", add_lpm_flags, 2},
	{"klpm", add_klpm_flags, 1},
	{"ragcache", add_ragcache_flags, 2},
	{"preble", NULL, 1},
	{"peek", NULL, 1},
	{"hrrn", add_hrrn_flags, 1},
	{"spf", NULL, 1},
	{"rsjf", add_rsjf_flags, 1},
	{"uniboost", add_uniboost_flags, 2},
	{"fairway", add_fairway_flags, 6},
};

#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static uint64_t runs[NUM_KINDS];

static size_t draw_kind(struct draw *draw)
{
	uint32_t total = 0;
	uint32_t ticket;

	for (size_t i = 0; i < NUM_KINDS; i++)
		total += kinds[i].share;
	ticket = draw_range(draw, 1, total);
	for (size_t i = 0;; i++) {
		if (ticket <= kinds[i].share)
			return i;
		ticket -= kinds[i].share;
	}
}

static void draw_policy(struct random_case *test)
{
	size_t kind = draw_kind(&test->draw);

	runs[kind]++;
	test->policy[0] = '\0';
	add_text(test, "%s", kinds[kind].name);
	if (kinds[kind].add_flags)
		kinds[kind].add_flags(test);
	if (one_in(&test->draw, 3))
		add_text(test, ":protect");
}

static void print_request(const struct trace *trace, size_t index)
{
	const struct trace_req *req = &trace->reqs[index];

	printf("# {\"timestamp\": %.17g, \"input_length\": %u, "
	       "\"output_length\": 1, \"hash_ids\": [",
	       req->arrival_ms, req->len);
	for (uint32_t i = 0; i < req->num_ids; i++)
		printf("%s%" PRIu64, i ? ", " : "", nth_id(trace, req, i));
	putchar(']');
	if (index == 0)
		printf(", \"block_size\": %u", trace->block_size);
	printf("}\n");
}

static void print_case(const struct random_case *test, uint64_t number,
		       const struct diag *why)
{
	printf("# FAIRWAY_SEED=%" PRIu64 " FAIRWAY_CASE=%" PRIu64
	       " differs: %s\n",
	       seed, number, why->text);
	printf("# --policy %s --device %s --budget %u --max-running %u "
	       "--kv-blocks %u --block-size %u --time-scale %.17g\n",
	       test->policy, test->config.device, test->config.budget,
	       test->config.max_running, test->config.kv_blocks,
	       test->trace.block_size, test->config.time_scale);
	for (size_t i = 0; i < test->trace.num_reqs; i++)
		print_request(&test->trace, i);
	fflush(stdout);
}

static void run_case(uint64_t number)
{
	struct random_case test;
	struct diag why = {0};

	make_case(&test, number);
	for (int i = 0; i < POLICIES_A_CASE; i++) {
		draw_policy(&test);
		if (oracle_agrees(&test.trace, &test.config, test.policy, &why))
			continue;
		print_case(&test, number, &why);
		ck_abort_msg("case %" PRIu64 " under %s: %s", number,
			     test.policy, why.text);
	}
	trace_destroy(&test.trace);
}

START_TEST(test_simulator_equals_the_oracle)
{
	for (uint64_t i = 0; i < num_cases; i++)
		run_case(first_case + i);
	for (size_t i = 0; i < NUM_KINDS; i++)
		printf("# %s: %" PRIu64 " runs\n", kinds[i].name, runs[i]);
	fflush(stdout);
}
END_TEST

/* @first blocks shared with others from @shared on, then own ones. */
static void write_ids(uint64_t *ids, uint32_t num, uint64_t shared,
		      uint32_t first, uint64_t own)
{
	for (uint32_t i = 0; i < num; i++)
		ids[i] = i < first ? shared + i : own + i;
}

/*
 * With carry the oldest request's own charge may have started the ledgers in
 * a pass in which it did not fit; what overtakes it in the next pass was once
 * measured against the first one released, and counted as a breach.
 */
START_TEST(test_carried_bound_counts_from_where_the_ledgers_began)
{
	uint64_t ids[4][MAX_IDS];
	struct naive_request reqs[] = {
		{1.716142857142857, 716, 23, ids[0]},
		{2.902571428571428, 1314, 43, ids[1]},
		{2.902571428571428, 34, 1, ids[2]},
		{2.979571428571428, 120, 4, ids[3]},
	};
	struct sim_config config = {
		.device = "h200",
		.budget = 206,
		.max_running = 256,
		.kv_blocks = 44,
		.time_scale = 0.5,
	};
	struct diag why = {0};
	struct trace trace;

	write_ids(ids[0], 23, 0, 3, 100);
	write_ids(ids[1], 43, 0, 3, 200);
	write_ids(ids[2], 1, 0, 0, 300);
	write_ids(ids[3], 4, 0, 1, 400);
	oracle_trace(&trace, reqs, 4, 30);
	ck_assert_msg(oracle_agrees(&trace, &config,
				    "fairway:weight=0.854:multiplier=8.86"
				    ":carry:protect",
				    &why),
		      "%s", why.text);
	trace_destroy(&trace);
}
END_TEST

static void read_number(const char *name, uint64_t *number)
{
	const char *text = getenv(name);

	if (text && *text)
		*number = strtoull(text, NULL, 0);
}

static void read_environment(void)
{
	seed = (uint64_t)time(NULL);
	read_number("FAIRWAY_SEED", &seed);
	read_number("FAIRWAY_RANDOM", &num_cases);
	if (getenv("FAIRWAY_CASE")) {
		read_number("FAIRWAY_CASE", &first_case);
		num_cases = 1;
	}
	printf("# FAIRWAY_SEED=%" PRIu64 ", %" PRIu64 " cases\n", seed,
	       num_cases);
	fflush(stdout);
}

int main(void)
{
	Suite *suite = suite_create("random_traces");
	TCase *tcase = tcase_create("random");

	read_environment();
	tcase_add_test(tcase,
		       test_carried_bound_counts_from_where_the_ledgers_began);
	tcase_add_test(tcase, test_simulator_equals_the_oracle);
	tcase_set_timeout(tcase, 0);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
