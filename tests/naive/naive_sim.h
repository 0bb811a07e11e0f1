/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NAIVE_NAIVE_SIM_H
#define TESTS_NAIVE_NAIVE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The oracle: a simulated prefill node written from its specification alone.
 * It keeps nothing that it can compute again, and finds everything by looking
 * at all there is. It shares no code with the library or the command.
 */

/**
 * struct naive_request - one request of a trace
 * @arrival: seconds, not falling along the trace
 * @len: tokens of the prompt
 * @num_ids: full blocks, floor(len / block size)
 * @ids: their ids; equal ids mean equal prefixes
 * @tenant: whose it is
 */
struct naive_request {
	double arrival;
	uint32_t len;
	uint32_t num_ids;
	const uint64_t *ids;
	uint64_t tenant;
};

/**
 * struct naive_config - the node
 * @device: name in the oracle's own table
 * @block_size: tokens of a block
 * @pool_blocks: blocks of the cache
 * @budget: tokens of a step
 * @max_running: sequences at once
 */
struct naive_config {
	const char *device;
	uint32_t block_size;
	uint32_t pool_blocks;
	uint32_t budget;
	uint32_t max_running;
};

/**
 * struct naive_outcome - what became of one request
 * @ttft: seconds, -1 when rejected
 * @end: seconds, when its first token was there; @ttft after its arrival, but
 *	not rounded by that: what ended in one step has one end
 * @cached: tokens hit at admission
 * @looked: the guard looked at it
 * @due: when it ends at the latest, as far as predictions hold; nanoseconds
 * @step: the longest step that it saw, from its arrival to its end; seconds
 */
struct naive_outcome {
	double ttft;
	double end;
	uint32_t cached;
	bool looked;
	int64_t due;
	double step;
};

/**
 * struct naive_result - one run
 * @reqs: one for each request
 * @steps: steps of the device
 * @busy: seconds that the device computed
 * @bound_broken: fairway: steps after which more had overtaken the oldest
 *	request than the bound allows
 * @surprises: what no prediction of the guard counts on: a waiting request's
 *	hit shrank, memory or a sequence was lacking
 */
struct naive_result {
	struct naive_outcome *reqs;
	uint64_t steps;
	double busy;
	uint64_t bound_broken;
	uint64_t surprises;
};

/**
 * naive_run() - serve a trace
 * @reqs: the trace
 * @num: its length
 * @config: the node
 * @policy: as --policy takes one
 * @result: free with naive_result_destroy()
 *
 * Return: 0, -EINVAL for an unknown policy or device. Out of memory aborts.
 */
int naive_run(const struct naive_request *reqs, size_t num,
	      const struct naive_config *config, const char *policy,
	      struct naive_result *result);

void naive_result_destroy(struct naive_result *result);

#endif
