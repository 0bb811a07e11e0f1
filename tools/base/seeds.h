/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_SEEDS_H
#define TOOLS_BASE_SEEDS_H

/* Figures over the seeds of an evaluation. */

/* @values is sorted by it. Of an even number the mean of the middle two. */
double seeds_median(double *values, unsigned int num);

/**
 * struct interval - a mean and how far it may be trusted
 * @mean: of the values
 * @low: 2.5% of the resampled means are below
 * @high: 2.5% of them are above
 */
struct interval {
	double mean;
	double low;
	double high;
};

/**
 * seeds_bootstrap() - the mean of some values, with its interval
 * @values: finite
 * @num: at least 1
 *
 * Draws as many values with replacement, 10,000 times, and takes the means
 * between which 95% of all lie. The draws are the same each time.
 */
struct interval seeds_bootstrap(const double *values, unsigned int num);

#endif
