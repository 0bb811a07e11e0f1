/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tools/base/grid.h"
#include "tools/base/mem.h"
#include "tools/node/sim_input.h"
#include "tools/plot/gnuplot.h"
#include "tools/report/report.h"
#include "tools/report/warnings.h"
#include "cmd.h"
#include "outputs.h"

static void print_timing(const struct report *report)
{
	char rate[32];

	for (unsigned int i = 0; i < report->num; i++) {
		double wall = report->results[i].wall_s;
		double num = (double)report->trace->num_reqs;

		format_count(rate, sizeof(rate),
			     wall > 0.0 ? (uint64_t)(num / wall) : 0);
		fprintf(stderr, "%s: %.3f s, %s requests/s\n",
			report->specs[i].name, wall, rate);
	}
	fprintf(stderr, "peak memory: %.1f MiB\n",
		(double)mem_peak_rss() / (1024.0 * 1024.0));
}

static int show_table(const struct report *report, bool to_stderr,
		      struct diag *diag)
{
	FILE *to = to_stderr ? stderr : stdout;

	return cmd_flush(to, report_table(report, to), diag);
}

/* Where no table shows them: nobody asked not to be warned. */
static void tell_warnings(const struct report *report)
{
	struct warnings warnings;

	warnings_init(&warnings, report);
	for (size_t i = 0; i < warnings.num; i++)
		fprintf(stderr, "fairway %s: warning: %s\n", report->argv[0],
			warnings.texts[i]);
}

static int publish(const struct report *report, const struct sim_args *args,
		   struct outputs *outputs, struct diag *diag)
{
	int err = outputs_fill(outputs, report, diag);

	if (!err && !args->quiet)
		err = show_table(report, outputs_take_stdout(outputs), diag);
	if (err) {
		outputs_abort(outputs);
		return err;
	}
	if (args->quiet)
		tell_warnings(report);
	err = outputs_commit(outputs, diag);
	if (!err && args->timing)
		print_timing(report);
	return err;
}

static int summarize(struct summary *sums, const struct trace *trace,
		     const struct sim_result *results, unsigned int num,
		     const struct percentiles *percentiles)
{
	for (unsigned int i = 0; i < num; i++)
		if (summary_init(&sums[i], trace, &results[i], percentiles))
			return -ENOMEM;
	return 0;
}

/* @results and @sums are zeros at first, so that they can be destroyed. */
static int run_and_report(const struct sim_args *args,
			  const struct sim_runner *runner,
			  const struct sim_input *input,
			  struct outputs *outputs, struct sim_result *results,
			  struct summary *sums, struct diag *diag)
{
	struct report report = {
		.workload = args->trace ? args->trace : args->workload,
		.seed = args->seed,
		.generated = args->workload,
		.trace = &input->trace,
		.config = &input->config,
		.table = args->table,
		.load = args->load,
		.own_load = args->own_load,
		.own_scale = input->own_scale,
		.note = runner->note,
		.num = args->policies.num,
		.specs = args->policies.specs,
		.results = results,
		.sums = sums,
		.targets = &args->targets,
		.percentiles = &args->percentiles,
		.argc = args->argc,
		.argv = args->argv,
		.diag = diag,
	};
	int err = runner->go(runner->ctx, args, &input->trace, &input->config,
			     results, diag);

	if (!err)
		err = summarize(sums, &input->trace, results, report.num,
				&args->percentiles);
	if (err) {
		outputs_abort(outputs);
		return err;
	}
	return publish(&report, args, outputs, diag);
}

static int simulate(const struct sim_args *args,
		    const struct sim_runner *runner,
		    const struct sim_input *input, struct outputs *outputs,
		    struct diag *diag)
{
	unsigned int num = args->policies.num;
	struct sim_result *results = calloc(num, sizeof(*results));
	struct summary *sums = calloc(num, sizeof(*sums));
	int err = -ENOMEM;

	if (results && sums)
		err = run_and_report(args, runner, input, outputs, results,
				     sums, diag);
	else
		outputs_abort(outputs);
	for (unsigned int i = 0; i < num; i++) {
		if (sums)
			summary_destroy(&sums[i]);
		if (results)
			sim_result_destroy(&results[i]);
	}
	free(sums);
	free(results);
	return err;
}

static int run(const struct sim_args *args, const struct sim_runner *runner,
	       struct outputs *outputs, struct diag *diag)
{
	struct sim_input input;
	int err = sim_input_load(&input, args, diag);

	if (err) {
		outputs_abort(outputs);
		return cmd_status(err, diag);
	}
	err = simulate(args, runner, &input, outputs, diag);
	sim_input_destroy(&input);
	/* A policy of the user's own is input, too. */
	if (err == -EINVAL)
		return cmd_status(err, diag);
	/* The input was right: from here on the run fails. */
	return cmd_status(err, diag) ? EXIT_RUN : EXIT_OK;
}

static int write_json(const void *report, FILE *to)
{
	return report_json(report, to);
}

static int write_csv(const void *report, FILE *to)
{
	return report_csv(report, to);
}

static int write_requests(const void *report, FILE *to)
{
	return report_requests(report, to);
}

static int write_html(const void *report, FILE *to)
{
	return report_html(report, to);
}

int sim_command(const struct sim_args *args, const struct sim_runner *runner,
		struct diag *diag)
{
	struct output list[] = {
		{.option = "--json", .path = args->json, .write = write_json},
		{.option = "--csv", .path = args->csv, .write = write_csv},
		{.option = "--requests",
		 .path = args->requests,
		 .write = write_requests},
		{.option = "--html", .path = args->html, .write = write_html},
	};
	struct outputs outputs = {list, ARRAY_SIZE(list)};
	int err;

	/* Before the run: a user who must install it learns it at once. */
	if (args->html && gnuplot_find(diag))
		return EXIT_RUN;
	err = outputs_open(&outputs, diag);
	if (err)
		return cmd_status(err, diag);
	return run(args, runner, &outputs, diag);
}
