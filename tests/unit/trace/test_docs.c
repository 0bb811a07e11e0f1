/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/naive/golden.h"
#include "tests/naive/oracle.h"
#include "tests/support/read_text.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/trace/trace_docs.h"

/* Requests over documents: what their prompts share. Blocks of 16 tokens. */

static char folder[] = "/tmp/fairway-docs.XXXXXX";

/* 0: 40 tokens, 1: 30, 2: 16, 7: 5 */
#define DOCS "# made by hand\n0\t40\tfirst\n1\t30\tsecond\n2\t16\n7\t5\tlast\n"

static int parse(struct trace *trace, const char *docs_text,
		 const char *reqs_text, double rate, uint64_t seed,
		 struct diag *diag)
{
	struct lines_buffer docs_from = {docs_text, strlen(docs_text), 0, 5};
	struct lines_buffer reqs_from = {reqs_text, strlen(reqs_text), 0, 9};
	struct lines_source docs_source = lines_buffer_source(&docs_from);
	struct lines_source reqs_source = lines_buffer_source(&reqs_from);
	struct lines docs, reqs;
	struct trace_input in = {
		.lines = &reqs,
		.opt.rate = {.rate = rate, .seed = seed},
	};
	int ret;

	ck_assert(
		!lines_open_source(&docs, "t.docs", &docs_source, NULL, diag));
	ck_assert(
		!lines_open_source(&reqs, "t.reqs", &reqs_source, NULL, diag));
	ret = trace_parse_docs(trace, &docs, &reqs, &in, diag);
	if (!ret)
		ret = input_settle(&in, trace, diag);
	arrival_destroy(&in.arrivals);
	lines_close(&docs);
	lines_close(&reqs);
	return ret;
}

static void good(struct trace *trace, const char *reqs)
{
	struct diag diag = {""};

	ck_assert_msg(!parse(trace, DOCS, reqs, 0.0, 0, &diag), "%s",
		      diag.text);
}

/* Full blocks that two requests have in common from their begin. */
static uint32_t common(const struct trace *trace, size_t a, size_t b)
{
	const struct trace_req *x = &trace->reqs[a];
	const struct trace_req *y = &trace->reqs[b];
	uint32_t n = 0;

	while (n < x->num_ids && n < y->num_ids &&
	       nth_id(trace, x, n) == nth_id(trace, y, n))
		n++;
	return n;
}

START_TEST(test_prompt_is_documents_then_question)
{
	struct trace trace;

	good(&trace, "0\t9\t3\t0,1\n250\t-\t0\t7\n");
	ck_assert_uint_eq(trace.block_size, 16);
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert_uint_eq(trace.reqs[0].len, 73);
	ck_assert_uint_eq(trace.reqs[0].num_ids, 4);
	ck_assert_uint_eq(trace.reqs[0].output_len, 9);
	ck_assert_uint_eq(trace.reqs[1].len, 5);
	ck_assert_uint_eq(trace.reqs[1].num_ids, 0);
	ck_assert_uint_eq(trace.reqs[1].output_len, 0);
	ck_assert(trace.reqs[1].arrival_ms == 250.0);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_equal_first_documents_share_the_blocks_they_fill)
{
	struct trace trace;

	/* 40 and 30 tokens: two blocks end in the first, two in the second. */
	good(&trace, "0\t-\t9\t0,1\n0\t-\t9\t0,1\n0\t-\t9\t0,1,2\n"
		     "0\t-\t9\t0,2\n0\t-\t90\t0\n0\t-\t0\t0,1\n");
	ck_assert_uint_eq(common(&trace, 0, 1), 4);
	ck_assert_uint_eq(common(&trace, 0, 2), 4);
	ck_assert_uint_eq(common(&trace, 0, 3), 2);
	ck_assert_uint_eq(common(&trace, 0, 4), 2);
	ck_assert_uint_eq(common(&trace, 3, 4), 2);
	ck_assert_uint_eq(common(&trace, 0, 5), 4);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_another_order_shares_nothing)
{
	struct trace trace;

	good(&trace, "0\t-\t9\t0,1\n0\t-\t9\t1,0\n0\t-\t9\t1,0\n");
	ck_assert_uint_eq(common(&trace, 0, 1), 0);
	ck_assert_uint_eq(common(&trace, 1, 2), 4);
	ck_assert_int_eq(trace_shared_ids(&trace), 4);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_question_is_never_shared)
{
	struct trace trace;

	/* 16 + 40 tokens: the block behind the document is the question's. */
	good(&trace, "0\t-\t40\t2\n0\t-\t40\t2\n0\t-\t8\t7\n0\t-\t11\t7\n");
	ck_assert_uint_eq(common(&trace, 0, 1), 1);
	ck_assert_int_eq(trace_shared_ids(&trace), 1);
	ck_assert_uint_eq(trace.reqs[3].num_ids, 1);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_question_that_is_a_document_is_shared)
{
	struct trace trace;

	good(&trace, "0\t-\t0\t0,2\n0\t-\t0\t0,2\n0\t-\t0\t0,7\n");
	ck_assert_uint_eq(common(&trace, 0, 1), 3);
	ck_assert_uint_eq(common(&trace, 0, 2), 2);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_repeated_document_is_another_prefix)
{
	struct trace trace;

	good(&trace, "0\t-\t0\t2,2,2\n0\t-\t0\t2,2\n");
	ck_assert_uint_eq(common(&trace, 0, 1), 2);
	ck_assert_uint_ne(nth_id(&trace, trace.reqs, 0),
			  nth_id(&trace, trace.reqs, 1));
	ck_assert_uint_ne(nth_id(&trace, trace.reqs, 1),
			  nth_id(&trace, trace.reqs, 2));
	trace_destroy(&trace);
}
END_TEST

/* --- random prompts, against the text of the prompts itself --- */

enum {
	NUM_DOCS = 5,
	NUM_RANDOM = 120,
	MAX_TOKENS = 400,
};

struct prompt {
	uint32_t token[MAX_TOKENS];
	uint32_t len;
};

static void push_doc(struct prompt *prompt, uint32_t doc, uint32_t tokens)
{
	for (uint32_t i = 0; i < tokens; i++)
		prompt->token[prompt->len++] = doc * 1000 + i;
}

static uint32_t slow_common(const struct prompt *a, const struct prompt *b)
{
	uint32_t n = 0;

	while (n < a->len && n < b->len && a->token[n] == b->token[n])
		n++;
	return n / 16;
}

START_TEST(test_random_prompts_share_what_their_texts_do)
{
	static struct prompt prompts[NUM_RANDOM];
	static char reqs[NUM_RANDOM * 64];
	static const uint32_t lens[NUM_DOCS] = {40, 30, 16, 7, 5};
	char docs[128] = "";
	struct diag diag = {""};
	struct trace trace;
	size_t used = 0;

	srand((unsigned int)_i);
	for (int i = 0; i < NUM_DOCS; i++)
		used += (size_t)sprintf(docs + used, "%d\t%u\n", i, lens[i]);
	used = 0;
	for (uint32_t r = 0; r < NUM_RANDOM; r++) {
		uint32_t question = (uint32_t)rand() % 40;
		int num = 1 + rand() % 4;

		prompts[r].len = 0;
		used += (size_t)sprintf(reqs + used, "%u\t-\t%u\t", r,
					question);
		for (int k = 0; k < num; k++) {
			uint32_t doc = (uint32_t)rand() % NUM_DOCS;

			push_doc(&prompts[r], doc, lens[doc]);
			used += (size_t)sprintf(reqs + used, "%s%u",
						k ? "," : "", doc);
		}
		push_doc(&prompts[r], 100 + r, question);
		used += (size_t)sprintf(reqs + used, "\n");
	}
	ck_assert_msg(!parse(&trace, docs, reqs, 0.0, 0, &diag), "%s",
		      diag.text);
	for (uint32_t a = 0; a < NUM_RANDOM; a++)
		for (uint32_t b = 0; b < a; b++)
			ck_assert_msg(common(&trace, a, b) ==
					      slow_common(&prompts[a],
							  &prompts[b]),
				      "seed %d, requests %u and %u", _i, a, b);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_a_fifth_field_names_the_tenant)
{
	struct trace trace;

	good(&trace, "0\t-\t9\t0\n1\t-\t9\t0\t5\n2\t-\t9\t0\tann\n"
		     "3\t-\t9\t0\t\n");
	ck_assert_uint_eq(trace.reqs[0].tenant, 0);
	ck_assert_uint_eq(trace.reqs[1].tenant, 5);
	ck_assert_uint_gt(trace.reqs[2].tenant, 5);
	ck_assert_uint_eq(trace.reqs[3].tenant, 0);
	trace_destroy(&trace);
}
END_TEST

/* --- arrivals --- */

#define TIMELESS "-\t-\t3\t0\n-\t-\t3\t1\n-\t-\t3\t2\n-\t-\t3\t7\n"

START_TEST(test_rate_and_seed_decide_the_arrivals)
{
	struct trace a, b, c;
	struct diag diag = {""};

	ck_assert(!parse(&a, DOCS, TIMELESS, 2.0, 1, &diag));
	ck_assert(!parse(&b, DOCS, TIMELESS, 2.0, 1, &diag));
	ck_assert(!parse(&c, DOCS, TIMELESS, 2.0, 2, &diag));
	for (int i = 0; i < 4; i++) {
		ck_assert(a.reqs[i].arrival_ms == b.reqs[i].arrival_ms);
		ck_assert(!i ||
			  a.reqs[i].arrival_ms >= a.reqs[i - 1].arrival_ms);
	}
	ck_assert(a.reqs[3].arrival_ms != c.reqs[3].arrival_ms);
	trace_destroy(&a);
	trace_destroy(&b);
	trace_destroy(&c);
}
END_TEST

START_TEST(test_mean_gap_is_one_over_the_rate)
{
	enum {
		NUM = 20000
	};
	char *reqs = calloc(NUM, 16);
	struct diag diag = {""};
	struct trace trace;
	size_t used = 0;
	double last;

	for (int i = 0; i < NUM; i++)
		used += (size_t)sprintf(reqs + used, "-\t-\t1\t7\n");
	ck_assert(!parse(&trace, DOCS, reqs, 4.0, 3, &diag));
	last = trace.reqs[NUM - 1].arrival_ms / 1000.0;
	/* Five standard deviations of the sum. */
	ck_assert_double_eq_tol(last, NUM / 4.0, 5 * 141.5 / 4.0);
	trace_destroy(&trace);
	free(reqs);
}
END_TEST

/* --- what is wrong --- */

static const struct {
	const char *docs;
	const char *reqs;
	const char *message;
} bad[] = {
	{"", "0\t1\t1\t0\n", "t.docs: expected at least one document (none)"},
	{"# x\n", "", "t.docs: expected at least one document (none)"},
	{"0 40 x\n", "",
	 "t.docs:1: line: expected id, tokens and label, apart "
	 "by tabs (no tab)"},
	{"0\t4\n1", "",
	 "t.docs:2: line: expected id, tokens and label, apart "
	 "by tabs (no tab; cut off)"},
	{"x\t4\n", "",
	 "t.docs:1: id: expected a whole number from 0 to "
	 "18446744073709551615 (x)"},
	{"3\t4\n3\t5\n", "",
	 "t.docs:2: id: expected each document once (3 again)"},
	{"0\t0\n", "",
	 "t.docs:1: tokens: expected a whole number from 1 to "
	 "2147483647 (0)"},
	{"0\t-4\n", "",
	 "t.docs:1: tokens: expected a whole number from 1 to "
	 "2147483647 (-4)"},
	{DOCS, "", "t.reqs: expected at least one request (no requests)"},
	{DOCS, "# x\n", "t.reqs: expected at least one request (no requests)"},
	{DOCS, "0\t1\t1\n",
	 "t.reqs:1: line: expected arrival, output tokens, question tokens and "
	 "document ids, apart by tabs (3 fields)"},
	{DOCS, "0\t1\t1\t0\n5\t1",
	 "t.reqs:2: line: expected arrival, output tokens, question tokens and "
	 "document ids, apart by tabs (2 fields; the file may be cut off)"},
	{DOCS, "0\t1\t1\t0\t0\t0\n",
	 "t.reqs:1: line: expected arrival, output tokens, question tokens and "
	 "document ids, apart by tabs (over 5 fields)"},
	{DOCS, "x\t1\t1\t0\n",
	 "t.reqs:1: arrival: expected a time from 0 to 2^53 ms, a day and a "
	 "time, or \"-\" (x)"},
	{DOCS, "5\t1\t1\t0\n-\t1\t1\t0\n",
	 "t.reqs:2: arrival: expected a time, as the requests before have one "
	 "(none)"},
	{DOCS, "-\t1\t1\t0\n5\t1\t1\t0\n",
	 "t.reqs:2: arrival: expected no time, as the requests before have "
	 "none "
	 "(a time)"},
	{DOCS, TIMELESS,
	 "t.reqs: arrival: expected times, or --rate R to draw "
	 "them (4 of 4 requests have none)"},
	{DOCS, "0\t1.5\t1\t0\n",
	 "t.reqs:1: output: expected a whole number from 0 to 2147483647 "
	 "(1.5)"},
	{DOCS, "0\t1\t-\t0\n",
	 "t.reqs:1: question: expected a whole number from 0 to 2147483647 "
	 "(-)"},
	{DOCS, "0\t1\t1\t\n",
	 "t.reqs:1: documents: expected ids apart by commas (\"\")"},
	{DOCS, "0\t1\t1\t0,,1\n",
	 "t.reqs:1: documents: expected ids apart by commas (\"\")"},
	{DOCS, "0\t1\t1\t0 1\n",
	 "t.reqs:1: documents: expected ids apart by commas (\"0 1\")"},
	{DOCS, "0\t1\t1\t0,3\n",
	 "t.reqs:1: documents: expected ids that the .docs file has (3)"},
	{DOCS, "0\t1\t2147483647\t0\n",
	 "t.reqs:1: documents: expected a prompt of at most 2097152 tokens "
	 "(2147483687; --limit prompt=N raises it)"},
	{"0\t2147483647\n", "0\t1\t1\t0,0\n",
	 "t.reqs:1: documents: expected a prompt of at most 2097152 tokens "
	 "(2147483647; --limit prompt=N raises it)"},
};

START_TEST(test_bad_input_is_named_by_file_line_and_field)
{
	struct diag diag = {""};
	struct trace trace;

	ck_assert_int_eq(parse(&trace, bad[_i].docs, bad[_i].reqs, 0.0, 0,
			       &diag),
			 -EINVAL);
	ck_assert_str_eq(diag.text, bad[_i].message);
}
END_TEST

/* --- files --- */

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int read_name(const char *name, size_t *num, struct diag *diag)
{
	struct read_options opt = {0};
	struct trace trace;
	int ret = trace_read(&trace, path_of(name), &opt, NULL, diag);

	if (ret)
		return ret;
	*num = trace.num_reqs;
	trace_destroy(&trace);
	return 0;
}

START_TEST(test_either_file_finds_the_other)
{
	struct diag diag = {""};
	size_t num = 0;

	write_text(path_of("t.docs"), DOCS);
	ck_assert(read_name("t.docs", &num, &diag));
	ck_assert_msg(strstr(diag.text, "t.reqs: expected a file that can be "
					"read"),
		      "%s", diag.text);
	write_text(path_of("t.reqs"), "0\t1\t1\t0\n");
	ck_assert(!read_name("t.docs", &num, &diag) && num == 1);
	ck_assert(!read_name("t.reqs", &num, &diag) && num == 1);
	unlink(path_of("t.docs"));
	unlink(path_of("t.reqs"));
}
END_TEST

START_TEST(test_real_questions_over_documents_are_read)
{
	const char *path = shared_path("traces/ragpulse_parts.reqs");
	struct read_options opt = {0};
	struct diag diag = {""};
	struct trace trace;

	if (!path) {
		fprintf(stderr, "# skipped: no ragpulse_parts.reqs\n");
		return;
	}
	ck_assert_msg(!trace_read(&trace, path, &opt, NULL, &diag), "%s",
		      diag.text);
	ck_assert_uint_eq(trace.num_reqs, 7106);
	ck_assert_int_gt(trace_shared_ids(&trace), 0);
	trace_destroy(&trace);
}
END_TEST

static void add(Suite *suite, TCase *tc)
{
	tcase_add_test(tc, test_prompt_is_documents_then_question);
	tcase_add_test(tc,
		       test_equal_first_documents_share_the_blocks_they_fill);
	tcase_add_test(tc, test_another_order_shares_nothing);
	tcase_add_test(tc, test_question_is_never_shared);
	tcase_add_test(tc, test_question_that_is_a_document_is_shared);
	tcase_add_test(tc, test_repeated_document_is_another_prefix);
	tcase_add_loop_test(tc, test_random_prompts_share_what_their_texts_do,
			    1, 6);
	tcase_add_test(tc, test_a_fifth_field_names_the_tenant);
	tcase_add_test(tc, test_rate_and_seed_decide_the_arrivals);
	tcase_add_test(tc, test_mean_gap_is_one_over_the_rate);
	tcase_add_loop_test(tc, test_bad_input_is_named_by_file_line_and_field,
			    0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, test_either_file_finds_the_other);
	tcase_add_test(tc, test_real_questions_over_documents_are_read);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("docs");
	int status;

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	add(suite, tcase_create("requests over documents"));
	status = run_suite(suite);
	rmdir(folder);
	return status;
}
