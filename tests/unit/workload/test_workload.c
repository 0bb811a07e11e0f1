/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/workload/workload.h"

/* What every workload keeps to, and how their specs are read. */

static int num_workloads(void)
{
	int num = 0;

	while (workload_names[num])
		num++;
	return num;
}

static struct trace make(const char *spec, uint64_t seed)
{
	struct diag diag = {0};
	struct trace trace;
	int err = workload_generate(&trace, spec, seed, &diag);

	ck_assert_msg(!err, "%s: %s", spec, diag.text);
	return trace;
}

static void hash(uint64_t *sum, uint64_t value)
{
	for (int i = 0; i < 64; i += 8)
		*sum = (*sum ^ (value >> i & 0xff)) * 0x100000001b3u;
}

/* FNV-1a over all that a trace says. */
static uint64_t trace_hash(const struct trace *trace)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < trace->num_reqs; i++) {
		const struct trace_req *req = &trace->reqs[i];

		hash(&sum, (uint64_t)req->arrival_ms);
		hash(&sum, req->len);
		hash(&sum, req->phase);
		for (uint32_t j = 0; j < req->num_ids; j++)
			hash(&sum, nth_id(trace, req, j));
	}
	for (uint32_t i = 0; i < trace->num_phases; i++)
		for (const char *c = trace->phases[i]; *c; c++)
			hash(&sum, (unsigned char)*c);
	return sum;
}

static uint64_t spec_hash(const char *spec, uint64_t seed)
{
	struct trace trace = make(spec, seed);
	uint64_t sum = trace_hash(&trace);

	trace_destroy(&trace);
	return sum;
}

/*
 * Computed by this code itself when it was written: users compare runs by
 * seed, so a change of these is a change of every published figure.
 */
static const struct golden {
	const char *spec;
	uint64_t seed;
	uint64_t hash;
} goldens[] = {
	{"sec", 1, 0x43ed1cede71eaa09u},
	{"sec-dynamic", 1, 0xa20aa6cc620fd8c9u},
	{"sec-dynamic", 2, 0x3cb2beb29a4d97a9u},
	{"long", 1, 0xedbae9938b3de9dcu},
	{"mixed", 1, 0xd64552f9385b61fbu},
	{"flood", 1, 0x935f3f4054c5c58bu},
	{"musique", 1, 0x3adc55c3009327a8u},
	{"agent", 1, 0x2c39a823088f1413u},
	{"toolagent", 1, 0x016442c51f32a561u},
	{"sec-whole", 1, 0x1eda915e2bfeadc5u},
	{"sec-whole-dynamic", 1, 0x2446436ef8e32ed7u},
	{"sec-whole-dynamic", 2, 0x0766599419614043u},
	{"musique-unique", 1, 0x8c1e07b1ea5b3b38u},
	{"mixed-halves", 1, 0x96873999e58a4260u},
	{"mixed-halves:documents=5:zipf=0.7:cached=0.3", 1,
	 0x42a3654a92f8ab71u},
	{"flood:misses=24:miss-tokens=6000:question=300:rate=21:requests=3000",
	 1, 0xb62de8e42daf01f2u},
};

#define NUM_GOLDENS ((int)(sizeof(goldens) / sizeof(goldens[0])))

START_TEST(test_seed_gives_the_same_trace_everywhere)
{
	const struct golden *golden = &goldens[_i];
	uint64_t sum = spec_hash(golden->spec, golden->seed);

	ck_assert_msg(sum == golden->hash, "%s, seed %llu: 0x%016llxu",
		      golden->spec, (unsigned long long)golden->seed,
		      (unsigned long long)sum);
}
END_TEST

START_TEST(test_seeds_differ)
{
	const char *name = workload_names[_i];

	ck_assert_uint_ne(spec_hash(name, 7), spec_hash(name, 8));
}
END_TEST

START_TEST(test_order_of_keys_does_not_matter)
{
	ck_assert_uint_eq(spec_hash("sec:rate=3:zipf=1:documents=9", 1),
			  spec_hash("sec:documents=9:rate=3:zipf=1", 1));
	ck_assert_uint_eq(spec_hash("sec", 1), spec_hash("sec:", 1));
	ck_assert_uint_eq(spec_hash("sec", 1), spec_hash("sec:rate=2.50", 1));
}
END_TEST

static void check_request(const struct trace *trace, size_t i)
{
	const struct trace_req *req = &trace->reqs[i];

	ck_assert_uint_ge(req->len, 1);
	ck_assert_uint_eq(req->num_ids, req->len / 16);
	ck_assert_uint_le(req->first_run + req->num_runs, trace->num_runs);
	ck_assert_uint_lt(req->phase, trace->num_phases);
	ck_assert_uint_eq(req->output_len, 1);
	ck_assert(req->arrival_ms == floor(req->arrival_ms));
	ck_assert(req->arrival_ms >= (i ? req[-1].arrival_ms : 0.0));
}

START_TEST(test_requests_are_sorted_and_whole)
{
	struct trace trace = make(workload_names[_i], 3);

	ck_assert_uint_eq(trace.block_size, 16);
	ck_assert_uint_ge(trace.num_phases, 1);
	for (size_t i = 0; i < trace.num_reqs; i++)
		check_request(&trace, i);
	trace_destroy(&trace);
}
END_TEST

/* What came before an id, where it was met first. */
struct place {
	uint64_t before;
	uint32_t index;
	bool met;
};

/*
 * By induction the whole prefix is equal, when the id before and the position
 * are. Counts, too, how often ids are met again.
 */
static size_t check_prefixes(const struct trace *trace, struct place *places,
			     const struct trace_req *req)
{
	uint64_t before = 0;
	size_t again = 0;

	for (uint32_t i = 0; i < req->num_ids; i++) {
		uint64_t id = nth_id(trace, req, i);
		struct place *place = &places[id];

		if (place->met) {
			ck_assert_uint_eq(place->index, i);
			ck_assert(!i || place->before == before);
			again++;
		}
		*place = (struct place){before, i, true};
		before = id;
	}
	return again;
}

START_TEST(test_equal_ids_are_equal_prefixes)
{
	struct trace trace = make(workload_names[_i], 4);
	struct place *places = calloc(largest_id(&trace) + 1, sizeof(*places));
	size_t again = 0;

	ck_assert_ptr_nonnull(places);
	for (size_t i = 0; i < trace.num_reqs; i++)
		again += check_prefixes(&trace, places, &trace.reqs[i]);
	ck_assert_msg(again, "%s shares nothing", workload_names[_i]);
	free(places);
	trace_destroy(&trace);
}
END_TEST

/* Documents come first among the ids: what is above them is one request's. */
static void check_private(const char *spec, uint64_t documents)
{
	struct trace trace = make(spec, 5);
	bool *met = calloc(largest_id(&trace) + 1, sizeof(*met));
	uint64_t *ids = all_ids(&trace);
	size_t num = count_ids(&trace);

	ck_assert_ptr_nonnull(met);
	for (size_t i = 0; i < num; i++) {
		uint64_t id = ids[i];

		ck_assert(id < documents || !met[id]);
		met[id] = true;
	}
	free(ids);
	free(met);
	trace_destroy(&trace);
}

START_TEST(test_private_blocks_never_repeat)
{
	/* Documents of 5,000 tokens: 312 full blocks, then private ones. */
	check_private("sec-whole:sigma=0:documents=5", 5 * 312);
	check_private("sec-whole-dynamic:sigma=0:documents=5", 5 * 312);
	check_private("toolagent:prefix=6001", 375);
	check_private("flood", 8 * 375);
	check_private("mixed-halves:documents=3", 3 * (62 + 1000));
}
END_TEST

/* The block in which a document ends holds a part of the question. */
START_TEST(test_mixed_block_is_private)
{
	struct trace trace = make("toolagent:prefix=31:own-min=1:own-max=1:"
				  "requests=3",
				  1);

	ck_assert_uint_eq(trace.num_reqs, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct trace_req *req = &trace.reqs[i];

		ck_assert_uint_eq(req->num_ids, 2);
		ck_assert_uint_eq(nth_id(&trace, req, 0),
				  nth_id(&trace, trace.reqs, 0));
		ck_assert(i == 0 || nth_id(&trace, req, 1) !=
					    nth_id(&trace, trace.reqs, 1));
	}
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_requests_are_counted_exactly)
{
	static const char *const names[] = {
		"sec",	     "long",	  "mixed",	    "musique",
		"toolagent", "sec-whole", "musique-unique", "mixed-halves",
	};
	char spec[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct trace trace;

		snprintf(spec, sizeof(spec), "%s:requests=321", names[i]);
		trace = make(spec, 1);
		ck_assert_uint_eq(trace.num_reqs, 321);
		trace_destroy(&trace);
	}
}
END_TEST

START_TEST(test_some_ask_for_a_pool)
{
	struct trace flood = make("flood:requests=10", 1);
	struct trace sec = make("sec", 1);
	struct trace few = make("sec:requests=10", 1);
	struct trace whole = make("sec-whole", 1);

	ck_assert_uint_eq(flood.kv_blocks, 8000);
	ck_assert_uint_eq(sec.kv_blocks,
			  (uint32_t)(trace_shared_ids(&sec) / 4));
	ck_assert_uint_eq(few.kv_blocks, 4 * trace_longest(&few));
	ck_assert_uint_eq(whole.kv_blocks, 0);
	trace_destroy(&whole);
	trace_destroy(&few);
	trace_destroy(&sec);
	trace_destroy(&flood);
}
END_TEST

static const struct bad {
	const char *spec;
	const char *text;
} bads[] = {
	{"sex", "--workload: unknown workload \"sex\", did you mean \"sec\"?"},
	{"", "--workload: unknown workload \"\"; \"fairway gen --help\" lists "
	     "them"},
	{"sec:rat=2", "--workload sec: key \"rat\": unknown, did you mean "
		      "\"rate\"?"},
	{"toolagent:colour=2",
	 "--workload toolagent: key \"colour\": unknown (expected one of rate, "
	 "load, seconds, requests, prefix, own-min, own-max)"},
	{"sec:rate", "--workload sec: expected KEY=VALUE (was \"rate\")"},
	{"sec:=3", "--workload sec: expected KEY=VALUE (was \"=3\")"},
	{"sec::rate=3", "--workload sec: expected KEY=VALUE (was \"\")"},
	{"sec:rate=3:", "--workload sec: expected KEY=VALUE (was \"\")"},
	{"sec:rate=0", "--workload sec: key \"rate\": expected a number from "
		       "0.001 to 10000 (was \"0\")"},
	{"sec:rate=", "--workload sec: key \"rate\": expected a number from "
		      "0.001 to 10000 (was \"\")"},
	{"sec:rate=nan", "--workload sec: key \"rate\": expected a number from "
			 "0.001 to 10000 (was \"nan\")"},
	{"sec:rate=2=3", "--workload sec: key \"rate\": expected a number from "
			 "0.001 to 10000 (was \"2=3\")"},
	{"sec:documents=1.5",
	 "--workload sec: key \"documents\": expected a whole number from 1 to "
	 "1000000 (was \"1.5\")"},
	{"sec:requests=10000001",
	 "--workload sec: key \"requests\": expected a whole number from 1 to "
	 "10000000 (was \"10000001\")"},
	{"sec:rate=2:rate=2", "--workload sec: key \"rate\": given twice"},
	{"agent:sessions=3:seconds=9",
	 "--workload agent: keys \"sessions\" and \"seconds\" exclude each "
	 "other"},
	{"sec-whole:max=500",
	 "--workload sec-whole: key \"min\": expected at most \"max\", 500 "
	 "(was 600)"},
	{"sec:passages=5", "--workload sec: key \"take-max\": expected at most "
			   "\"passages\", 5 (was 6)"},
	{"musique:documents=4",
	 "--workload musique: key \"paragraphs\": expected at most "
	 "\"documents\", 4 (was 5)"},
	{"sec:rate=10000:seconds=1000001",
	 "--workload: expected at most 10000000 arrivals (10000 a second for "
	 "1000001 seconds are 10000010000)"},
	{"sec:rate=0.001:seconds=1",
	 "--workload: expected at least one request (none arrives in so short "
	 "a time)"},
	{"sec:load=0", "--workload sec: key \"load\": expected a number from "
		       "0.001 to 1000 (was \"0\")"},
	{"sec:load=0.9:rate=2",
	 "--workload sec: keys \"load\" and \"rate\" exclude each other"},
	{"secqa:dir=",
	 "--workload secqa: key \"dir\": expected a path (was \"\")"},
	{"sec:seconds=18446744073709551617",
	 "--workload sec: key \"seconds\": expected a whole number from 1 to "
	 "10000000 (was \"18446744073709551617\")"},
};

#define NUM_BADS ((int)(sizeof(bads) / sizeof(bads[0])))

START_TEST(test_bad_specs_are_named)
{
	struct diag diag = {0};
	struct trace trace;
	int err = workload_generate(&trace, bads[_i].spec, 1, &diag);

	ck_assert_str_eq(diag.text, bads[_i].text);
	ck_assert_int_eq(err, -EINVAL);
}
END_TEST

START_TEST(test_load_is_told_by_its_key)
{
	struct diag diag = {0};
	double load = -1.0;
	char spec[64];

	ck_assert(!workload_load(workload_names[_i], &load, &diag));
	ck_assert(load == 0.0);
	snprintf(spec, sizeof(spec), "%s:load=0.75", workload_names[_i]);
	ck_assert(!workload_load(spec, &load, &diag));
	ck_assert(load == 0.75);
	/* The draw itself does not change: it is the caller who scales. */
	ck_assert_uint_eq(spec_hash(spec, 1), spec_hash(workload_names[_i], 1));
}
END_TEST

/* Neither the key nor the environment says where they are. */
START_TEST(test_recorded_workloads_need_their_folder)
{
	struct diag diag = {0};
	struct trace trace;
	const char *folders[] = {NULL, ""};

	for (int i = 0; i < 2; i++) {
		unsetenv("FAIRWAY_TRACES");
		if (folders[i])
			setenv("FAIRWAY_TRACES", folders[i], 1);
		ck_assert_int_eq(workload_generate(&trace, "secqa-chunks", 1,
						   &diag),
				 -EINVAL);
		ck_assert_str_eq(diag.text,
				 "--workload: secqa_chunks.docs and .reqs: "
				 "expected their folder in the key \"dir\" or "
				 "in FAIRWAY_TRACES (neither is given)");
	}
}
END_TEST

/* The longest list of keys must fit where it is named, for every workload. */
START_TEST(test_every_workload_lists_its_keys)
{
	struct diag diag = {0};
	struct trace trace;
	char spec[64];

	snprintf(spec, sizeof(spec), "%s:%s=1", workload_names[_i], "xxxxxx");
	ck_assert_int_eq(workload_generate(&trace, spec, 1, &diag), -EINVAL);
	ck_assert_msg(strstr(diag.text, "(expected one of rate, ") &&
			      diag.text[strlen(diag.text) - 1] == ')',
		      "%s", diag.text);
}
END_TEST

static Suite *workload_suite(void)
{
	Suite *suite = suite_create("workload");
	TCase *traces = tcase_create("traces");
	TCase *specs = tcase_create("specs");
	int num = num_workloads();

	/* Under valgrind the agent's blocks take their time. */
	tcase_set_timeout(traces, 60);
	tcase_add_loop_test(traces, test_seed_gives_the_same_trace_everywhere,
			    0, NUM_GOLDENS);
	tcase_add_loop_test(traces, test_seeds_differ, 0, num);
	tcase_add_loop_test(traces, test_requests_are_sorted_and_whole, 0, num);
	tcase_add_loop_test(traces, test_equal_ids_are_equal_prefixes, 0, num);
	tcase_add_test(traces, test_private_blocks_never_repeat);
	tcase_add_test(traces, test_mixed_block_is_private);
	tcase_add_test(traces, test_requests_are_counted_exactly);
	tcase_add_test(specs, test_order_of_keys_does_not_matter);
	tcase_add_test(specs, test_some_ask_for_a_pool);
	tcase_add_loop_test(specs, test_bad_specs_are_named, 0, NUM_BADS);
	tcase_add_loop_test(specs, test_every_workload_lists_its_keys, 0, num);
	tcase_add_loop_test(specs, test_load_is_told_by_its_key, 0, num);
	tcase_add_test(specs, test_recorded_workloads_need_their_folder);
	suite_add_tcase(suite, traces);
	suite_add_tcase(suite, specs);
	return suite;
}

/* The pairs of files that workloads of records need, in small. */
static const char *const pairs[] = {"secqa_whole", "secqa_chunks"};

static void pair_path(char *path, size_t size, const char *folder, int i,
		      const char *end)
{
	snprintf(path, size, "%s/%s%s", folder, pairs[i], end);
}

/* No case runs yet, so nothing can be asserted. */
static void write_record(const char *folder, int i, const char *end,
			 const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	pair_path(path, sizeof(path), folder, i, end);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		perror(path);
}

static void write_records(const char *folder)
{
	for (int i = 0; i < 2; i++) {
		write_record(folder, i, ".docs", "1\t100\n2\t60\n");
		write_record(folder, i, ".reqs",
			     "-\t1\t20\t1,2\n-\t1\t9\t1,2\n"
			     "-\t1\t20\t2\n-\t1\t30\t1\n");
	}
}

static void remove_records(const char *folder)
{
	char path[PATH_MAX];

	for (int i = 0; i < 2; i++) {
		pair_path(path, sizeof(path), folder, i, ".docs");
		remove(path);
		pair_path(path, sizeof(path), folder, i, ".reqs");
		remove(path);
	}
	rmdir(folder);
}

int main(void)
{
	char folder[] = "test_workload.XXXXXX";
	int status;

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	setenv("FAIRWAY_TRACES", folder, 1);
	write_records(folder);
	status = run_suite(workload_suite());
	remove_records(folder);
	return status;
}
