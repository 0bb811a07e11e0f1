/* SPDX-License-Identifier: Apache-2.0 */
#include "fit_solve.h"

#include <math.h>

/*
 * Order of the unknowns. b comes last: its pivot is then what the others do not
 * explain of the pairs.
 */
enum {
	TW,
	T0,
	A,
	B,
	NUM_UNKNOWNS,
};

/* A pivot that shrank to this share of its size is only rounding. */
#define LEAST_PIVOT 1e-9

/**
 * struct system - normal equations
 * @m: of the unknowns with each other
 * @v: of the unknowns with the seconds
 * @used: the unknowns to solve for; the others are 0
 * @x: the solution
 */
struct system {
	double m[NUM_UNKNOWNS][NUM_UNKNOWNS];
	double v[NUM_UNKNOWNS];
	bool used[NUM_UNKNOWNS];
	double x[NUM_UNKNOWNS];
};

void fit_sums_add(struct fit_sums *sums, const struct step *step,
		  const struct fit_scale *scale, double weight)
{
	/* Relative errors: every term of a step is divided by its seconds. */
	double w = weight / (step->seconds * step->seconds);
	double n = step->tokens / scale->tokens;
	double p = step->pairs / scale->pairs;
	double t = step->seconds;

	sums->one += w;
	sums->n += w * n;
	sums->nn += w * n * n;
	sums->p += w * p;
	sums->np += w * n * p;
	sums->pp += w * p * p;
	sums->t += w * t;
	sums->nt += w * n * t;
	sums->pt += w * p * t;
	sums->tt += w * t * t;
}

static void set(struct system *s, int i, int k, double value)
{
	s->m[i][k] = s->m[k][i] = value;
}

static void fill(struct system *s, const struct fit_sums *floor,
		 const struct fit_sums *all)
{
	*s = (struct system){.used = {floor->one > 0.0, true, true, true}};
	set(s, TW, TW, floor->one);
	set(s, TW, B, floor->p);
	set(s, T0, T0, all->one - floor->one);
	set(s, T0, A, all->n - floor->n);
	set(s, T0, B, all->p - floor->p);
	set(s, A, A, all->nn - floor->nn);
	set(s, A, B, all->np - floor->np);
	set(s, B, B, all->pp);
	s->v[TW] = floor->t;
	s->v[T0] = all->t - floor->t;
	s->v[A] = all->nt - floor->nt;
	s->v[B] = all->pt;
}

/* Remove unknown @i from the equations below its own. */
static void take_out(struct system *s, int i)
{
	for (int k = i + 1; k < NUM_UNKNOWNS; k++) {
		double f = s->m[k][i] / s->m[i][i];

		for (int l = i; l < NUM_UNKNOWNS; l++)
			s->m[k][l] -= f * s->m[i][l];
		s->v[k] -= f * s->v[i];
	}
}

static void substitute(struct system *s, const struct system *c)
{
	for (int i = NUM_UNKNOWNS - 1; i >= 0; i--) {
		s->x[i] = 0.0;
		if (!s->used[i])
			continue;
		s->x[i] = c->v[i];
		for (int k = i + 1; k < NUM_UNKNOWNS; k++)
			s->x[i] -= c->m[i][k] * s->x[k];
		s->x[i] /= c->m[i][i];
	}
}

/* Gauss on a copy. The matrix is symmetric and has no negative pivot. */
static int eliminate(struct system *s)
{
	struct system c = *s;

	for (int i = 0; i < NUM_UNKNOWNS; i++) {
		if (!s->used[i])
			continue;
		if (c.m[i][i] <= LEAST_PIVOT * s->m[i][i])
			return i == B ? FIT_NO_PAIRS : FIT_NO_TOKENS;
		take_out(&c, i);
	}
	substitute(s, &c);
	return 0;
}

/* No time may be negative: such a constant is set to 0, the rest refitted. */
static int solve(struct system *s)
{
	int err = eliminate(s);

	if (!err && s->x[B] < 0.0) {
		s->used[B] = false;
		err = eliminate(s);
	}
	if (!err && s->x[T0] < 0.0) {
		s->used[T0] = false;
		err = eliminate(s);
		if (!err && s->x[B] < 0.0) {
			s->used[B] = false;
			err = eliminate(s);
		}
	}
	if (err)
		return err;
	return s->x[A] > 0.0 ? 0 : FIT_FALLING;
}

/* The squared distance, from the moments alone. */
static double loss_of(const struct system *s, double tt)
{
	double loss = tt;

	for (int i = 0; i < NUM_UNKNOWNS; i++) {
		loss -= 2.0 * s->x[i] * s->v[i];
		for (int k = 0; k < NUM_UNKNOWNS; k++)
			loss += s->x[i] * s->m[i][k] * s->x[k];
	}
	return loss;
}

int fit_solve(struct fit_params *params, const struct fit_sums *floor,
	      const struct fit_sums *all, const struct fit_scale *scale,
	      double *loss)
{
	struct system s;
	int err;

	fill(&s, floor, all);
	err = solve(&s);
	if (err)
		return err;
	*loss = loss_of(&s, all->tt);
	*params = (struct fit_params){
		.tw = s.x[TW],
		.t0 = s.x[T0],
		.a = s.x[A] / scale->tokens,
		.b = s.x[B] / scale->pairs,
	};
	return 0;
}

static bool near(double x, double y)
{
	return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
}

bool fit_same(const struct fit_params *a, const struct fit_params *b)
{
	return near(a->tw, b->tw) && near(a->t0, b->t0) && near(a->a, b->a) &&
	       near(a->b, b->b);
}
