/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/clock.h"
#include "tools/base/diag.h"
#include "tools/policy/policy.h"

/*
 * What all benches share: how long a row is measured, how its figures are made
 * and how they are reported. A bench is one file with one function, and one
 * line in the table of tools/cmd/bench.c.
 */

#define BENCH_MAX_SIZES 16u

/**
 * struct bench_args - what the user asked for
 * @waiting: queue lengths, in any order
 * @num_waiting: how many
 * @policies: for step, those to set beside fairway; may be empty
 * @seconds: time of a row, without its warm-up and its building
 * @blocks: cached blocks of the prefix index
 * @seed: of the histories
 * @cold: empty the caches before each sample
 * @quiet: no progress
 */
struct bench_args {
	uint32_t waiting[BENCH_MAX_SIZES];
	unsigned int num_waiting;
	const struct policy_list *policies;
	double seconds;
	uint32_t blocks;
	uint64_t seed;
	bool cold;
	bool quiet;
};

/**
 * struct bench_row - figures of one form
 * @bench: name of the bench, or of a part of it
 * @form: what was measured
 * @waiting: queue length, 0 where there is no queue
 * @bytes: memory that was walked, 0 where the bench has no such size
 * @samples: how many were measured
 * @p50_us: median
 * @p99_us: 99th percentile; both nearest-rank
 * @max_us: slowest
 * @mean_us: mean
 * @touched: slots of the heap that a sample looked at, mean; NAN if unknown
 * @touched_max: most of them in one sample
 */
struct bench_row {
	const char *bench;
	const char *form;
	uint64_t waiting;
	uint64_t bytes;
	uint64_t samples;
	double p50_us;
	double p99_us;
	double max_us;
	double mean_us;
	double touched;
	double touched_max;
};

/**
 * struct bench_machine - where the figures come from
 * @cpu: as the kernel names it
 * @kernel: its release
 * @compiler: of this command
 * @cores: online
 * @on_cpu: the processor that runs the benches, -1 when they are not pinned
 * @cold_bytes: memory that is walked to empty the caches, 0 for warm runs
 */
struct bench_machine {
	char cpu[128];
	char kernel[128];
	const char *compiler;
	unsigned int cores;
	int on_cpu;
	size_t cold_bytes;
};

/**
 * struct bench - one run of some benches
 * @args: what the user asked for
 * @machine: where it runs
 * @rows: rows that are done
 * @num_rows: how many
 * @cap_rows: how many there is room for
 * @samples: of the row that is being measured, microseconds
 * @num_samples: how many
 * @cap_samples: how many there is room for
 * @touched: sum of this over the samples
 * @touched_max: the largest of a sample
 * @began: when the row began
 * @cold: memory that is walked to empty the caches
 * @form: the form that is being measured, for the progress line
 * @waiting: its queue length, for the same
 */
struct bench {
	struct bench_args args;
	struct bench_machine machine;
	struct bench_row *rows;
	size_t num_rows;
	size_t cap_rows;
	double *samples;
	size_t num_samples;
	size_t cap_samples;
	double touched;
	double touched_max;
	double began;
	unsigned char *cold;
	_Atomic(const char *) form;
	_Atomic uint64_t waiting;
};

/**
 * bench_open() - learn the machine, pin this thread, take the cold buffer
 * @bench: zeros
 * @args: copied
 * @diag: says what is wrong
 *
 * A thread that cannot be pinned is no error; the report says so.
 *
 * Return: 0 or -errno with @diag set.
 */
int bench_open(struct bench *bench, const struct bench_args *args,
	       struct diag *diag);
void bench_close(struct bench *bench);

/* Nanoseconds of a monotonic clock. */
static inline uint64_t bench_clock(void)
{
	return (uint64_t)fw_clock_now();
}

/* Tell the progress line what is prepared and measured next. */
void bench_name(struct bench *bench, const char *form, uint64_t waiting);

/* Begin a row: drop the samples of the one before, start its time. */
void bench_begin(struct bench *bench);

/**
 * bench_more() - does the row need another sample?
 * @bench: the run, in a row
 * @least: samples that a row has at least, however long they take
 * @most: samples that are enough
 */
bool bench_more(const struct bench *bench, size_t least, size_t most);

/* Empty the caches if --cold asks for it. Call it where no clock runs. */
void bench_chill(const struct bench *bench);

/**
 * bench_sample() - add a sample to the row
 * @bench: the run
 * @us: microseconds
 * @touched: slots that were looked at, 0 where they are not counted
 *
 * Return: 0, -ENOMEM, -EINTR when the run was interrupted: the row is dropped.
 */
int bench_sample(struct bench *bench, double us, double touched);

/**
 * bench_end() - end a row: make its figures from its samples
 * @bench: the run
 * @row: its names and sizes; @touched is NAN where slots are not counted
 *
 * Return: 0, -ENOMEM.
 */
int bench_end(struct bench *bench, const struct bench_row *row);

/* The ceil(@q * @num)-th smallest of @num rising values, @num at least 1. */
double bench_rank(const double *sorted, size_t num, double q);

/* The median of @row over that of the form "fairway"; NAN without one. */
double bench_ratio(const struct bench *bench, const struct bench_row *row);

/* Each returns 0 or -errno (-ENOMEM, or what stdio met). */
int bench_table(const struct bench *bench, FILE *to);
int bench_json(const struct bench *bench, FILE *to);

/* The benches. Each returns 0 or -errno with @diag set. */
int bench_step(struct bench *bench, struct diag *diag);
int bench_match(struct bench *bench, struct diag *diag);
int bench_events(struct bench *bench, struct diag *diag);
int bench_latency(struct bench *bench, struct diag *diag);
int bench_submit(struct bench *bench, struct diag *diag);
int bench_executor(struct bench *bench, struct diag *diag);

#endif
