/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/read_text.h"
#include "tests/support/draw.h"
#include "folder.h"
#include "requests.h"

/* What is written is read back equal. */

static void make_random(struct trace *trace, struct draw *draw)
{
	static const char *const names[] = {"calm", "a \"b\"\t\\/\x7f",
					    "\xc3\xa4", "all"};
	uint32_t num_phases = 1 + (uint32_t)(draw_u64(draw) % 4);
	double ms = 0;
	uint64_t ids[400];

	trace_init(trace, 1 + (uint32_t)(draw_u64(draw) % 40));
	for (uint32_t i = 0; i < num_phases; i++)
		ck_assert_int_eq(trace_phase(trace, names[i]), (int)i);
	for (uint32_t i = 0; i < 50; i++) {
		uint32_t phase = i * num_phases / 50;

		for (int j = 0; j < 400; j++)
			ids[j] = draw_u64(draw) * draw_u64(draw);
		ms += (double)(draw_u64(draw) % 1000);
		add_request(trace, ms, 1 + (uint32_t)(draw_u64(draw) % 400),
			    phase, ids);
	}
}

static void assert_round_trip(const struct trace *trace)
{
	const char *path = path_of("round.jsonl");
	struct diag diag = {""};
	struct trace back;

	ck_assert_msg(!trace_write_mooncake(trace, path, &diag), "%s",
		      diag.text);
	ck_assert_msg(!read_mooncake_file(&back, path, 0, NULL, &diag), "%s",
		      diag.text);
	assert_same(trace, &back);
	trace_destroy(&back);
	unlink(path);
}

START_TEST(test_written_trace_reads_back_equal)
{
	struct draw draw = {(uint64_t)_i};
	struct trace trace;

	printf("# seed %d\n", _i);
	make_random(&trace, &draw);
	assert_round_trip(&trace);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_single_phase_is_named_unless_it_is_all)
{
	const char *path = path_of("phase.jsonl");
	struct diag diag = {""};
	struct trace trace;
	char text[256] = "";
	FILE *file;

	trace_init(&trace, 16);
	add_request(&trace, 3, 15, 0, NULL);
	ck_assert_int_eq(trace_write_mooncake(&trace, path, &diag), 0);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	ck_assert_str_eq(text, "{\"timestamp\":3,\"input_length\":15,"
			       "\"output_length\":15,\"block_size\":16,"
			       "\"hash_ids\":[]}\n");
	fclose(file);
	trace_destroy(&trace);
	trace_init(&trace, 16);
	ck_assert_int_eq(trace_phase(&trace, "spike"), 0);
	trace.kv_blocks = 8000;
	add_request(&trace, 3, 15, 0, NULL);
	assert_round_trip(&trace);
	trace_destroy(&trace);
	unlink(path);
}
END_TEST

START_TEST(test_real_trace_reads_back_equal)
{
	const char *shared = getenv("FAIRWAY_SHARED");
	struct diag diag = {""};
	_Atomic uint64_t progress = 0;
	struct trace trace;
	struct stat st;
	char path[512];

	snprintf(path, sizeof(path), "%s/traces/mooncake_conversation.jsonl",
		 shared ? shared : "");
	if (stat(path, &st)) {
		printf("# skipped: no %s\n", path);
		return;
	}
	ck_assert_int_eq(read_mooncake_file(&trace, path, 0, &progress, &diag),
			 0);
	ck_assert_uint_eq(progress, (uint64_t)st.st_size);
	ck_assert_uint_eq(trace.num_reqs, 12031);
	assert_round_trip(&trace);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_what_could_not_be_read_is_not_written)
{
	static const struct trace_req wrong[] = {
		{.arrival_ms = 0.5, .len = 16, .num_ids = 1},
		{.arrival_ms = -1, .len = 16, .num_ids = 1},
		{.arrival_ms = 1e300, .len = 16, .num_ids = 1},
		{.len = 0},
		{.len = 1u << 31, .num_ids = 0},
		{.len = 16, .num_ids = 0},
		{.len = 16, .num_ids = 1, .output_len = 1u << 31},
	};
	const char *path = path_of("wrong.jsonl");
	const uint64_t id = 7;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct diag diag = {""};
		struct trace trace;

		trace_init(&trace, 16);
		ck_assert_int_eq(trace_add_ids(&trace, &wrong[i], &id), 0);
		ck_assert_int_eq(trace_write_mooncake(&trace, path, &diag),
				 -EINVAL);
		ck_assert_ptr_nonnull(
			strstr(diag.text, "wrong.jsonl: request 0: "));
		ck_assert_int_ne(access(path, F_OK), 0);
		trace_destroy(&trace);
	}
}
END_TEST

START_TEST(test_empty_trace_is_not_written)
{
	struct diag diag = {""};
	struct trace trace;

	trace_init(&trace, 16);
	ck_assert_int_eq(trace_write_mooncake(&trace, path_of("e"), &diag),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "no requests"));
	trace_destroy(&trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_write");
	TCase *tcase = tcase_create("trace_write");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_written_trace_reads_back_equal, 0, 20);
	tcase_add_test(tcase, test_single_phase_is_named_unless_it_is_all);
	tcase_add_test(tcase, test_real_trace_reads_back_equal);
	tcase_add_test(tcase, test_what_could_not_be_read_is_not_written);
	tcase_add_test(tcase, test_empty_trace_is_not_written);
	suite_add_tcase(suite, tcase);
	return run_in_folder(suite);
}
