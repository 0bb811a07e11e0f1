/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/options.h"
#include "tools/node/sim_args.h"
#include "tools/node/sim_input.h"
#include "tools/trace/trace.h"
#include "tools/workload/workload.h"
#include "cmd.h"

/* The other keys are those of sim. */
enum {
	KEY_OUTPUT = 1024,
};

const struct opt_def gen_options[] = {
	OPT_HEADING("Options"),
	{KEY_WORKLOAD, "workload", "SPEC",
	 "NAME[:KEY=VALUE]..., see \"Workloads\" below"},
	{KEY_SEED, "seed", "N", "same seed, same trace (default 1)"},
	{KEY_OUTPUT, "output", "FILE", "where to; \"-\" is standard output"},
	OPT_HEADING("The node on which the key \"load\" is measured"),
	SIM_OPT_DEVICE,
	{KEY_TABLE, "table", "FILE", "own step times, as in fairway sim"},
	SIM_OPT_BUDGET,
	SIM_OPT_MAX_RUNNING,
	SIM_OPT_KV_BLOCKS,
	SIM_OPT_KV_FRACTION,
	OPT_HELP,
	OPT_END,
};

/**
 * struct gen_args - the command line
 * @sim: what it shares with sim
 * @output: path, or NULL
 * @of_node: the first option given that only a load needs, or NULL
 */
struct gen_args {
	struct sim_args sim;
	const char *output;
	const char *of_node;
};

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct gen_args *args = ctx;

	if (key == KEY_OUTPUT) {
		args->output = value;
		return 0;
	}
	if (!args->of_node && key != KEY_WORKLOAD && key != KEY_SEED)
		args->of_node = opt_name(gen_options, key);
	return sim_args_set(&args->sim, key, value, diag);
}

static int help(struct diag *diag)
{
	puts("Usage: fairway gen --workload NAME[:KEY=VALUE]... [--seed N] "
	     "--output FILE\n"
	     "Write a generated workload as a trace in Mooncake's form, "
	     "which \"fairway sim\"\nreads.");
	opt_print(gen_options, stdout);
	workload_help(stdout);
	puts("\n"
	     "Example:\n"
	     "  fairway gen --workload sec-dynamic --seed 2 "
	     "--output spike.jsonl\n"
	     "  fairway sim --trace spike.jsonl");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static int generate(void *ctx, struct diag *diag)
{
	const struct gen_args *args = ctx;
	struct sim_input input;
	int status;
	int err = sim_input_workload(&input, &args->sim, diag);

	if (err)
		return cmd_status(err, diag);
	err = trace_write_mooncake(&input.trace, args->output, diag);
	status = cmd_status(err, diag);
	/* The input was right: a file that cannot be finished fails the run. */
	if (err == -EIO || err == -ENOSPC || err == -EPIPE || err == -EDQUOT)
		status = EXIT_RUN;
	sim_input_destroy(&input);
	return status;
}

static int check(struct gen_args *args, struct diag *diag)
{
	int err;

	if (!args->sim.workload)
		return diag_set(diag, -EINVAL, "--workload is missing");
	if (!args->output)
		return diag_set(diag, -EINVAL, "--output is missing");
	err = sim_args_finish(&args->sim, diag);
	if (err || !args->of_node || args->sim.own_load > 0.0)
		return err;
	return diag_set(diag, -EINVAL,
			"--%s: goes with the key \"load\" of a workload only",
			args->of_node);
}

int cmd_gen(int argc, char **argv, struct diag *diag)
{
	struct gen_args args = {.output = NULL};
	int status;
	int err;

	sim_args_init(&args.sim);
	err = opt_parse(argc, argv, gen_options, set, &args, diag);
	if (!err)
		err = check(&args, diag);
	status = cmd_go(err, help, generate, &args, diag);
	sim_args_destroy(&args.sim);
	return status;
}
