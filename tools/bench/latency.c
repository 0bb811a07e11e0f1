/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <unistd.h>

#include "lib/base/alloc.h"
#include "tools/base/rng.h"
#include "bench.h"

/*
 * What one load costs when the processor cannot predict its address, for each
 * cache. The limit of a step of the heap is counted in such loads.
 */

/* Loads of a sample. */
#define HOPS 1000u
#define MAX_SAMPLES 2000u

struct line {
	struct line *next;
	char pad[64 - sizeof(struct line *)];
};

/**
 * struct level - one size of memory
 * @form: its name in the report
 * @cache: what sysconf() calls the cache
 * @guess: its size, where sysconf() does not know
 * @num: the memory that is walked is this much
 * @den: divided by that, of the cache
 */
struct level {
	const char *form;
	int cache;
	long guess;
	long num;
	long den;
};

static const struct level levels[] = {
	{"L1", _SC_LEVEL1_DCACHE_SIZE, 32l << 10, 1, 2},
	{"L2", _SC_LEVEL2_CACHE_SIZE, 512l << 10, 1, 2},
	{"L3", _SC_LEVEL3_CACHE_SIZE, 32l << 20, 1, 4},
	{"DRAM", _SC_LEVEL3_CACHE_SIZE, 32l << 20, 4, 1},
};

static size_t level_lines(const struct level *level)
{
	long bytes = sysconf(level->cache);

	if (bytes <= 0)
		bytes = level->guess;
	return (size_t)(bytes / level->den * level->num) / sizeof(struct line);
}

/* One cycle through all lines, in an order that no prefetcher learns. */
static void link_lines(struct line *lines, size_t num, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed);
	for (size_t i = 0; i < num; i++)
		lines[i].next = &lines[i];
	for (size_t i = num - 1; i > 0; i--) {
		size_t j = rng_below(&rng, i);
		struct line *next = lines[i].next;

		lines[i].next = lines[j].next;
		lines[j].next = next;
	}
}

/*
 * Volatile at both ends: the loads stay between the two readings of the
 * clock, and their result counts.
 */
static double chase(struct line *volatile *at, size_t hops)
{
	uint64_t before = bench_clock();
	struct line *line = *at;

	for (size_t i = 0; i < hops; i++)
		line = line->next;
	*at = line;
	return (double)(bench_clock() - before) / (double)hops / 1e3;
}

static int measure(struct bench *bench, const struct level *level,
		   struct line *lines, size_t num)
{
	struct bench_row row = {
		.bench = "latency",
		.form = level->form,
		.bytes = num * sizeof(*lines),
		.touched = (double)NAN,
		.touched_max = (double)NAN,
	};
	struct line *volatile at = lines;
	int err = 0;

	chase(&at, HOPS);
	bench_begin(bench);
	while (!err && bench_more(bench, 5, MAX_SAMPLES))
		err = bench_sample(bench, chase(&at, HOPS), 0.0);
	return err ? err : bench_end(bench, &row);
}

int bench_latency(struct bench *bench, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		size_t num = level_lines(&levels[i]);
		struct line *lines;
		int err;

		bench_name(bench, levels[i].form, 0);
		lines = fw_alloc_lines(&fw_allocator_default, num,
				       sizeof(*lines));
		if (!lines)
			return diag_set(diag, -ENOMEM, "out of memory");
		link_lines(lines, num, bench->args.seed);
		err = measure(bench, &levels[i], lines, num);
		fw_free_lines(&fw_allocator_default, lines, num,
			      sizeof(*lines));
		if (err)
			return diag_set(diag, err, "out of memory");
	}
	return 0;
}
