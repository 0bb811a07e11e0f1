/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/seeds.h"
#include "tools/node/summary.h"

/**
 * struct walk - where compare_each() is
 * @compare: what is compared
 * @d: the names of the next difference
 * @b_setting: the setting in the other report
 * @put: see there
 * @ctx: see there
 * @num: differences so far
 */
struct walk {
	const struct compare *compare;
	struct difference d;
	const char *b_setting;
	int (*put)(void *ctx, const struct difference *difference);
	void *ctx;
	int num;
};

typedef const char *name_at(const struct study *study, size_t i);

/* The same name in another report; the only one of both, whatever its name. */
static const char *partner(const struct study *a, const struct study *b,
			   name_at *at, const char *name)
{
	const char *other;

	if (!at(a, 1) && !at(b, 1))
		return at(b, 0);
	for (size_t i = 0; (other = at(b, i)); i++)
		if (!strcmp(other, name))
			return other;
	return NULL;
}

const char *compare_alone(const struct study *in, const struct study *other,
			  const char *(*at)(const struct study *, size_t),
			  size_t *i)
{
	const char *name;

	while ((name = at(in, (*i)++)))
		if (!partner(in, other, at, name))
			return name;
	return NULL;
}

/*
 * Changes are ratios, so their logarithms are what has a mean: half and double
 * are as far from 1. Only pairs of one seed are compared.
 */
static void set_interval(struct difference *d, const struct study_values *a,
			 const struct study_values *b, double *logs)
{
	struct interval interval;

	for (unsigned int i = 0, k = 0; i < a->num; i++) {
		while (k < b->num && b->seeds[k] < a->seeds[i])
			k++;
		if (k == b->num)
			break;
		if (b->seeds[k] != a->seeds[i] || a->values[i] <= 0.0 ||
		    b->values[k] <= 0.0)
			continue;
		logs[d->pairs++] = log(b->values[k] / a->values[i]);
	}
	if (!d->pairs)
		return;
	interval = seeds_bootstrap(logs, d->pairs);
	d->change = exp(interval.mean) - 1.0;
	if (d->pairs < 2)
		return;
	d->low = exp(interval.low) - 1.0;
	d->high = exp(interval.high) - 1.0;
}

static int measure(struct difference *d, const struct study_values *a,
		   const struct study_values *b)
{
	double *logs = calloc(a->num + 1, sizeof(*logs));

	if (!logs)
		return -ENOMEM;
	d->change = d->low = d->high = NO_FIGURE;
	d->pairs = 0;
	set_interval(d, a, b, logs);
	free(logs);
	d->a = seeds_median(a->values, a->num);
	d->b = seeds_median(b->values, b->num);
	/* Other seeds: what is left is to compare the medians. */
	if (!d->pairs && d->a > 0.0)
		d->change = d->b / d->a - 1.0;
	return 0;
}

static int one_figure(struct walk *w)
{
	struct study_values a, b;
	struct difference *d = &w->d;
	int err = study_values_init(&a, w->compare->a, d->setting, d->policy,
				    d->phase, d->figure);

	if (err)
		return err;
	err = study_values_init(&b, w->compare->b, w->b_setting, d->other,
				d->phase, d->figure);
	if (err)
		goto err_destroy_a;
	if (a.num && b.num) {
		err = measure(d, &a, &b);
		if (!err)
			err = w->put(w->ctx, d);
		w->num++;
	}
	study_values_destroy(&b);
err_destroy_a:
	study_values_destroy(&a);
	return err;
}

static int one_part(struct walk *w, const char *phase)
{
	int err = 0;

	w->d.phase = phase;
	for (size_t i = 0;
	     !err && (w->d.figure = study_figure(w->compare->a, i)); i++)
		err = one_figure(w);
	return err;
}

static int one_policy(struct walk *w)
{
	const struct study *a = w->compare->a;
	const char *phase;
	int err;

	w->d.other = partner(a, w->compare->b, study_policy, w->d.policy);
	if (!w->d.other)
		return 0;
	err = one_part(w, NULL);
	for (size_t i = 0; !err && w->compare->phases && study_phase(a, 1) &&
			   (phase = study_phase(a, i));
	     i++)
		err = one_part(w, phase);
	return err;
}

int compare_each(const struct compare *compare,
		 int (*put)(void *ctx, const struct difference *difference),
		 void *ctx)
{
	struct walk w = {.compare = compare, .put = put, .ctx = ctx};
	const struct study *a = compare->a;
	int err = 0;

	for (size_t i = 0; !err && (w.d.setting = study_setting(a, i)); i++) {
		w.b_setting =
			partner(a, compare->b, study_setting, w.d.setting);
		for (size_t k = 0;
		     !err && w.b_setting && (w.d.policy = study_policy(a, k));
		     k++)
			err = one_policy(&w);
	}
	return err ? err : w.num;
}
