/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ANALYZE_QUEUE_SPREAD_H
#define TOOLS_ANALYZE_QUEUE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/*
 * How different the requests are that wait at the same time. An order can gain
 * only where they differ. There is one sample of the queue for each request, at
 * its arrival: all requests that arrive at that instant wait, and those that
 * start at it do not.
 */

/**
 * struct queued - a request in a queue
 * @arrival_s: it waits from then
 * @start_s: it waits until then; not before @arrival_s
 * @work: tokens that are left to compute, at least 1
 */
struct queued {
	double arrival_s;
	double start_s;
	uint32_t work;
};

/**
 * struct pair - two figures of one distribution, NAN where it is empty
 */
struct pair {
	double p50;
	double p90;
};

/**
 * struct queue_spread - figures of a queue; percentiles are nearest-rank
 * @arrivals: samples
 * @together: samples with two or more that wait
 * @waiting: how many wait in a sample
 * @max_waiting: the most in any sample
 * @max_min: largest work / least, over the samples with two or more
 * @p90_p10: the 90th percentile of the work / the 10th, over the same
 * @wait_s: from arrival to start, over all requests
 */
struct queue_spread {
	uint64_t arrivals;
	uint64_t together;
	struct pair waiting;
	double max_waiting;
	struct pair max_min;
	struct pair p90_p10;
	struct pair wait_s;
};

/**
 * queue_spread_init() - measure a queue
 * @spread: written only on success; nothing to destroy
 * @reqs: by rising arrival; not changed
 * @num: may be 0
 *
 * O(log n) for each request, however many wait.
 *
 * Return: 0, -ENOMEM.
 */
int queue_spread_init(struct queue_spread *spread, const struct queued *reqs,
		      size_t num);

#endif
