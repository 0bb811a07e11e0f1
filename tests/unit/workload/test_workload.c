/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "made.h"
#include "records.h"

/* What every workload keeps to. */

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
	{"attack", 1, 0x7129924ac6e375ffu},
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
	{"tenants", 1, 0xf6c032a4ae88df8au},
	{"tenants:tenants=5:hits=2:misses=0.5:seconds=60", 2,
	 0x8ad4f577bd1fc86bu},
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

static Suite *workload_suite(void)
{
	Suite *suite = suite_create("workload");
	TCase *traces = tcase_create("traces");
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
	suite_add_tcase(suite, traces);
	return suite;
}

int main(void)
{
	return run_with_records(workload_suite());
}
