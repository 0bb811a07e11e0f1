/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_SIM_COMMAND_H
#define TOOLS_CMD_SIM_COMMAND_H

#include "tools/node/sim_args.h"

/**
 * struct sim_runner - serves a trace under all policies of a command line
 * @go: fills one result for each policy, or returns -errno and fills none
 * @ctx: handed to @go
 * @note: for the table, see struct report; or NULL
 */
struct sim_runner {
	int (*go)(void *ctx, const struct sim_args *args,
		  const struct trace *trace, const struct sim_config *config,
		  struct sim_result *results, struct diag *diag);
	void *ctx;
	const char *note;
};

/**
 * sim_command() - read the input, run it, write all reports
 * @args: the command line
 * @runner: serves the trace
 * @diag: what failed
 *
 * Return: an exit status.
 */
int sim_command(const struct sim_args *args, const struct sim_runner *runner,
		struct diag *diag);

#endif
