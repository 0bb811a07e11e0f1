/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_RNG_H
#define TOOLS_RNG_H

#include <stdint.h>

/*
 * The workloads' own generator. Integer state, and nothing but correctly
 * rounded operations (+ - * / sqrt) behind the real-valued draws, so that a
 * seed gives the same trace under every libm, compiler and machine.
 */

struct rng {
	uint64_t s[4];
};

void rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_u64(struct rng *rng);
/* Uniform in [0, n), without bias. */
uint64_t rng_below(struct rng *rng, uint64_t n);
/* Uniform in (0, 1). */
double rng_unit(struct rng *rng);
double rng_exponential(struct rng *rng, double mean);
double rng_normal(struct rng *rng);
double rng_lognormal(struct rng *rng, double median, double sigma);

/* Natural logarithm and exponential by correctly rounded operations only. */
double rng_log(double x);
double rng_exp(double x);

#endif
