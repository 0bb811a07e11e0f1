/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_STUDY_COMMAND_H
#define TOOLS_CMD_STUDY_COMMAND_H

#include "tools/node/sim_args.h"
#include "tools/study/sweep.h"

/**
 * struct study_args - a command line of `sim` that may ask for many runs
 * @sim: the command line; its seed is the first one
 * @sweeps: what is varied
 * @last_seed: of the range; the first one where there is no range
 */
struct study_args {
	struct sim_args sim;
	struct sweeps sweeps;
	uint64_t last_seed;
};

/* More than one run? */
static inline bool study_args_many(const struct study_args *args)
{
	return args->sweeps.num || args->last_seed != args->sim.seed;
}

/* Whether every run of them could begin. 0 or -errno with @diag set. */
int study_args_check(const struct study_args *args, struct diag *diag);

/**
 * study_command() - make all runs, write all reports
 * @args: checked
 *
 * Return: an exit status.
 */
int study_command(const struct study_args *args, struct diag *diag);

#endif
