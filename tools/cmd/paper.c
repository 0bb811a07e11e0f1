/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/guard.h"
#include "tools/base/options.h"
#include "tools/base/out.h"
#include "tools/paper/paper.h"
#include "tools/plot/gnuplot.h"
#include "cmd.h"

enum {
	ARG_TRACE = 256,
	ARG_QUICK,
	ARG_ONLY,
	ARG_JOBS,
	ARG_RESUME,
	ARG_JSON,
	ARG_HTML,
	ARG_QUIET,
};

const struct opt_def paper_options[] = {
	OPT_HEADING("What is run"),
	{ARG_TRACE, "trace", "FILE",
	 "the Mooncake conversation trace; without it that\n"
	 "scenario is left out"},
	{ARG_QUICK, "quick", NULL,
	 "4 seeds instead of 20, without that scenario"},
	{ARG_ONLY, "only", "N,N,...", "these findings of the six"},
	{ARG_JOBS, "jobs", "N",
	 "runs at once (default: processors); the results\n"
	 "are the same"},
	{ARG_RESUME, "resume", "DIR",
	 "keep each finished run there, and take those\n"
	 "that are there"},
	OPT_HEADING("Reports"),
	{ARG_JSON, "json", "FILE", "all figures; \"-\" is standard output"},
	{ARG_HTML, "html", "FILE", "a page to look at"},
	{ARG_QUIET, "quiet", NULL, "no report and no progress"},
	OPT_HELP,
	OPT_END,
};

static int set_only(struct paper_args *args, char *text, struct diag *diag)
{
	char *rest = text;
	uint32_t number;
	int err = 0;

	while (rest && !err) {
		err = opt_u32("--only", strsep(&rest, ","), 1, PAPER_FINDINGS,
			      &number, diag);
		if (!err)
			args->only |= 1u << (number - 1);
	}
	return err;
}

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct paper_args *args = ctx;

	switch (key) {
	case ARG_TRACE:
		args->trace = value;
		return 0;
	case ARG_QUICK:
		args->quick = true;
		return 0;
	case ARG_ONLY:
		return set_only(args, value, diag);
	case ARG_JOBS:
		return opt_u32("--jobs", value, 1, 1024, &args->jobs, diag);
	case ARG_RESUME:
		args->resume = value;
		return 0;
	case ARG_JSON:
		args->json = value;
		return 0;
	case ARG_HTML:
		args->html = value;
		return 0;
	default:
		args->quiet = true;
		return 0;
	}
}

static int help(struct diag *diag)
{
	puts("Usage: fairway paper [OPTION]...\n"
	     "Evaluate the source paper's six findings on a simulated node, "
	     "each beside the\n"
	     "paper's own figures, and say which come out.");
	opt_print(paper_options, stdout);
	puts("\n"
	     "Examples:\n"
	     "  fairway paper --quick\n"
	     "  fairway paper --trace conversation.jsonl --resume runs "
	     "--json paper.json\n"
	     "  fairway paper --only 4");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

/**
 * struct outputs - the files that were asked for
 * @json: open while @has_json
 * @html: open while @has_html
 */
struct outputs {
	struct out json;
	struct out html;
	bool has_json;
	bool has_html;
};

static void abort_outputs(struct outputs *outputs)
{
	if (outputs->has_json)
		out_abort(&outputs->json);
	if (outputs->has_html)
		out_abort(&outputs->html);
}

static int open_outputs(struct outputs *outputs, const struct paper_args *args,
			struct diag *diag)
{
	int err = 0;

	if (args->json && args->html && !strcmp(args->json, args->html))
		return diag_set(diag, -EINVAL,
				"--json and --html: expected two files (both "
				"are \"%s\")",
				args->json);
	if (args->resume)
		err = paper_store_open(args->resume, diag);
	if (!err && args->json)
		err = out_open(&outputs->json, args->json, diag);
	outputs->has_json = !err && args->json;
	if (!err && args->html)
		err = out_open(&outputs->html, args->html, diag);
	outputs->has_html = !err && args->html;
	if (err)
		abort_outputs(outputs);
	return err;
}

/* All are filled before one is renamed: all are written, or none. */
static int fill_outputs(struct outputs *outputs, struct paper *paper,
			struct diag *diag)
{
	int err = 0;

	if (outputs->has_json)
		err = paper_json(paper, outputs->json.file);
	if (err)
		return diag_set(diag, err, "--json %s: %s", paper->args->json,
				strerror(-err));
	if (outputs->has_html)
		err = paper_html(paper, outputs->html.file, diag);
	if (err)
		diag_set(diag, err, "--html %s: %s", paper->args->html,
			 strerror(-err));
	return err;
}

static bool takes_stdout(const struct paper_args *args)
{
	return (args->json && !strcmp(args->json, "-")) ||
	       (args->html && !strcmp(args->html, "-"));
}

static int show(struct paper *paper, struct diag *diag)
{
	FILE *to = takes_stdout(paper->args) ? stderr : stdout;

	return cmd_flush(to, paper_print(paper, to), diag);
}

static int publish(struct outputs *outputs, struct paper *paper,
		   struct diag *diag)
{
	int err = fill_outputs(outputs, paper, diag);

	if (!err && !paper->args->quiet)
		err = show(paper, diag);
	if (!err && outputs->has_json) {
		outputs->has_json = false;
		err = out_commit(&outputs->json, diag);
	}
	if (!err && outputs->has_html) {
		outputs->has_html = false;
		err = out_commit(&outputs->html, diag);
	}
	return err;
}

static int run(void *ctx, struct diag *diag)
{
	const struct paper_args *args = ctx;
	struct outputs outputs = {.has_json = false};
	struct paper *paper = calloc(1, sizeof(*paper));
	int err, status;

	if (!paper)
		return cmd_status(-ENOMEM, diag);
	/* Before the runs: a user who must install it learns it at once. */
	if (args->html && gnuplot_find(diag)) {
		free(paper);
		return EXIT_RUN;
	}
	paper->args = args;
	err = args->trace ? guard_read_later(args->trace) : 0;
	if (!err)
		err = open_outputs(&outputs, args, diag);
	if (!err)
		err = paper_evaluate(paper, diag);
	if (!err)
		err = publish(&outputs, paper, diag);
	abort_outputs(&outputs);
	status = cmd_status(err, diag);
	if (status && paper->loaded)
		status = EXIT_RUN;
	paper_destroy(paper);
	free(paper);
	return status;
}

int cmd_paper(int argc, char **argv, struct diag *diag)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct paper_args args = {
		.jobs = cpus > 0 ? (uint32_t)cpus : 1,
		.argc = argc,
		.argv = argv,
	};
	int err = opt_parse(argc, argv, paper_options, set, &args, diag);

	return cmd_go(err, help, run, &args, diag);
}
