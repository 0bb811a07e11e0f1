/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_RESULT_H
#define TOOLS_NODE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A node that serves a trace, and what came out. */

struct fw_cost_point;
struct fw_device;

/**
 * struct sim_config - the simulated prefill node
 * @device: one of fw_device_name(), or what @own_device is called
 * @own_device: step times of another device, or NULL
 * @table: own prefill times for the SLO, or NULL
 * @num_points: rows of @table
 * @budget: tokens a step
 * @max_running: sequences at once
 * @kv_blocks: blocks of the pool
 * @time_scale: multiplies the arrivals
 * @closed_loop: a request that comes after another one arrives when that one
 *	ended, plus its delay, which is scaled as arrivals are
 */
struct sim_config {
	const char *device;
	const struct fw_device *own_device;
	const struct fw_cost_point *table;
	size_t num_points;
	uint32_t budget;
	uint32_t max_running;
	uint32_t kv_blocks;
	double time_scale;
	bool closed_loop;
};

enum sim_outcome {
	SIM_DONE,
	SIM_REJECTED, /* longer than the pool, on arrival */
};

/* The lane that released a request, where a policy has lanes. */
enum sim_lane {
	SIM_LANE_NONE,
	SIM_LANE_FAST,
	SIM_LANE_FAIR,
};

/**
 * struct sim_request - what became of one request
 * @arrival_s: scaled arrival
 * @ttft_s: time to first token; -1 when rejected
 * @start_s: when its first step began, on the clock of @arrival_s; -1 when
 *	rejected
 * @cached: tokens hit at admission
 * @outcome: whether it was served
 * @lane: which lane released it
 *
 * What reports show over time is reckoned from these: who has arrived and has
 * not started waits. So a run records nothing but them.
 */
struct sim_request {
	double arrival_s;
	double ttft_s;
	double start_s;
	uint32_t cached;
	enum sim_outcome outcome : 8;
	enum sim_lane lane : 8;
};

/**
 * struct sim_result - one run of one policy
 * @reqs: one for each request of the trace, by its index
 * @num_reqs: how many
 * @steps: steps of the device
 * @busy_s: virtual seconds that the device computed
 * @end_s: virtual time of the last step's end
 * @overtaken: releases of the fast lane ahead of the oldest request
 * @bound_broken: steps that broke the bound on overtaking; must be 0
 * @wall_s: real seconds that the run took
 */
struct sim_result {
	struct sim_request *reqs;
	size_t num_reqs;
	uint64_t steps;
	double busy_s;
	double end_s;
	uint64_t overtaken;
	uint64_t bound_broken;
	double wall_s;
};

void sim_result_destroy(struct sim_result *result);

#endif
