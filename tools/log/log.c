/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int log_append(struct log *log, const struct log_req *req)
{
	if (log->num == log->cap) {
		size_t cap = log->cap ? 2 * log->cap : 1024;
		struct log_req *reqs =
			reallocarray(log->reqs, cap, sizeof(*reqs));

		if (!reqs)
			return -ENOMEM;
		log->reqs = reqs;
		log->cap = cap;
	}
	log->reqs[log->num++] = *req;
	return 0;
}

/* qsort() may swap equals; the rank in the file keeps their order. */
struct ranked {
	struct log_req req;
	size_t rank;
};

static int by_arrival(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->req.arrival_s < y->req.arrival_s)
		return -1;
	if (x->req.arrival_s > y->req.arrival_s)
		return 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool in_order(const struct log *log)
{
	for (size_t i = 1; i < log->num; i++)
		if (log->reqs[i].arrival_s < log->reqs[i - 1].arrival_s)
			return false;
	return true;
}

/* Engines write a line when a request ends, so arrivals come in any order. */
static int sort(struct log *log)
{
	struct ranked *all;

	if (in_order(log))
		return 0;
	all = calloc(log->num, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < log->num; i++)
		all[i] = (struct ranked){log->reqs[i], i};
	qsort(all, log->num, sizeof(*all), by_arrival);
	for (size_t i = 0; i < log->num; i++)
		log->reqs[i] = all[i].req;
	free(all);
	return 0;
}

int log_settle(struct log *log)
{
	double first;

	if (sort(log))
		return -ENOMEM;
	first = log->reqs[0].arrival_s;
	for (size_t i = 0; i < log->num; i++) {
		log->reqs[i].arrival_s -= first;
		log->reqs[i].later_s -= first;
	}
	return 0;
}

void log_destroy(struct log *log)
{
	free(log->reqs);
	log->reqs = NULL;
	log->num = 0;
	log->cap = 0;
}
