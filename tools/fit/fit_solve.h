/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FIT_FIT_SOLVE_H
#define TOOLS_FIT_FIT_SOLVE_H

#include <stdbool.h>

#include "steps.h"

/* The linear part of fit.c: the constants for a given place of the knee. */

/* Positive, so that a function can return these or -errno. */
enum fit_refusal {
	FIT_NO_TOKENS = 1, /* all steps of the line have one value of N */
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

/* Units of tokens and pairs, so that the sums are near 1. */
struct fit_scale {
	double tokens;
	double pairs;
};

/**
 * struct fit_sums - weighted sums over some steps
 * @one: of 1
 * @n: of N
 * @nn: of N * N, and so on with P and the seconds T
 *
 * Each factor of a term is divided by the step's seconds: errors are relative.
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
 * @floor: sums of the steps on the floor; zeros for no floor
 * @all: sums of all steps
 * @loss: sum of the squared relative errors
 *
 * Return: 0 or one of enum fit_refusal.
 */
int fit_solve(struct fit_params *params, const struct fit_sums *floor,
	      const struct fit_sums *all, const struct fit_scale *scale,
	      double *loss);

/* Are both the same up to rounding? */
bool fit_same(const struct fit_params *a, const struct fit_params *b);

#endif
