/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "read_as.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"

/* What the traces of the field have that Mooncake's first one had not. */

/* --- ids and blocks --- */

START_TEST(test_ids_of_any_kind_tell_prefixes_apart)
{
	struct trace trace;

	good(&trace, &reader_mooncake,
	     "{\"timestamp\":0,\"input_length\":80,\"block_size\":16,"
	     "\"hash_ids\":[\"a\",\"0x1f\",-5,18446744073709551620,7]}\n"
	     "{\"timestamp\":1,\"input_length\":80,"
	     "\"hash_ids\":[\"a\",\"0x1f\",-5,18446744073709551620,8]}\n");
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_int_eq(nth_id(&trace, &trace.reqs[0], i) ==
					 nth_id(&trace, &trace.reqs[1], i),
				 i < 4);
	ck_assert_int_eq(trace_shared_ids(&trace), 4);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_requests_without_ids_share_nothing)
{
	struct trace trace;

	good(&trace, &reader_mooncake,
	     "{\"created_time\":0,\"input_tokens\":1024,\"extra\":null}\n"
	     "{\"created_time\":5,\"input_tokens\":1024,\"hash_ids\":null}\n");
	ck_assert_uint_eq(trace.block_size, 512);
	ck_assert_uint_eq(count_ids(&trace), 4);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_block_size_follows_from_the_number_of_ids)
{
	struct trace trace;

	good(&trace, &reader_mooncake,
	     ROW("0", ",\"hash_ids\":[1]") "{\"timestamp\":1,\"input_length\":"
					   "150,\"hash_ids\":[1,2,3]}\n");
	ck_assert_uint_eq(trace.block_size, 64);
	ck_assert_uint_eq(trace.reqs[0].num_ids, 0);
	ck_assert_uint_eq(trace.reqs[1].num_ids, 2);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_no_block_size_fits_every_request)
{
	const struct read_options opt = {.strict = false};

	refused(&reader_mooncake, &opt,
		"{\"timestamp\":0,\"input_length\":600,\"hash_ids\":[1,2]}\n"
		"{\"timestamp\":1,\"input_length\":600,\"hash_ids\":[1,2,3,4,5]"
		"}\n",
		"t:2: hash_ids: expected 1 or 2 ids for 600 tokens in blocks "
		"of "
		"512 (5)");
}
END_TEST

/* --- forms --- */

START_TEST(test_bailian_counts_seconds_and_blocks_of_16)
{
	static const double want[] = {61114.0, 62500.0};
	struct trace trace;

	good(&trace, &reader_bailian,
	     "{\"chat_id\":159,\"parent_chat_id\":-1,\"timestamp\":61.114,"
	     "\"input_length\":33,\"output_length\":2,\"type\":\"text\","
	     "\"turn\":1,\"hash_ids\":[5,6,7]}\n"
	     "{\"chat_id\":160,\"parent_chat_id\":159,\"timestamp\":62.5,"
	     "\"input_length\":40,\"output_length\":8,\"type\":\"text\","
	     "\"turn\":2,\"hash_ids\":[5,6,8]}\n");
	times_are(&trace, 2, want);
	ck_assert_uint_eq(trace.block_size, 16);
	ck_assert_uint_eq(trace.reqs[0].after, 0);
	ck_assert_uint_eq(trace.reqs[1].after, 1);
	ck_assert(trace.reqs[1].delay_ms == 1386.0);
	trace_destroy(&trace);
}
END_TEST

#define DYNAMO(received, ended, more)                                \
	"{\"schema\":\"dynamo.request.trace.v1\",\"event_type\":"    \
	"\"request_end\",\"event_time_unix_ms\":" ended              \
	",\"agent_context\":{\"session_id\":\"s\"},\"request\":{"    \
	"\"request_received_ms\":" received ",\"output_tokens\":16," \
	"\"finish\":{\"x\":[1,{\"input_length\":7}]},\"replay\":{"   \
	"\"trace_block_size\":64,\"input_length\":128,"              \
	"\"input_sequence_hashes\":[14879255164371896291" more "]}}}\n"

START_TEST(test_dynamo_reads_requests_and_their_sessions)
{
	static const double want[] = {0.0, 1500.0};
	struct trace trace;

	good(&trace, &reader_dynamo,
	     DYNAMO("1777312800000", "1777312801000",
		    ",274632075616497421") "{\"schema\":\"dynamo.request.trace."
					   "v1\",\"event_type\":"
					   "\"tool_end\",\"tool\":{\"duration_"
					   "ms\":420.5}}\n" DYNAMO(
						   "1777312801500",
						   "1777312803000", ",9"));
	times_are(&trace, 2, want);
	ck_assert_uint_eq(trace.block_size, 64);
	ck_assert_int_eq(trace_shared_ids(&trace), 1);
	ck_assert_uint_eq(trace.reqs[1].after, 1);
	ck_assert(trace.reqs[1].delay_ms == 500.0);
	ck_assert(trace.source.origin_s == 1777312800.0);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_bad_dynamo_is_named_by_line_and_field)
{
	const struct read_options opt = {.strict = false};

	refused(&reader_dynamo, &opt, DYNAMO("\"x\"", "1", ",2"),
		"t:1: request.request_received_ms: expected a time in "
		"milliseconds (a string)");
	refused(&reader_dynamo, &opt, DYNAMO("5", "6", ",2,3"),
		"t:1: request.replay.input_sequence_hashes: expected one for "
		"each block of 64 of 128 tokens (3)");
	refused(&reader_dynamo, &opt, DYNAMO("5", "6", ",{}"),
		"t:1: request.replay.input_sequence_hashes: expected one for "
		"each block of 64 of 128 tokens (1)");
	refused(&reader_dynamo, &opt, "{\"event_type\":\"tool_end\"}\n",
		"t: expected at least one request (no line of the type "
		"request_end)");
	refused(&reader_dynamo, &opt, "[1]\n",
		"t:1: line: expected a JSON object (a list, not an object)");
}
END_TEST

static const struct {
	const struct trace_reader *reader;
	const char *columns;
	const char *text;
	double second_ms;
	uint32_t len;
} tables[] = {
	{&reader_burstgpt, NULL,
	 "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log "
	 "Type\n5,ChatGPT,472,18,490,API log\n45,GPT-4,1087,230,1317,x\n",
	 45000.0, 1087},
	{&reader_splitwise, NULL,
	 "request_id,request_type,application_id,arrival_timestamp,batch_size,"
	 "prompt_size,token_size\n0,2,0,0.5,1,100,7\n1,2,0,0.75,1,200,8\n",
	 750.0, 200},
	{&reader_servegen, NULL,
	 "request_id,timestamp,input_tokens,output_tokens\n0,0.1,5,6\n"
	 "1,1.25,70.0,8\n",
	 1250.0, 70},
	{&reader_columns, "arrival=t,input=in tokens",
	 "in tokens,t,x\n3,0.5,a\n9,1.5,b\n", 1500.0, 9},
	{&reader_columns, "input=n,arrival=when",
	 "when,n\n2024-05-10 00:00:00+00:00,3\n2024-05-10T00:00:01.5Z,9\n",
	 1500.0, 9},
};

START_TEST(test_tables_are_read_by_their_columns)
{
	const struct read_options opt = {.columns = tables[_i].columns};
	struct trace trace;

	good_with(&trace, tables[_i].reader, &opt, tables[_i].text);
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert(trace.reqs[1].arrival_ms == tables[_i].second_ms);
	ck_assert_uint_eq(trace.reqs[1].len, tables[_i].len);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	trace_destroy(&trace);
}
END_TEST

static const char *const bad_columns[] = {
	"",	     "arrival",		"arrival=",
	"arrival=t", "input=a,input=b", "arrival=t,input=n,len=x",
};

START_TEST(test_columns_that_say_nothing_are_refused)
{
	const struct read_options opt = {.columns = bad_columns[_i]};
	char message[256];

	snprintf(
		message, sizeof(message),
		"--columns: expected arrival=NAME,input=NAME, and output=NAME, "
		"session=NAME or tenant=NAME where there are such (\"%s\")",
		bad_columns[_i]);
	refused(&reader_columns, &opt, "t,n\n1,2\n", message);
}
END_TEST

START_TEST(test_a_column_may_name_the_tenant)
{
	const struct read_options opt = {
		.columns = "arrival=t,input=n,tenant=who"};
	struct trace trace;

	good_with(&trace, &reader_columns, &opt,
		  "t,n,who\n1,2,7\n2,2,18446744073709551615\n3,2,ann\n4,2,\n"
		  "5,2,ann\n6,2,bob\n");
	ck_assert_uint_eq(trace.reqs[0].tenant, 7);
	ck_assert_uint_eq(trace.reqs[1].tenant, UINT64_MAX);
	ck_assert_uint_ne(trace.reqs[2].tenant, 0);
	ck_assert_uint_eq(trace.reqs[3].tenant, 0);
	ck_assert_uint_eq(trace.reqs[4].tenant, trace.reqs[2].tenant);
	ck_assert_uint_ne(trace.reqs[5].tenant, trace.reqs[2].tenant);
	trace_destroy(&trace);
}
END_TEST

/* Told by the fast reader, and by the one for whatever is unusual. */
START_TEST(test_a_line_may_name_the_tenant)
{
	const struct read_options opt = {.block_size = 16};
	struct trace trace;

	good_with(&trace, &reader_mooncake, &opt,
		  "{\"timestamp\": 1, \"input_length\": 1, \"tenant\": 7}\n"
		  "{\"timestamp\": 2, \"input_length\": 1, \"tenant\": \"7\"}\n"
		  "{\"timestamp\": 3, \"input_length\": 1, \"tenant\": 7, "
		  "\"x\": null}\n"
		  "{\"timestamp\": 4, \"input_length\": 1, \"tenant\": "
		  "\"ann\"}\n"
		  "{\"timestamp\": 5, \"input_length\": 1, \"tenant\": "
		  "\"ann\", \"x\": {}}\n"
		  "{\"timestamp\": 6, \"input_length\": 1}\n");
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(trace.reqs[i].tenant, 7);
	ck_assert_uint_gt(trace.reqs[3].tenant, 7);
	ck_assert_uint_eq(trace.reqs[4].tenant, trace.reqs[3].tenant);
	ck_assert_uint_eq(trace.reqs[5].tenant, 0);
	trace_destroy(&trace);
	refused(&reader_mooncake, &opt,
		"{\"timestamp\": 1, \"input_length\": 1, \"tenant\": true}\n",
		"t:1: tenant: expected a number or a text (true)");
}
END_TEST

START_TEST(test_a_named_column_must_be_there)
{
	const struct read_options opt = {.columns = "arrival=t,input=m"};

	refused(&reader_columns, &opt, "t,n\n1,2\n",
		"t:1: m: expected a column of this name in the header (none)");
}
END_TEST

/* --- sessions --- */

#define TURN(head, len) "{\"session_id\":" head ",\"input_length\":" len "}\n"

START_TEST(test_a_turn_without_a_time_follows_by_its_delay)
{
	static const double want[] = {1000.0, 1050.0, 1500.0, 1550.5};
	struct trace trace;

	good(&trace, &reader_mooncake,
	     TURN("\"a\",\"timestamp\":1000", "10")
		     TURN("7,\"timestamp\":1500", "20")
			     TURN("\"a\",\"delay_ms\":50", "30")
				     TURN("7,\"delay\":50.5", "40"));
	times_are(&trace, 4, want);
	ck_assert_uint_eq(trace.reqs[1].len, 30);
	ck_assert_uint_eq(trace.reqs[1].after, 1);
	ck_assert(trace.reqs[1].delay_ms == 50.0);
	ck_assert_uint_eq(trace.reqs[3].after, 3);
	ck_assert_uint_eq(trace.reqs[2].after, 0);
	ck_assert(trace.has_sessions);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_cuts_keep_who_follows_whom)
{
	const struct trace_options cut = {.time_scale = 1.0, .max_prompt = 25};
	struct diag diag = {""};
	struct trace trace;

	good(&trace, &reader_mooncake,
	     TURN("1,\"timestamp\":0", "30") TURN("1,\"timestamp\":5", "10")
		     TURN("1,\"timestamp\":9", "20"));
	ck_assert_int_eq(trace_prepare(&trace, &cut, &diag), 0);
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert_uint_eq(trace.reqs[0].after, 0);
	ck_assert_uint_eq(trace.reqs[1].after, 1);
	trace_destroy(&trace);
}
END_TEST

static void add_forms(Suite *suite)
{
	TCase *tc = tcase_create("forms");

	tcase_add_test(tc, test_ids_of_any_kind_tell_prefixes_apart);
	tcase_add_test(tc, test_requests_without_ids_share_nothing);
	tcase_add_test(tc, test_block_size_follows_from_the_number_of_ids);
	tcase_add_test(tc, test_no_block_size_fits_every_request);
	tcase_add_test(tc, test_bailian_counts_seconds_and_blocks_of_16);
	tcase_add_test(tc, test_dynamo_reads_requests_and_their_sessions);
	tcase_add_test(tc, test_bad_dynamo_is_named_by_line_and_field);
	tcase_add_loop_test(tc, test_tables_are_read_by_their_columns, 0,
			    sizeof(tables) / sizeof(tables[0]));
	tcase_add_loop_test(tc, test_columns_that_say_nothing_are_refused, 0,
			    sizeof(bad_columns) / sizeof(bad_columns[0]));
	tcase_add_test(tc, test_a_named_column_must_be_there);
	tcase_add_test(tc, test_a_column_may_name_the_tenant);
	tcase_add_test(tc, test_a_line_may_name_the_tenant);
	suite_add_tcase(suite, tc);
}

static void add_sessions(Suite *suite)
{
	TCase *tc = tcase_create("sessions");

	tcase_add_test(tc, test_a_turn_without_a_time_follows_by_its_delay);
	tcase_add_test(tc, test_cuts_keep_who_follows_whom);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("forms");

	add_forms(suite);
	add_sessions(suite);
	return run_suite(suite);
}
