/* SPDX-License-Identifier: Apache-2.0 */
#include "seeds.h"

#include "doubles.h"
#include "rng.h"

enum {
	RESAMPLES = 10000,
	TAIL = RESAMPLES / 40, /* 2.5% */
};

double seeds_median(double *values, unsigned int num)
{
	doubles_sort(values, num);
	return (values[(num - 1) / 2] + values[num / 2]) / 2.0;
}

static double mean_of_drawn(const double *values, unsigned int num,
			    struct rng *rng)
{
	double sum = 0.0;

	for (unsigned int i = 0; i < num; i++)
		sum += values[rng_below(rng, num)];
	return sum / num;
}

struct interval seeds_bootstrap(const double *values, unsigned int num)
{
	double means[RESAMPLES];
	double sum = 0.0;
	struct rng rng;

	rng_seed(&rng, 1);
	for (unsigned int i = 0; i < num; i++)
		sum += values[i];
	for (unsigned int i = 0; i < RESAMPLES; i++)
		means[i] = mean_of_drawn(values, num, &rng);
	doubles_sort(means, RESAMPLES);
	return (struct interval){
		.mean = sum / num,
		.low = means[TAIL],
		.high = means[RESAMPLES - 1 - TAIL],
	};
}
