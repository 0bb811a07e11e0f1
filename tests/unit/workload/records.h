/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_WORKLOAD_RECORDS_H
#define TESTS_WORKLOAD_RECORDS_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/run.h"

/* The pairs of files that workloads of records need, in small. */
static const char *const pairs[] = {"secqa_whole", "secqa_chunks"};

static inline void pair_path(char *path, size_t size, const char *folder, int i,
			     const char *end)
{
	snprintf(path, size, "%s/%s%s", folder, pairs[i], end);
}

/* No case runs yet, so nothing can be asserted. */
static inline void write_record(const char *folder, int i, const char *end,
				const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	pair_path(path, sizeof(path), folder, i, end);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		perror(path);
}

static inline void write_records(const char *folder)
{
	for (int i = 0; i < 2; i++) {
		write_record(folder, i, ".docs", "1\t100\n2\t60\n");
		write_record(folder, i, ".reqs",
			     "-\t1\t20\t1,2\n-\t1\t9\t1,2\n"
			     "-\t1\t20\t2\n-\t1\t30\t1\n");
	}
}

static inline void remove_records(const char *folder)
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

/* Run @suite with such files where FAIRWAY_TRACES says. Frees @suite. */
static inline int run_with_records(Suite *suite)
{
	char folder[] = "test_workload.XXXXXX";
	int status;

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	setenv("FAIRWAY_TRACES", folder, 1);
	write_records(folder);
	status = run_suite(suite);
	remove_records(folder);
	return status;
}

#endif
