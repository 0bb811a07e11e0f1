/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/doubles.h"
#include "fit_solve.h"

/*
 * The knee is the N where a step leaves the floor Tw. On each side of it the
 * time is linear in the constants. So the steps are sorted by N, and every
 * place of the knee is tried. Each place is one linear least squares problem,
 * solved from sums over prefixes of the steps.
 *
 * This is done again and again, with new weights: a step that was far off
 * counts less. The first rounds use Huber's weights, the others Tukey's, which
 * give an outlier the weight 0.
 */

enum {
	MIN_STEPS = 8,
	MIN_SIDE = 3, /* steps that tell a side of the knee */
	MAX_KNEES = 512, /* places that are tried */
	HUBER_ROUNDS = 12,
	ROUNDS = 40,
};

/* The usual constants of both weights: 95% efficient on normal errors. */
#define HUBER 1.345
#define TUKEY 4.685
#define SIGMA_OF_MEDIAN 1.4826

/* The squared error that a floor must remove, in units of the noise. */
#define LEAST_GAIN 40.0

/* Measurements are rounded: errors below this are all alike. */
#define LEAST_SIGMA 1e-7

/**
 * struct search - a fit that is being made
 * @steps: sorted by tokens
 * @num: how many
 * @weight: of each, from 0 to 1
 * @sums: of the first i steps, in [i]
 * @scratch: for a median
 * @knees: places of the knee that are tried, each between two values of N
 * @num_knees: how many
 * @scale: units of the sums
 * @best: the best constants so far
 * @floor: how many of the first steps these put on the floor
 */
struct search {
	struct step *steps;
	size_t num;
	double *weight;
	struct fit_sums *sums;
	double *scratch;
	size_t knees[MAX_KNEES];
	size_t num_knees;
	struct fit_scale scale;
	struct fit_params best;
	size_t floor;
};

static int by_tokens(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->tokens > y->tokens || x->tokens < y->tokens)
		return x->tokens > y->tokens ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Relative error: over 0 where the step took longer than fitted. */
static double off(const struct fit_params *p, const struct step *step)
{
	double line = p->t0 + p->a * step->tokens;
	double fitted = fmax(line, p->tw) + p->b * step->pairs;

	return (step->seconds - fitted) / step->seconds;
}

static double quantile_off(const struct search *s, double q)
{
	for (size_t i = 0; i < s->num; i++)
		s->scratch[i] = fabs(off(&s->best, &s->steps[i]));
	doubles_sort(s->scratch, s->num);
	return s->scratch[(size_t)ceil(q * (double)s->num) - 1];
}

static double sigma(const struct search *s)
{
	return fmax(SIGMA_OF_MEDIAN * quantile_off(s, 0.5), LEAST_SIGMA);
}

static void weigh(struct search *s, bool tukey)
{
	double unit = sigma(s);

	for (size_t i = 0; i < s->num; i++) {
		double r = fabs(off(&s->best, &s->steps[i])) / unit;

		if (!tukey)
			s->weight[i] = r > HUBER ? HUBER / r : 1.0;
		else if (r < TUKEY)
			s->weight[i] = pow(1.0 - pow(r / TUKEY, 2.0), 2.0);
		else
			s->weight[i] = 0.0;
	}
}

static void add_up(struct search *s)
{
	s->sums[0] = (struct fit_sums){0};
	for (size_t i = 0; i < s->num; i++) {
		s->sums[i + 1] = s->sums[i];
		fit_sums_add(&s->sums[i + 1], &s->steps[i], &s->scale,
			     s->weight[i]);
	}
}

/* Find the best place of the knee. @floor is 0 where no knee is better. */
static int find_knee(struct search *s)
{
	const struct fit_sums *all = &s->sums[s->num];
	double least = HUGE_VAL;
	int err = fit_solve(&s->best, &s->sums[0], all, &s->scale, &least);

	s->floor = 0;
	for (size_t i = 0; i < s->num_knees; i++) {
		struct fit_params params;
		double loss;

		if (fit_solve(&params, &s->sums[s->knees[i]], all, &s->scale,
			      &loss) ||
		    loss >= least)
			continue;
		least = loss;
		s->best = params;
		s->floor = s->knees[i];
		err = 0;
	}
	return err;
}

/* Steps that these constants put on the floor. */
static size_t count_floor(const struct search *s, const struct fit_params *p)
{
	size_t num = 0;

	while (num < s->num && p->t0 + p->a * s->steps[num].tokens < p->tw)
		num++;
	return num;
}

/* Move the knee until the first @floor steps are those on the floor. */
static void settle_knee(struct search *s)
{
	for (int i = 0; s->floor && i < 20; i++) {
		size_t floor = count_floor(s, &s->best);
		struct fit_params params;
		double loss;

		if (floor == s->floor || floor < MIN_SIDE ||
		    floor + MIN_SIDE > s->num ||
		    fit_solve(&params, &s->sums[floor], &s->sums[s->num],
			      &s->scale, &loss))
			return;
		s->best = params;
		s->floor = floor;
	}
}

/*
 * The best of many places always fits a little better than no floor. A floor
 * that gains no more than noise would, or that lies on the line, is dropped.
 */
static void doubt_floor(struct search *s)
{
	const struct fit_sums *all = &s->sums[s->num];
	struct fit_params same, none;
	double with, without, line, unit = sigma(s);

	if (!s->floor)
		return;
	line = s->best.t0 + s->best.a * s->steps[0].tokens;
	if (fit_solve(&none, &s->sums[0], all, &s->scale, &without))
		return;
	fit_solve(&same, &s->sums[s->floor], all, &s->scale, &with);
	if (without - with > LEAST_GAIN * unit * unit &&
	    line < 0.99 * s->best.tw)
		return;
	s->floor = 0;
	s->best = none;
}

static int search(struct search *s)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct fit_params before = s->best;
		int err;

		add_up(s);
		err = find_knee(s);
		if (err)
			return err;
		settle_knee(s);
		doubt_floor(s);
		if (i > HUBER_ROUNDS && fit_same(&before, &s->best))
			break;
		weigh(s, i >= HUBER_ROUNDS);
	}
	return 0;
}

/*
 * A line that rises no more than the noise determines neither t0 nor a. Where
 * the pairs follow from the tokens, b has taken the rise.
 */
static int doubt_line(const struct search *s)
{
	const struct step *first = &s->steps[s->floor];
	const struct step *last = &s->steps[s->num - 1];
	double rise = s->best.a * (last->tokens - first->tokens);
	double noise = sigma(s) / sqrt((double)(s->num - s->floor));
	double line = s->best.t0 + s->best.a * last->tokens;
	struct fit_params none;
	double loss;

	if (rise > fmax(0.02, 4.0 * noise) * line)
		return 0;
	if (fit_solve(&none, &s->sums[0], &s->sums[s->num], &s->scale, &loss) ==
	    FIT_NO_PAIRS)
		return FIT_NO_PAIRS;
	return FIT_NO_TOKENS;
}

static void fill(struct fit *fit, const struct search *s)
{
	const struct fit_params *p = &s->best;

	*fit = (struct fit){
		.device = {"table", p->t0, p->a, p->b,
			   s->floor ? p->tw : p->t0},
		.has_floor = s->floor,
		.on_floor = s->floor ? count_floor(s, p) : 0,
		.median = quantile_off(s, 0.5),
		.p90 = quantile_off(s, 0.9),
	};
	for (size_t i = 0; i < s->num; i++)
		fit->set_aside += s->weight[i] <= 0.0;
}

static void find_worst(struct fit *fit, const struct search *s,
		       const struct steps *steps)
{
	fit->worst_off = 0.0;
	fit->worst = 0;
	for (size_t i = 0; i < steps->num; i++) {
		double d = off(&s->best, &steps->list[i]);

		if (fabs(d) <= fabs(fit->worst_off))
			continue;
		fit->worst_off = d;
		fit->worst = i;
	}
}

static bool is_knee(const struct search *s, size_t at)
{
	return s->steps[at - 1].tokens < s->steps[at].tokens;
}

/* Of many values of N only every k-th: settle_knee() moves on from there. */
static void list_knees(struct search *s)
{
	size_t all = 0, seen = 0;

	for (size_t at = MIN_SIDE; at + MIN_SIDE <= s->num; at++)
		all += is_knee(s, at);
	for (size_t at = MIN_SIDE; at + MIN_SIDE <= s->num; at++) {
		size_t most = all < MAX_KNEES ? all : MAX_KNEES;

		if (!is_knee(s, at))
			continue;
		if (seen++ * most / all >= s->num_knees)
			s->knees[s->num_knees++] = at;
	}
}

static int init(struct search *s, const struct steps *steps)
{
	s->num = steps->num;
	s->steps = calloc(s->num, sizeof(*s->steps));
	s->weight = calloc(s->num, sizeof(*s->weight));
	s->scratch = calloc(s->num, sizeof(*s->scratch));
	s->sums = calloc(s->num + 1, sizeof(*s->sums));
	if (!s->steps || !s->weight || !s->scratch || !s->sums)
		return -ENOMEM;
	memcpy(s->steps, steps->list, s->num * sizeof(*s->steps));
	qsort(s->steps, s->num, sizeof(*s->steps), by_tokens);
	s->scale = (struct fit_scale){s->steps[s->num - 1].tokens, 0.0};
	for (size_t i = 0; i < s->num; i++) {
		s->weight[i] = 1.0;
		s->scale.pairs = fmax(s->scale.pairs, s->steps[i].pairs);
	}
	list_knees(s);
	return 0;
}

static void destroy(struct search *s)
{
	free(s->sums);
	free(s->scratch);
	free(s->weight);
	free(s->steps);
}

static int refuse(const char *path, int err, struct diag *diag)
{
	switch (err) {
	case FIT_NO_TOKENS:
		return diag_set(diag, -EINVAL,
				"%s: expected steps of different numbers of "
				"tokens, some past the floor (all take one "
				"time)",
				path);
	case FIT_NO_PAIRS:
		return diag_set(diag, -EINVAL,
				"%s: expected pairs that do not follow from "
				"the tokens (they do: measure chunks at other "
				"positions too)",
				path);
	case FIT_FALLING:
		return diag_set(diag, -EINVAL,
				"%s: expected times that rise with the tokens "
				"(they do not)",
				path);
	default:
		return diag_set(diag, err, "%s: not enough memory", path);
	}
}

int fit_steps(struct fit *fit, const struct steps *steps, const char *path,
	      struct diag *diag)
{
	struct search s = {.num = 0};
	int err;

	if (steps->num < MIN_STEPS)
		return diag_set(diag, -EINVAL,
				"%s: expected at least %d measured steps (%zu)",
				path, MIN_STEPS, steps->num);
	err = init(&s, steps);
	if (!err)
		err = search(&s);
	if (!err)
		err = doubt_line(&s);
	if (!err) {
		fill(fit, &s);
		find_worst(fit, &s, steps);
	}
	destroy(&s);
	return err ? refuse(path, err, diag) : 0;
}
