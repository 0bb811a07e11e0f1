/* SPDX-License-Identifier: Apache-2.0 */
#include "rng.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* Wider intermediate results are rounded twice and give other traces. */
_Static_assert(FLT_EVAL_METHOD == 0,
	       "the generator needs plain doubles (on x86: -mfpmath=sse)");

/*
 * ln 2 in two parts. The low bits of the high part are 0, so that its product
 * with an exponent is exact.
 */
static const double ln2_hi = 0x1.62e42fee00000p-1;
static const double ln2_lo = 0x1.a39ef35793c76p-33;

static uint64_t splitmix(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

void rng_seed(struct rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		rng->s[i] = splitmix(&seed);
}

static uint64_t rotate(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

/* xoshiro256** by Blackman and Vigna. */
uint64_t rng_u64(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	uint64_t least;
	uint64_t x;

	assert(n);
	/* 2^64 is no multiple of n: leave out the lowest 2^64 mod n values. */
	least = -n % n;
	do {
		x = rng_u64(rng);
	} while (x < least);
	return x % n;
}

double rng_unit(struct rng *rng)
{
	/* 52 bits and a half take 53, so no draw is rounded to 0 or to 1. */
	return ((double)(rng_u64(rng) >> 12) + 0.5) * 0x1p-52;
}

double rng_exponential(struct rng *rng, double mean)
{
	return -mean * rng_log(rng_unit(rng));
}

/*
 * Marsaglia and Tsang's method for a shape of at least 1, of mean @shape. The
 * power of a uniform draw brings it down to a smaller shape.
 */
static double gamma_draw(struct rng *rng, double shape)
{
	double d = (shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0;
	double c = 1.0 / sqrt(9.0 * d);
	double x, v;

	do {
		do {
			x = rng_normal(rng);
			v = 1.0 + c * x;
		} while (v <= 0.0);
		v = v * v * v;
	} while (rng_log(rng_unit(rng)) >=
		 0.5 * x * x + d - d * v + d * rng_log(v));
	if (shape >= 1.0)
		return d * v;
	return d * v * rng_exp(rng_log(rng_unit(rng)) / shape);
}

double rng_gamma(struct rng *rng, double shape, double mean)
{
	if (shape == 1.0)
		return rng_exponential(rng, mean);
	return gamma_draw(rng, shape) * (mean / shape);
}

/* Marsaglia's polar method. Its second value is dropped, not kept. */
double rng_normal(struct rng *rng)
{
	double u;
	double v;
	double q;

	do {
		u = 2.0 * rng_unit(rng) - 1.0;
		v = 2.0 * rng_unit(rng) - 1.0;
		q = u * u + v * v;
	} while (q >= 1.0 || q == 0.0);
	return u * sqrt(-2.0 * rng_log(q) / q);
}

double rng_lognormal(struct rng *rng, double median, double sigma)
{
	return median * rng_exp(sigma * rng_normal(rng));
}

/*
 * x = m * 2^e, where m lies between sqrt(1/2) and sqrt(2). With
 * s = (m - 1) / (m + 1), log m = 2 (s + s^3/3 + s^5/5 + ...). s^2 is below
 * 0.0295, so the terms that are left out are under 2^-56 of the sum.
 */
double rng_log(double x)
{
	double sum = 0.0;
	double m;
	double s;
	double z;
	int e;

	if (!(x > 0.0))
		return x == 0.0 ? -HUGE_VAL : (double)NAN;
	if (isinf(x))
		return x;
	m = frexp(x, &e);
	if (m < 0x1.6a09e667f3bcdp-1) {
		m *= 2.0;
		e--;
	}
	s = (m - 1.0) / (m + 1.0);
	z = s * s;
	for (int n = 23; n > 1; n -= 2)
		sum = (sum + 1.0 / n) * z;
	return e * ln2_hi + (e * ln2_lo + 2.0 * (s + s * sum));
}

/*
 * x = k ln 2 + r, where |r| is at most half of ln 2. exp r is its power series:
 * the terms after r^14 / 14! are under 2^-57.
 */
double rng_exp(double x)
{
	double sum = 1.0;
	double r;
	int k;

	if (isnan(x))
		return x;
	if (x > 709.782712893384)
		return HUGE_VAL;
	if (x < -745.2)
		return 0.0;
	k = (int)(x * 0x1.71547652b82fep+0 + (x < 0.0 ? -0.5 : 0.5));
	r = x - k * ln2_hi - k * ln2_lo;
	for (int n = 14; n > 0; n--)
		sum = 1.0 + sum * r / n;
	return ldexp(sum, k);
}
