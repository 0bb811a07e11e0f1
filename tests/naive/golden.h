/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NAIVE_GOLDEN_H
#define TESTS_NAIVE_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naive_sim.h"

/*
 * The golden traces: nine small ones whose every TTFT is known. They stand in
 * the folder that the environment variable FAIRWAY_SHARED names.
 */

#define GOLDEN_BLOCK 16
#define GOLDEN_BUDGET 2048
#define GOLDEN_RUNNING 256
#define GOLDEN_DEVICE "a6000"
#define GOLDEN_TRACES 9
/* The files give nine decimals. */
#define GOLDEN_TOLERANCE 1e-9

/**
 * struct golden_trace - one trace
 * @name: "g1" and so on
 * @pool_blocks: cache that it is made for
 * @reqs: its requests; their ids are owned
 * @num: how many
 */
struct golden_trace {
	const char *name;
	uint32_t pool_blocks;
	struct naive_request *reqs;
	size_t num;
};

/**
 * struct golden_row - what one request must give
 * @trace: name of the trace
 * @policy: as --policy takes it
 * @id: the request
 * @len: its prompt
 * @ttft: seconds, -1 when rejected
 * @cached: tokens hit at admission
 */
struct golden_row {
	char trace[8];
	char policy[56];
	uint32_t id;
	uint32_t len;
	double ttft;
	uint32_t cached;
};

/**
 * struct golden - everything
 * @traces: all traces
 * @rows: all rows, those of one trace and policy together, by id
 * @num_rows: how many
 */
struct golden {
	struct golden_trace traces[GOLDEN_TRACES];
	struct golden_row *rows;
	size_t num_rows;
};

/* Path of a shared file, or NULL when there is no shared folder with it. */
const char *shared_path(const char *name);

/* Read all of it. Return: 0 or -errno. */
int golden_load(struct golden *golden);
void golden_destroy(struct golden *golden);

/* The trace that a row belongs to; NULL when it is unknown. */
const struct golden_trace *golden_find(const struct golden *golden,
				       const struct golden_row *row);

/* Rows from @row on that belong to the same trace and policy. */
size_t golden_run_rows(const struct golden *golden,
		       const struct golden_row *row);

/* Is this what @row expects? Seconds to GOLDEN_TOLERANCE. */
bool golden_matches(const struct golden_row *row, double ttft, uint32_t cached);

#endif
