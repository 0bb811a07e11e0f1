/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/clock.h"
#include "tools/base/diag.h"

/*
 * What benches share: how long a row takes, how its figures come about, and
 * how they are reported. A bench is one file with one function, and one line
 * of the table in cmd_bench.c.
 */

#define BENCH_MAX_SIZES 16u

/**
 * struct bench_args - what the user asked for
 * @waiting: queue lengths, rising or not
 * @num_waiting: of them
 * @seconds: time of a row, warm-up and building aside
 * @blocks: cached blocks of the prefix index
 * @seed: of the histories
 * @cold: empty the caches before each sample
 * @quiet: no progress
 */
struct bench_args {
	uint32_t waiting[BENCH_MAX_SIZES];
	unsigned int num_waiting;
	double seconds;
	uint32_t blocks;
	uint64_t seed;
	bool cold;
	bool quiet;
};

/**
 * struct bench_row - figures of one form
 * @bench: as --help names it, or a part of it
 * @form: what was measured
 * @waiting: queue length, 0 where there is no queue
 * @bytes: memory that was walked, 0 where that is not the point
 * @samples: measured
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
 * @on_cpu: that the benches were pinned to, -1 when they could not be
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
 * @rows: done so far
 * @num_rows: of them
 * @cap_rows: room for
 * @samples: of the row that is being measured, microseconds
 * @num_samples: of them
 * @cap_samples: room for
 * @touched: sum over the samples
 * @touched_max: most of them
 * @began: when the row did
 * @cold: what is walked to empty the caches
 * @form: being measured, for the progress line
 * @waiting: the same
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
 * @bench: in all respects empty
 * @args: copied
 * @diag: says what is wrong
 *
 * That the thread cannot be pinned is no error: the report says so.
 *
 * Return: 0 or -errno with @diag set.
 */
int bench_open(struct bench *bench, const struct bench_args *args,
	       struct diag *diag);
void bench_close(struct bench *bench);

/* Nanoseconds of a monotonic clock. */
static inline uint64_t bench_clock(void)
{
	return (uint64_t)clock_ns();
}

/* Say what is about to be prepared and measured. */
void bench_name(struct bench *bench, const char *form, uint64_t waiting);

/* Start to measure: samples from before are gone, and the time runs. */
void bench_begin(struct bench *bench);

/**
 * bench_more() - measure once more?
 * @bench: a row of which has begun
 * @least: samples that a row has, however long they take
 * @most: samples that are enough
 */
bool bench_more(const struct bench *bench, size_t least, size_t most);

/* Empty the caches if that was asked for. Outside of what is timed. */
void bench_chill(const struct bench *bench);

/**
 * bench_sample() - one measurement
 * @bench: the run
 * @us: microseconds
 * @touched: slots that were looked at, 0 where nobody counts
 *
 * Return: 0, -ENOMEM.
 */
int bench_sample(struct bench *bench, double us, double touched);

/**
 * bench_end() - the samples make a row
 * @bench: the run
 * @row: its names; the figures are filled in, and @touched unless it is NAN
 *
 * Return: 0, -ENOMEM.
 */
int bench_end(struct bench *bench, const struct bench_row *row);

/* The ceil(@q * @num)-th smallest of @num rising values, @num at least 1. */
double bench_rank(const double *sorted, size_t num, double q);

/* @row's median by that of the form "fairway" beside it; NAN without one. */
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

#endif
