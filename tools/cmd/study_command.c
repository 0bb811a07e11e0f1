/* SPDX-License-Identifier: Apache-2.0 */
#include "study_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tools/base/grid.h"
#include "tools/base/progress.h"
#include "tools/node/runs.h"
#include "tools/node/sim_input.h"
#include "tools/plot/gnuplot.h"
#include "tools/report/report.h"
#include "tools/study/report.h"
#include "cmd.h"
#include "outputs.h"

/* Runs are made again for each report that somebody wants of them alone. */
#define MAX_RUNS 10000

/**
 * struct work - a study that is being made
 * @args: what was asked for
 * @study: the runs so far
 * @done: the same as a number, for the live line
 * @num: of all runs
 */
struct work {
	const struct study_args *args;
	struct study study;
	_Atomic uint64_t done;
	uint64_t num;
};

static uint64_t num_runs(const struct study_args *args)
{
	return sweeps_num(&args->sweeps) *
	       (args->last_seed - args->sim.seed + 1);
}

static int check_source(const struct study_args *args, struct diag *diag)
{
	const struct sim_args *sim = &args->sim;

	if (sim->requests)
		return diag_set(diag, -EINVAL,
				"--requests goes with one run only");
	if (args->last_seed != sim->seed && sim->trace &&
	    sim->read.rate.rate <= 0.0)
		return diag_set(diag, -EINVAL,
				"--seed: a range goes with --workload or "
				"--rate (a trace is the same under each seed)");
	if (sim->trace && !strcmp(sim->trace, "-"))
		return diag_set(diag, -EINVAL,
				"--trace: standard input cannot be read for "
				"each of several runs");
	if (num_runs(args) > MAX_RUNS)
		return diag_set(diag, -EINVAL,
				"expected at most %d runs (%" PRIu64
				" combinations of --sweep and --seed)",
				MAX_RUNS, num_runs(args));
	return 0;
}

int study_args_check(const struct study_args *args, struct diag *diag)
{
	uint64_t num = sweeps_num(&args->sweeps);
	int err = check_source(args, diag);

	for (uint64_t i = 0; i < num && !err; i++) {
		struct sim_args one;

		err = sweeps_apply(&args->sweeps, i, &one, &args->sim, diag);
		if (!err)
			policy_list_destroy(&one.policies);
	}
	return err;
}

/* --- one run --- */

/**
 * struct one - a run, from its input to its report
 * @args: its command line
 * @input: what that names
 * @results: one for each policy, zeros at first
 * @sums: the same
 */
struct one {
	const struct sim_args *args;
	struct sim_input input;
	struct sim_result *results;
	struct summary *sums;
};

static json_t *report_of(const struct one *one)
{
	const struct sim_args *args = one->args;
	const struct report report = {
		.workload = args->trace ? args->trace : args->workload,
		.seed = args->seed,
		.generated = args->workload,
		.trace = &one->input.trace,
		.config = &one->input.config,
		.table = args->table,
		.load = args->load,
		.own_load = args->own_load,
		.own_scale = one->input.own_scale,
		.num = args->policies.num,
		.specs = args->policies.specs,
		.results = one->results,
		.sums = one->sums,
		.targets = &args->targets,
		.percentiles = &args->percentiles,
		.argc = args->argc,
		.argv = args->argv,
	};

	return report_json_value(&report);
}

static int serve(struct one *one, struct diag *diag)
{
	const struct sim_args *args = one->args;
	int err =
		runs_go(&one->input.trace, &one->input.config, &args->policies,
			args->jobs, true, one->results, diag);

	for (unsigned int i = 0; i < args->policies.num && !err; i++)
		err = summary_init(&one->sums[i], &one->input.trace,
				   &one->results[i], &args->percentiles);
	return err;
}

static void forget(struct one *one)
{
	for (unsigned int i = 0; i < one->args->policies.num; i++) {
		if (one->sums)
			summary_destroy(&one->sums[i]);
		if (one->results)
			sim_result_destroy(&one->results[i]);
	}
	free(one->sums);
	free(one->results);
	sim_input_destroy(&one->input);
}

/* Gives the run's JSON report in @report. */
static int run_one(const struct sim_args *args, json_t **report,
		   struct diag *diag)
{
	unsigned int num = args->policies.num;
	struct one one = {.args = args};
	int err = sim_input_load(&one.input, args, diag);

	if (err)
		return err;
	one.results = calloc(num, sizeof(*one.results));
	one.sums = calloc(num, sizeof(*one.sums));
	err = one.results && one.sums ? serve(&one, diag) : -ENOMEM;
	if (!err) {
		*report = report_of(&one);
		err = *report ? 0 : -ENOMEM;
	}
	forget(&one);
	return err;
}

/* --- all of them --- */

static int run_seeds(struct work *work, const struct sim_args *args,
		     const char *name, struct diag *diag)
{
	struct sim_args one = *args;
	int err = 0;

	/* The live line is that of all runs. */
	one.quiet = true;
	for (one.seed = work->args->sim.seed;
	     one.seed <= work->args->last_seed && !err; one.seed++) {
		json_t *report = NULL;

		err = run_one(&one, &report, diag);
		if (!err)
			err = study_add(&work->study, name, one.seed, report);
		/* Relaxed: a figure for the eye. */
		atomic_fetch_add_explicit(&work->done, 1, memory_order_relaxed);
	}
	return err;
}

static int run_all(struct work *work, struct diag *diag)
{
	const struct study_args *args = work->args;
	uint64_t num = sweeps_num(&args->sweeps);
	int err = 0;

	for (uint64_t i = 0; i < num && !err; i++) {
		struct sim_args one;
		char name[256];

		err = sweeps_apply(&args->sweeps, i, &one, &args->sim, diag);
		if (err)
			return err;
		sweeps_name(&args->sweeps, i, name, sizeof(name));
		err = run_seeds(work, &one, name, diag);
		policy_list_destroy(&one.policies);
	}
	return err;
}

static void line(const void *ctx, double seconds, char *buf, size_t size)
{
	const struct work *work = ctx;

	(void)seconds;
	snprintf(buf, size, "run %" PRIu64 " of %" PRIu64,
		 atomic_load_explicit(&work->done, memory_order_relaxed) + 1,
		 work->num);
}

/* --- reports --- */

static int write_json(const void *report, FILE *to)
{
	return study_json(report, to);
}

static int write_csv(const void *report, FILE *to)
{
	return study_csv(report, to);
}

static int write_html(const void *report, FILE *to)
{
	return study_html(report, to);
}

static int publish(const struct work *work, struct outputs *outputs,
		   struct diag *diag)
{
	const struct sim_args *args = &work->args->sim;
	FILE *to = outputs_take_stdout(outputs) ? stderr : stdout;
	char node[128], budget[32];
	struct study_report report = {
		.workload = args->trace ? args->trace : args->workload,
		.node = node,
		.study = &work->study,
		.argc = args->argc,
		.argv = args->argv,
		.diag = diag,
	};
	int err;

	format_count(budget, sizeof(budget), args->config.budget);
	snprintf(node, sizeof(node), "%s, %s tokens a step",
		 args->config.device, budget);
	err = outputs_fill(outputs, &report, diag);
	if (!err && !args->quiet)
		err = cmd_flush(to, study_table(&report, to), diag);
	if (!err)
		return outputs_commit(outputs, diag);
	outputs_abort(outputs);
	return err;
}

static int make(struct work *work, struct outputs *outputs, struct diag *diag)
{
	struct progress progress;
	int err;

	progress_start(&progress, work->args->sim.quiet, line, work);
	err = run_all(work, diag);
	progress_stop(&progress);
	if (!err)
		return publish(work, outputs, diag);
	outputs_abort(outputs);
	return err;
}

int study_command(const struct study_args *args, struct diag *diag)
{
	struct output list[] = {
		{.option = "--json",
		 .path = args->sim.json,
		 .write = write_json},
		{.option = "--csv", .path = args->sim.csv, .write = write_csv},
		{.option = "--html",
		 .path = args->sim.html,
		 .write = write_html},
	};
	struct outputs outputs = {list, ARRAY_SIZE(list)};
	struct work work = {.args = args, .num = num_runs(args)};
	int err;

	if (args->sim.html && gnuplot_find(diag))
		return EXIT_RUN;
	err = outputs_open(&outputs, diag);
	if (err)
		return cmd_status(err, diag);
	err = make(&work, &outputs, diag);
	study_destroy(&work.study);
	/* What a trace says wrong is bad input, as with one run. */
	if (err == -EINVAL)
		return cmd_status(err, diag);
	return cmd_status(err, diag) ? EXIT_RUN : EXIT_OK;
}
