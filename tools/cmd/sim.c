/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/base/options.h"
#include "tools/node/runs.h"
#include "cmd.h"
#include "sim_command.h"
#include "study_command.h"

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
	struct study_args *study = ctx;

	if (study_args_many(study))
		return study_command(study, diag);
	return sim_command(&study->sim, &runner, diag);
}

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct study_args *study = ctx;

	switch (key) {
	case KEY_SEED:
		return seeds_parse(value, &study->sim.seed, &study->last_seed,
				   diag);
	case KEY_SWEEP:
		return sweeps_parse(&study->sweeps, value, diag);
	default:
		return sim_args_set(&study->sim, key, value, diag);
	}
}

int cmd_sim(int argc, char **argv, struct diag *diag)
{
	struct study_args study = {.last_seed = 1};
	int status;
	int err;

	sim_args_init(&study.sim);
	study.sim.argc = argc;
	study.sim.argv = argv;
	err = opt_parse(argc, argv, sim_options, set, &study, diag);
	/* Many runs have a command line each, which is finished then. */
	if (!err && !study_args_many(&study))
		err = sim_args_finish(&study.sim, diag);
	else if (!err)
		err = study_args_check(&study, diag);
	status = cmd_go(err, help, run, &study, diag);
	sweeps_destroy(&study.sweeps);
	sim_args_destroy(&study.sim);
	return status;
}
