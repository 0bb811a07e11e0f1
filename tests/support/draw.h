/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_DRAW_H
#define TESTS_SUPPORT_DRAW_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/*
 * Chances of a random test: splitmix64, which every seed suits. FAIRWAY_SEED
 * repeats a run.
 */
struct draw {
	uint64_t state;
};

static inline uint64_t draw_u64(struct draw *draw)
{
	uint64_t z = (draw->state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* In [0, num). */
static inline uint32_t draw_below(struct draw *draw, uint32_t num)
{
	return (uint32_t)(draw_u64(draw) % num);
}

static inline bool one_in(struct draw *draw, uint32_t num)
{
	return !draw_below(draw, num);
}

/* For main(), before any test forks: choose the seed and print it. */
static inline uint64_t draw_seed(void)
{
	const char *text = getenv("FAIRWAY_SEED");
	uint64_t seed = (uint64_t)time(NULL);

	if (text && *text)
		seed = strtoull(text, NULL, 0);
	printf("# FAIRWAY_SEED=%" PRIu64 "\n", seed);
	fflush(stdout);
	return seed;
}

#endif
