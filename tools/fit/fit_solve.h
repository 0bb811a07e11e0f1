/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FIT_FIT_SOLVE_H
#define TOOLS_FIT_FIT_SOLVE_H

#include <stdbool.h>

#include "steps.h"

/* The linear half of fit.c: constants for a given side of each step. */

/* Over 0, so that -errno stands beside them. */
enum fit_refusal {
	FIT_NO_TOKENS = 1, /* the line has one value of N, or none */
	FIT_NO_PAIRS, /* P follows from the rest */
	FIT_FALLING, /* a is not over 0 */
};

/* The constants of struct fw_device. */
struct fit_params {
	double tw;
	double t0;
	double a;
	double b;
};

/* Tokens and pairs are counted in these, so that the sums are near 1. */
struct fit_scale {
	double tokens;
	double pairs;
};

/**
 * struct fit_sums - moments of some steps, each divided by its seconds
 * @one: of 1
 * @n: of N
 * @nn: of N * N, and so on with P and the seconds T
 */
struct fit_sums {
	double one;
	double n;
	double nn;
	double p;
	double np;
	double pp;
	double t;
	double nt;
	double pt;
	double tt;
};

void fit_sums_add(struct fit_sums *sums, const struct step *step,
		  const struct fit_scale *scale, double weight);

/**
 * fit_solve() - least squares with the first steps on the floor
 * @params: written only on success; none below 0
 * @floor: sums of the steps on the floor; of nothing for no floor
 * @all: sums of all steps
 * @loss: sum of the squared relative errors
 *
 * Return: 0 or one of enum fit_refusal.
 */
int fit_solve(struct fit_params *params, const struct fit_sums *floor,
	      const struct fit_sums *all, const struct fit_scale *scale,
	      double *loss);

/* The same, but for the last digits? */
bool fit_same(const struct fit_params *a, const struct fit_params *b);

#endif
