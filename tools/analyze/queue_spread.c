/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_spread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/doubles.h"
#include "tools/node/summary.h"

/**
 * struct ranks - a set of works that gives its k-th smallest
 * @work: every different work there will ever be, rising
 * @num: how many
 * @top: largest power of 2 that is not over @num
 * @tree: Fenwick tree of counts by place in @work, from 1
 * @size: works in the set
 */
struct ranks {
	uint32_t *work;
	size_t num;
	size_t top;
	uint32_t *tree;
	size_t size;
};

/**
 * struct measure - a queue that is being measured
 * @leave: requests by rising start
 * @waiting: samples, one for each arrival
 * @max_min: samples, one for each instant with two or more
 * @p90_p10: the same
 * @waits: one for each request
 */
struct measure {
	const struct queued *reqs;
	size_t num;
	struct ranks ranks;
	const struct queued **leave;
	double *waiting;
	double *max_min;
	double *p90_p10;
	double *waits;
	size_t together;
};

static int by_work(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int by_start(const void *a, const void *b)
{
	const struct queued *x = *(const struct queued *const *)a;
	const struct queued *y = *(const struct queued *const *)b;

	return (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

/* Rank of a percentile, from 1; integers only, see summary.c. */
static size_t rank_of(size_t num, unsigned int percent)
{
	return (num * percent + 99) / 100;
}

static struct pair percentiles(double *values, size_t num)
{
	if (!num)
		return (struct pair){NO_FIGURE, NO_FIGURE};
	doubles_sort(values, num);
	return (struct pair){values[rank_of(num, 50) - 1],
			     values[rank_of(num, 90) - 1]};
}

static void ranks_add(struct ranks *ranks, uint32_t work, bool in)
{
	const uint32_t *at =
		bsearch(&work, ranks->work, ranks->num, sizeof(work), by_work);
	size_t i = (size_t)(at - ranks->work) + 1;

	for (; i <= ranks->num; i += i & -i)
		ranks->tree[i] += in ? 1 : -1u;
	ranks->size += in ? 1 : -(size_t)1;
}

/* The @k-th smallest work of the set, from 1. */
static double ranks_get(const struct ranks *ranks, size_t k)
{
	size_t at = 0;

	for (size_t step = ranks->top; step; step /= 2)
		if (at + step <= ranks->num && ranks->tree[at + step] < k) {
			at += step;
			k -= ranks->tree[at];
		}
	return ranks->work[at];
}

static void ranks_fill(struct ranks *ranks, const struct queued *reqs,
		       size_t num)
{
	for (size_t i = 0; i < num; i++)
		ranks->work[i] = reqs[i].work;
	qsort(ranks->work, num, sizeof(*ranks->work), by_work);
	for (size_t i = 0; i < num; i++)
		if (!i || ranks->work[i] != ranks->work[ranks->num - 1])
			ranks->work[ranks->num++] = ranks->work[i];
	ranks->top = 1;
	while (ranks->top * 2 <= ranks->num)
		ranks->top *= 2;
}

/* One sample for each of the @times requests that arrive at this instant. */
static void look(struct measure *m, size_t first, size_t times)
{
	const struct ranks *ranks = &m->ranks;
	size_t num = ranks->size;
	double max_min, p90_p10;

	for (size_t i = 0; i < times; i++)
		m->waiting[first + i] = (double)num;
	if (num < 2)
		return;
	max_min = ranks_get(ranks, num) / ranks_get(ranks, 1);
	p90_p10 = ranks_get(ranks, rank_of(num, 90)) /
		  ranks_get(ranks, rank_of(num, 10));
	for (size_t i = 0; i < times; i++) {
		m->max_min[m->together] = max_min;
		m->p90_p10[m->together++] = p90_p10;
	}
}

static void walk(struct measure *m)
{
	size_t gone = 0;

	for (size_t i = 0, next; i < m->num; i = next) {
		double now = m->reqs[i].arrival_s;

		for (next = i; next < m->num && m->reqs[next].arrival_s <= now;
		     next++)
			ranks_add(&m->ranks, m->reqs[next].work, true);
		while (gone < m->num && m->leave[gone]->start_s <= now)
			ranks_add(&m->ranks, m->leave[gone++]->work, false);
		look(m, i, next - i);
	}
}

static int measure_alloc(struct measure *m)
{
	size_t num = m->num;

	m->ranks.work = calloc(num, sizeof(*m->ranks.work));
	m->ranks.tree = calloc(num + 1, sizeof(*m->ranks.tree));
	m->leave = calloc(num, sizeof(const struct queued *));
	m->waiting = calloc(num, sizeof(*m->waiting));
	m->max_min = calloc(num, sizeof(*m->max_min));
	m->p90_p10 = calloc(num, sizeof(*m->p90_p10));
	m->waits = calloc(num, sizeof(*m->waits));
	if (m->ranks.work && m->ranks.tree && m->leave && m->waiting &&
	    m->max_min && m->p90_p10 && m->waits)
		return 0;
	return -ENOMEM;
}

static void measure_free(struct measure *m)
{
	free(m->ranks.work);
	free(m->ranks.tree);
	free(m->leave);
	free(m->waiting);
	free(m->max_min);
	free(m->p90_p10);
	free(m->waits);
}

static void measure_go(struct measure *m, struct queue_spread *spread)
{
	ranks_fill(&m->ranks, m->reqs, m->num);
	for (size_t i = 0; i < m->num; i++) {
		m->leave[i] = &m->reqs[i];
		m->waits[i] = m->reqs[i].start_s - m->reqs[i].arrival_s;
	}
	qsort(m->leave, m->num, sizeof(const struct queued *), by_start);
	walk(m);
	*spread = (struct queue_spread){
		.arrivals = m->num,
		.together = m->together,
		.waiting = percentiles(m->waiting, m->num),
		.max_waiting = m->waiting[m->num - 1], /* sorted now */
		.max_min = percentiles(m->max_min, m->together),
		.p90_p10 = percentiles(m->p90_p10, m->together),
		.wait_s = percentiles(m->waits, m->num),
	};
}

int queue_spread_init(struct queue_spread *spread, const struct queued *reqs,
		      size_t num)
{
	struct measure m = {.reqs = reqs, .num = num};
	const struct pair none = {NO_FIGURE, NO_FIGURE};
	int ret;

	if (!num) {
		*spread = (struct queue_spread){0,    0,    none, 0.0,
						none, none, none};
		return 0;
	}
	ret = measure_alloc(&m);
	if (!ret)
		measure_go(&m, spread);
	measure_free(&m);
	return ret;
}
