/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TRACE_FOLDER_H
#define TESTS_UNIT_TRACE_FOLDER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/run.h"
#include "tools/trace/trace.h"

/* A folder for the files of a test program, and two traces compared. */

static char folder[] = "/tmp/fairway-trace.XXXXXX";

/* Of a file in the folder; four of them are valid at a time. */
static const char *path_of(const char *name)
{
	static char path[4][128];
	static unsigned int turn;
	char *to = path[turn++ % 4];

	snprintf(to, sizeof(path[0]), "%s/%s", folder, name);
	return to;
}

/* run_suite() with the folder made before and removed after. */
static inline int run_in_folder(Suite *suite)
{
	int status;

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	status = run_suite(suite);
	rmdir(folder);
	return status;
}

/* The same requests in the same runs of ids, in the same phases. */
static inline void assert_same(const struct trace *a, const struct trace *b)
{
	ck_assert_uint_eq(a->block_size, b->block_size);
	ck_assert_uint_eq(a->kv_blocks, b->kv_blocks);
	ck_assert_uint_eq(a->num_reqs, b->num_reqs);
	ck_assert_uint_eq(a->num_runs, b->num_runs);
	ck_assert_uint_eq(a->num_phases, b->num_phases);
	for (uint32_t i = 0; i < a->num_phases; i++)
		ck_assert_str_eq(a->phases[i], b->phases[i]);
	for (size_t i = 0; i < a->num_reqs; i++) {
		const struct trace_req *x = &a->reqs[i];
		const struct trace_req *y = &b->reqs[i];

		ck_assert(x->arrival_ms == y->arrival_ms);
		ck_assert_uint_eq(x->first_run, y->first_run);
		ck_assert_uint_eq(x->num_runs, y->num_runs);
		ck_assert_uint_eq(x->num_ids, y->num_ids);
		ck_assert_uint_eq(x->len, y->len);
		ck_assert_uint_eq(x->output_len, y->output_len);
		ck_assert_uint_eq(x->phase, y->phase);
		ck_assert_uint_eq(x->tenant, y->tenant);
	}
	for (size_t i = 0; i < a->num_runs; i++) {
		ck_assert_uint_eq(id_run_first(&a->runs[i]),
				  id_run_first(&b->runs[i]));
		ck_assert_uint_eq(a->runs[i].num, b->runs[i].num);
	}
}

#endif
