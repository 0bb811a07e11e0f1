/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/analyze/analyze.h"
#include "tools/log/log_reader.h"
#include "tools/base/options.h"
#include "tools/base/out.h"
#include "tools/base/reading.h"
#include "tools/node/sim_args.h"
#include "tools/node/sim_input.h"
#include "tools/trace/reader.h"
#include "cmd.h"

const struct opt_def analyze_options[] = {
	OPT_HEADING("Queue"),
	OPT_OPERAND(KEY_TRACE, "FILE",
		    "a log or a trace, see below; \"-\" is standard input, a\n"
		    "log unless --format says otherwise"),
	{KEY_FORMAT, "format", "FORM",
	 "form of the file, where its name and first line do\n"
	 "not tell; both are listed below"},
	OPT_HEADING("The node of the simulation"),
	SIM_OPT_DEVICE,
	{KEY_TABLE, "table", "FILE",
	 "own prefill times: CSV of tokens and seconds; step\n"
	 "times too where it has t0, a, b and Tw"},
	SIM_OPT_BUDGET,
	SIM_OPT_MAX_RUNNING,
	OPT_HEADING("For traces only, as in fairway sim"),
	{KEY_TIME_SCALE, "time-scale", "X", "multiply all arrivals"},
	{KEY_LOAD, "load", "L", "or scale them to a load"},
	SIM_OPT_RATE,
	SIM_OPT_COLUMNS,
	SIM_OPT_TIME_UNIT,
	SIM_OPT_STRICT,
	SIM_OPT_LIMIT,
	{KEY_SEED, "seed", "N", "seed of --rate (default 1)"},
	{KEY_TICK, "tick", "MS", "spread requests of one timestamp"},
	SIM_OPT_UNTIL,
	SIM_OPT_MAX_PROMPT,
	{KEY_BLOCK_SIZE, "block-size", "N", "tokens of a trace's block"},
	SIM_OPT_KV_BLOCKS,
	SIM_OPT_KV_FRACTION,
	OPT_HEADING("Reports"),
	{KEY_JSON, "json", "FILE", "all figures; \"-\" is standard output"},
	{KEY_QUIET, "quiet", NULL, "no table and no progress"},
	OPT_HELP,
	OPT_END,
};

/**
 * struct analyze_args - the command line
 * @sim: the options that it shares with sim; @sim.trace is FILE
 * @log_form: the form of log that --format names, or NULL
 * @trace_only: the first option given that means nothing for a log, or NULL
 */
struct analyze_args {
	struct sim_args sim;
	const char *log_form;
	const char *trace_only;
};

/* Does the option mean nothing for a log? */
static bool is_of_trace(int key)
{
	switch (key) {
	case KEY_TIME_SCALE:
	case KEY_LOAD:
	case KEY_RATE:
	case KEY_COLUMNS:
	case KEY_TIME_UNIT:
	case KEY_STRICT:
	case KEY_SEED:
	case KEY_TICK:
	case KEY_UNTIL:
	case KEY_MAX_PROMPT:
	case KEY_BLOCK_SIZE:
	case KEY_KV_BLOCKS:
	case KEY_KV_FRACTION:
		return true;
	default:
		return false;
	}
}

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct analyze_args *args = ctx;

	if (key == KEY_FORMAT && log_reader_find(value)) {
		args->log_form = value;
		return 0;
	}
	if (!args->trace_only && is_of_trace(key))
		args->trace_only = opt_name(analyze_options, key);
	return sim_args_set(&args->sim, key, value, diag);
}

static int help(struct diag *diag)
{
	puts("Usage: fairway analyze FILE [OPTION]...\n"
	     "Would another order help this queue? How different the requests "
	     "are that wait\n"
	     "together, and what a simulation gains by reordering them.");
	opt_print(analyze_options, stdout);
	puts("\nLogs, see fairway-analyze(1); .gz and .zst too:");
	for (size_t i = 0; log_readers[i]; i++)
		printf("  %-10s %s\n", log_readers[i]->name,
		       log_readers[i]->help);
	puts("\nTraces, see fairway-trace(5):");
	for (size_t i = 0; trace_readers[i]; i++)
		printf("  %-10s %s\n", trace_readers[i]->name,
		       trace_readers[i]->help);
	puts("\n"
	     "Examples:\n"
	     "  fairway analyze requests.csv --device h100\n"
	     "  fairway analyze conversation.jsonl --load 0.9 --tick 3000 "
	     "--json -");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static int show(const struct analysis *analysis, const struct sim_args *args,
		struct diag *diag)
{
	bool aside = args->json && !strcmp(args->json, "-");
	FILE *to = aside ? stderr : stdout;

	if (args->quiet)
		return 0;
	return cmd_flush(to, analyze_table(analysis, to), diag);
}

static int fill(const struct analysis *analysis, const struct sim_args *args,
		struct out *out, struct diag *diag)
{
	int err;

	if (!args->json)
		return 0;
	err = analyze_json(analysis, out->file);
	errno = 0;
	if (!err && fflush(out->file))
		err = errno ? -errno : -EIO;
	if (err)
		diag_set(diag, err, "--json %s: %s", args->json,
			 strerror(-err));
	return err;
}

/* Return: An exit status; @out is committed or aborted. */
static int publish(const struct analysis *analysis, const struct sim_args *args,
		   struct out *out, struct diag *diag)
{
	int err = fill(analysis, args, out, diag);

	if (!err)
		err = show(analysis, args, diag);
	if (args->json && err)
		out_abort(out);
	else if (args->json)
		err = out_commit(out, diag);
	return err ? EXIT_RUN : EXIT_OK;
}

static int do_log(const struct analyze_args *args, const struct log *log,
		  struct sim_input *input, struct analysis *analysis,
		  struct diag *diag)
{
	struct analyze_options options = {
		.path = args->sim.trace,
		.form = log->form,
		.table = args->sim.table,
		.config = &input->config,
		.quiet = args->sim.quiet,
	};
	int err;

	if (args->trace_only)
		return diag_set(diag, -EINVAL,
				"--%s: goes with a trace only (%s is a log)",
				args->trace_only, args->sim.trace);
	err = sim_input_node(input, &args->sim, diag);
	if (err)
		return err;
	err = analyze_log(analysis, log, &options, diag);
	if (err)
		sim_input_destroy(input);
	return err;
}

static int do_trace(const struct analyze_args *args, struct sim_input *input,
		    struct analysis *analysis, struct diag *diag)
{
	struct analyze_options options = {
		.path = args->sim.trace,
		.table = args->sim.table,
		.config = &input->config,
		.jobs = args->sim.jobs,
		.quiet = args->sim.quiet,
	};
	int err = sim_input_load(input, &args->sim, diag);

	if (err)
		return err;
	err = analyze_trace(analysis, &input->trace, &options, diag);
	if (err)
		sim_input_destroy(input);
	return err;
}

/* On success both @input and @analysis are to be destroyed. */
static int analyze(const struct analyze_args *args, struct sim_input *input,
		   struct analysis *analysis, struct diag *diag)
{
	const char *form = args->log_form ? args->log_form : args->sim.format;
	struct reading reading;
	struct log log;
	int ret;

	/* Logs have no columns to name. */
	if (args->sim.read.columns && !args->log_form)
		return do_trace(args, input, analysis, diag);
	reading_start(&reading, args->sim.trace, args->sim.quiet);
	ret = log_read(&log, args->sim.trace, form, &args->sim.limits,
		       &reading.bytes, diag);
	reading_stop(&reading);
	if (ret < 0)
		return ret;
	if (!ret)
		return do_trace(args, input, analysis, diag);
	ret = do_log(args, &log, input, analysis, diag);
	log_destroy(&log);
	return ret;
}

static int run(void *ctx, struct diag *diag)
{
	const struct analyze_args *args = ctx;
	struct analysis analysis;
	struct sim_input input;
	struct out out;
	int err = 0;
	int status;

	if (args->sim.json)
		err = out_open(&out, args->sim.json, diag);
	if (err)
		return cmd_status(err, diag);
	err = analyze(args, &input, &analysis, diag);
	if (err) {
		if (args->sim.json)
			out_abort(&out);
		return cmd_status(err, diag);
	}
	status = publish(&analysis, &args->sim, &out, diag);
	analysis_destroy(&analysis);
	sim_input_destroy(&input);
	return status;
}

int cmd_analyze(int argc, char **argv, struct diag *diag)
{
	struct analyze_args args = {.log_form = NULL};
	int err;
	int status;

	sim_args_init(&args.sim);
	args.sim.input = "FILE";
	err = opt_parse(argc, argv, analyze_options, set, &args, diag);
	if (!err && !args.sim.trace)
		err = diag_set(diag, -EINVAL,
			       "FILE is missing; \"fairway analyze --help\" "
			       "says what it may be");
	if (!err)
		err = sim_args_finish(&args.sim, diag);
	status = cmd_go(err, help, run, &args, diag);
	sim_args_destroy(&args.sim);
	return status;
}
