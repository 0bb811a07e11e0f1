/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd.h"
#include "options.h"
#include "trace.h"
#include "workload.h"

enum {
	KEY_WORKLOAD = 256,
	KEY_SEED,
	KEY_OUTPUT,
};

static const struct opt_def defs[] = {
	OPT_HEADING("Options"),
	{KEY_WORKLOAD, "workload", "SPEC",
	 "NAME[:KEY=VALUE]..., see \"Workloads\" below"},
	{KEY_SEED, "seed", "N", "same seed, same trace (default 1)"},
	{KEY_OUTPUT, "output", "FILE", "where to; \"-\" is standard output"},
	OPT_HELP,
	OPT_END,
};

struct gen_args {
	const char *workload;
	const char *output;
	uint64_t seed;
};

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct gen_args *args = ctx;

	switch (key) {
	case KEY_WORKLOAD:
		args->workload = value;
		return 0;
	case KEY_OUTPUT:
		args->output = value;
		return 0;
	default:
		return opt_u64("--seed", value, 0, INT64_MAX, &args->seed,
			       diag);
	}
}

static int help(struct diag *diag)
{
	puts("Usage: fairway gen --workload NAME[:KEY=VALUE]... [--seed N] "
	     "--output FILE\n"
	     "Write a generated workload as a trace in Mooncake's form, "
	     "which \"fairway sim\"\nreads.");
	opt_print(defs, stdout);
	workload_help(stdout);
	puts("\n"
	     "Example:\n"
	     "  fairway gen --workload sec-dynamic --seed 2 "
	     "--output spike.jsonl\n"
	     "  fairway sim --trace spike.jsonl");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static int generate(const struct gen_args *args, struct diag *diag)
{
	struct trace trace;
	int status;
	int err = workload_generate(&trace, args->workload, args->seed, diag);

	if (err)
		return cmd_status(err, diag);
	err = trace_write_mooncake(&trace, args->output, diag);
	status = cmd_status(err, diag);
	/* Once begun, a file that cannot be finished is a run that failed. */
	if (err == -EIO || err == -ENOSPC || err == -EPIPE || err == -EDQUOT)
		status = EXIT_RUN;
	trace_destroy(&trace);
	return status;
}

int cmd_gen(int argc, char **argv, struct diag *diag)
{
	struct gen_args args = {.seed = 1};
	int err = opt_parse(argc, argv, defs, set, &args, diag);

	if (err > 0)
		return help(diag);
	if (!err && !args.workload)
		err = diag_set(diag, -EINVAL, "--workload is missing");
	if (!err && !args.output)
		err = diag_set(diag, -EINVAL, "--output is missing");
	if (err)
		return cmd_status(err, diag);
	return generate(&args, diag);
}
