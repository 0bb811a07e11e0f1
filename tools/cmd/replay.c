/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <fairway/executor.h>

#include "tools/base/options.h"
#include "tools/policy/policy.h"
#include "tools/replay/replay.h"
#include "tools/workload/workload.h"
#include "cmd.h"
#include "sim_command.h"

/* The other keys are those of sim. */
enum {
	KEY_EXECUTOR = 1024,
	KEY_PRODUCERS,
	KEY_SPEED,
	KEY_DEPTH,
};

const struct opt_def replay_options[] = {
	OPT_HEADING("How to replay"),
	{KEY_SPEED, "speed", "X",
	 "seconds of the trace in one of real time (default 1)"},
	{KEY_EXECUTOR, "executor", "NAME",
	 "model; host: a function on a thread of its own; or\n"
	 "cuda: a CUDA device that is busy for the same time\n"
	 "(default model)"},
	{KEY_PRODUCERS, "producers", "N", "threads that submit (default 4)"},
	{KEY_DEPTH, "depth", "N", "plans in flight (default 2; sim has 1)"},
	OPT_HEADING("Requests, as in fairway sim"),
	{KEY_TRACE, "trace", "FILE", "a trace; \"-\" is standard input"},
	{KEY_WORKLOAD, "workload", "SPEC", "or a generated workload"},
	{KEY_FORMAT, "format", "F", "form of the trace"},
	SIM_OPT_SEED,
	SIM_OPT_TIME_SCALE,
	{KEY_LOAD, "load", "L", "or scale them to a load"},
	SIM_OPT_RATE,
	SIM_OPT_COLUMNS,
	SIM_OPT_TIME_UNIT,
	SIM_OPT_STRICT,
	SIM_OPT_LIMIT,
	{KEY_TICK, "tick", "MS", "spread requests of one timestamp"},
	SIM_OPT_UNTIL,
	SIM_OPT_MAX_PROMPT,
	{KEY_BLOCK_SIZE, "block-size", "N", "tokens of a trace's block"},
	{KEY_CLOSED_LOOP, "closed-loop", NULL,
	 "a session's next turn waits for the one before"},
	OPT_HEADING("The node, as in fairway sim"),
	{KEY_POLICY, "policy", "P",
	 "one after the other (default fcfs,lpm,fairway)"},
	SIM_OPT_DEVICE,
	{KEY_TABLE, "table", "FILE", "own prefill and step times"},
	SIM_OPT_BUDGET,
	SIM_OPT_MAX_RUNNING,
	SIM_OPT_KV_BLOCKS,
	SIM_OPT_KV_FRACTION,
	OPT_HEADING("Reports, as in fairway sim"),
	{KEY_JSON, "json", "FILE", "all figures; \"-\" is standard output"},
	SIM_OPT_CSV,
	SIM_OPT_REQUESTS,
	{KEY_HTML, "html", "FILE", "a page with plots; needs gnuplot"},
	{KEY_TARGETS, "targets", "LIST", "judge each policy in each phase"},
	SIM_OPT_PERCENTILES,
	{KEY_QUIET, "quiet", NULL, "no table and no live line"},
	{KEY_TIMING, "timing", NULL, "real time and memory, to standard error"},
	OPT_HELP,
	OPT_END,
};

/**
 * struct replay_args - the command line
 * @sim: what it shares with sim
 * @how: the rest
 * @cuda: the library of --executor cuda
 */
struct replay_args {
	struct sim_args sim;
	struct replay_config how;
	struct cuda_library cuda;
};

static int set_executor(struct replay_args *args, const char *value,
			struct diag *diag)
{
	const char *const names[] = {"model", "host", "cuda", NULL};
	const char *near = closest(value, (const char **)names);

	for (int i = 0; names[i]; i++) {
		if (strcmp(value, names[i]))
			continue;
		args->how.executor = (enum replay_executor)i;
		return 0;
	}
	if (near)
		return diag_set(diag, -EINVAL,
				"--executor: unknown executor \"%s\", did you "
				"mean \"%s\"?",
				value, near);
	return diag_set(diag, -EINVAL,
			"--executor: unknown executor \"%s\"; there are "
			"\"model\", \"host\" and \"cuda\"",
			value);
}

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct replay_args *args = ctx;

	switch (key) {
	case KEY_EXECUTOR:
		return set_executor(args, value, diag);
	case KEY_PRODUCERS:
		return opt_u32("--producers", value, 1, 1024,
			       &args->how.producers, diag);
	case KEY_SPEED:
		return opt_real("--speed", value, 1e-3, 1e4, &args->how.speed,
				diag);
	case KEY_DEPTH:
		return opt_u32("--depth", value, 1, FW_DEPTH_MAX,
			       &args->how.depth, diag);
	default:
		return sim_args_set(&args->sim, key, value, diag);
	}
}

static int help(struct diag *diag)
{
	puts("Usage: fairway replay (--trace FILE | --workload SPEC) "
	     "[OPTION]...\n"
	     "Serve requests in real time, by real threads and the "
	     "library's runtime, once\n"
	     "for each policy, on a device that takes the time of a step and "
	     "computes nothing.");
	opt_print(replay_options, stdout);
	puts("\n"
	     "\"fairway sim --help\" lists the policies and workloads.\n"
	     "\n"
	     "Example:\n"
	     "  fairway replay --workload flood --speed 20 "
	     "--policy fcfs,fairway");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

/* One policy after the other: two at once would slow each other. */
static int replay_all(void *ctx, const struct sim_args *args,
		      const struct trace *trace,
		      const struct sim_config *config,
		      struct sim_result *results, struct diag *diag)
{
	const struct replay_config *how = ctx;
	int err = 0;

	for (unsigned int i = 0; !err && i < args->policies.num; i++)
		err = replay_run(trace, config, how, &args->policies.specs[i],
				 &results[i], diag);
	return err;
}

/* Else a reader takes the difference for a fault of the runtime. */
static const char deeper_than_sim[] =
	"a step is planned while the device computes the one before, so a "
	"request waits\nfor up to a step more than in fairway sim. Compare "
	"the two with --depth 1.";

static int run(void *ctx, struct diag *diag)
{
	struct replay_args *args = ctx;
	const struct sim_runner runner = {
		.go = replay_all,
		.ctx = &args->how,
		.note = args->how.depth > 1 ? deeper_than_sim : NULL,
	};

	if (args->how.executor == REPLAY_CUDA) {
		if (cuda_library_load(&args->cuda, diag))
			return EXIT_RUN;
		args->how.cuda = &args->cuda;
	}
	args->how.quiet = args->sim.quiet;
	return sim_command(&args->sim, &runner, diag);
}

int cmd_replay(int argc, char **argv, struct diag *diag)
{
	struct replay_args args = {
		.how = {.producers = 4, .speed = 1.0, .depth = 2},
	};
	int status;
	int err;

	sim_args_init(&args.sim);
	args.sim.argc = argc;
	args.sim.argv = argv;
	err = opt_parse(argc, argv, replay_options, set, &args, diag);
	if (!err)
		err = sim_args_finish(&args.sim, diag);
	status = cmd_go(err, help, run, &args, diag);
	sim_args_destroy(&args.sim);
	return status;
}
