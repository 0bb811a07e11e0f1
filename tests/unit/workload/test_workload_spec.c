/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "records.h"

/* How the specs of workloads are read. */

START_TEST(test_order_of_keys_does_not_matter)
{
	ck_assert_uint_eq(spec_hash("sec:rate=3:zipf=1:documents=9", 1),
			  spec_hash("sec:documents=9:rate=3:zipf=1", 1));
	ck_assert_uint_eq(spec_hash("sec", 1), spec_hash("sec:", 1));
	ck_assert_uint_eq(spec_hash("sec", 1), spec_hash("sec:rate=2.50", 1));
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

static Suite *spec_suite(void)
{
	Suite *suite = suite_create("workload specs");
	TCase *specs = tcase_create("specs");
	int num = num_workloads();

	/* Under valgrind the agent's blocks take their time. */
	tcase_set_timeout(specs, 60);
	tcase_add_test(specs, test_order_of_keys_does_not_matter);
	tcase_add_test(specs, test_some_ask_for_a_pool);
	tcase_add_loop_test(specs, test_bad_specs_are_named, 0, NUM_BADS);
	tcase_add_loop_test(specs, test_every_workload_lists_its_keys, 0, num);
	tcase_add_loop_test(specs, test_load_is_told_by_its_key, 0, num);
	tcase_add_test(specs, test_recorded_workloads_need_their_folder);
	suite_add_tcase(suite, specs);
	return suite;
}

int main(void)
{
	return run_with_records(spec_suite());
}
