/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_RNG_H
#define TOOLS_BASE_RNG_H

#include <stdint.h>

/*
 * The workloads' generator of random numbers. Its state is integers. Real
 * draws use only operations that IEEE rounds correctly (+ - * / sqrt). So a
 * seed gives the same trace under every libm, compiler and machine.
 */

/**
 * struct rng - a generator
 * @s: state, not all 0
 */
struct rng {
	uint64_t s[4];
};

/* Equal seeds, equal draws. */
void rng_seed(struct rng *rng, uint64_t seed);
/* 64 uniform bits. */
uint64_t rng_u64(struct rng *rng);
/* Uniform in [0, n), without bias. */
uint64_t rng_below(struct rng *rng, uint64_t n);
/* Uniform in (0, 1). */
double rng_unit(struct rng *rng);
/* An exponential draw of mean @mean, over 0. */
double rng_exponential(struct rng *rng, double mean);
/*
 * A gamma draw of shape @shape, from 0.01 to 1000, and mean @mean.
 * Shape 1 is exponential; below it draws come in bursts, above it they come
 * evenly.
 */
double rng_gamma(struct rng *rng, double shape, double mean);
/* A normal draw of mean 0 and deviation 1. */
double rng_normal(struct rng *rng);
/* The exponential of a normal draw of deviation @sigma, times @median. */
double rng_lognormal(struct rng *rng, double median, double sigma);

/* Natural logarithm and exponential by correctly rounded operations only. */
double rng_log(double x);
double rng_exp(double x);

#endif
