/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SIM_ARGS_H
#define TOOLS_SIM_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "policy.h"
#include "sim.h"
#include "trace.h"

/**
 * struct sim_args - the command line of `sim`
 * @trace: file, or NULL
 * @workload: spec, or NULL; exactly one of the two is given
 * @format: name of the trace's form, or NULL where it tells
 * @rate: requests a second for a trace without arrivals; 0 where not given
 * @seed: of the workload, and of these arrivals
 * @load: what to scale the arrivals to; 0 where not given
 * @table: file of own prefill times, or NULL
 * @device_given: config's device was named, it is not the default
 * @policies: at least one
 * @config: the node; its kv_blocks are 0 unless they were given
 * @kv_fraction: share of the shared blocks that the pool holds, where nothing
 *	says more
 * @options: how to read and cut the trace
 * @json: path or NULL
 * @csv: path or NULL
 * @requests: path or NULL
 * @jobs: runs at once
 * @quiet: no table, no progress
 * @timing: real time and memory to standard error
 */
struct sim_args {
	const char *trace;
	const char *workload;
	const char *format;
	double rate;
	uint64_t seed;
	double load;
	const char *table;
	bool device_given;
	struct policy_list policies;
	struct sim_config config;
	double kv_fraction;
	struct trace_options options;
	const char *json;
	const char *csv;
	const char *requests;
	uint32_t jobs;
	bool quiet;
	bool timing;
};

/**
 * sim_args_parse() - read the command line
 * @args: to be destroyed whatever comes back
 *
 * Return: 0, 1 when help was asked for, -errno with @diag set.
 */
int sim_args_parse(struct sim_args *args, int argc, char **argv,
		   struct diag *diag);
void sim_args_destroy(struct sim_args *args);

/* What --help says, to standard output. */
void sim_args_help(void);

#endif
