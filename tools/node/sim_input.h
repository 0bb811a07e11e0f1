/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_SIM_INPUT_H
#define TOOLS_NODE_SIM_INPUT_H

#include "tools/trace/trace.h"
#include "sim.h"
#include "sim_args.h"
#include "table.h"

/**
 * struct sim_input - what a command line of `sim` names, read and settled
 * @trace: the requests
 * @config: the node, its pool and time scale chosen
 * @table: what @config points into
 * @own_scale: of the arrivals, by the workload's key "load"; else 1
 */
struct sim_input {
	struct trace trace;
	struct sim_config config;
	struct cost_table table;
	double own_scale;
};

/**
 * sim_input_load() - read the trace and the table, and choose pool and scale
 * @input: not to be moved, it points into itself; to be destroyed only on
 *	success
 * @args: not changed
 *
 * Return: 0 or -errno with @diag set.
 */
int sim_input_load(struct sim_input *input, const struct sim_args *args,
		   struct diag *diag);

/**
 * sim_input_workload() - the workload alone, as its spec has it
 *
 * At the load that the spec asks for; but nothing that options say is applied.
 * That is what `gen` writes, so that a run of its file equals one of the spec.
 *
 * Return: 0 or -errno with @diag set.
 */
int sim_input_workload(struct sim_input *input, const struct sim_args *args,
		       struct diag *diag);

/**
 * sim_input_node() - the same without requests, for those of another source
 * @input: its trace is empty; nothing chose a pool
 *
 * Return: 0 or -errno with @diag set.
 */
int sim_input_node(struct sim_input *input, const struct sim_args *args,
		   struct diag *diag);

void sim_input_destroy(struct sim_input *input);

#endif
