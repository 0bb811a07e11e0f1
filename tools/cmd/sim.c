/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/node/runs.h"
#include "cmd.h"
#include "sim_command.h"

static int simulate(void *ctx, const struct sim_args *args,
		    const struct trace *trace, const struct sim_config *config,
		    struct sim_result *results, struct diag *diag)
{
	(void)ctx;
	return runs_go(trace, config, &args->policies, args->jobs, args->quiet,
		       results, diag);
}

static int help(struct diag *diag)
{
	sim_args_help();
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static int run(void *ctx, struct diag *diag)
{
	const struct sim_runner runner = {.go = simulate};

	return sim_command(ctx, &runner, diag);
}

int cmd_sim(int argc, char **argv, struct diag *diag)
{
	struct sim_args args;
	int err = sim_args_parse(&args, argc, argv, diag);
	int status = cmd_go(err, help, run, &args, diag);

	sim_args_destroy(&args);
	return status;
}
