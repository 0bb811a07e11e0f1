/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/options.h"
#include "tools/study/compare.h"
#include "cmd.h"
#include "outputs.h"

enum {
	KEY_FILES = 256,
	KEY_PHASES,
	KEY_JSON_FILE,
	KEY_NO_TABLE,
};

const struct opt_def compare_options[] = {
	OPT_HEADING("Reports to compare"),
	OPT_OPERAND(KEY_FILES, "FILE", "two of them, from fairway sim --json"),
	OPT_HEADING("Options"),
	{KEY_PHASES, "phases", NULL, "each phase, not the whole runs alone"},
	{KEY_JSON_FILE, "json", "FILE",
	 "the differences; \"-\" is standard output"},
	{KEY_NO_TABLE, "quiet", NULL, "no table"},
	OPT_HELP,
	OPT_END,
};

/**
 * struct compare_args - the command line
 * @files: the two reports
 * @num: how many were given
 * @phases: each phase
 * @json: path or NULL
 * @quiet: no table
 */
struct compare_args {
	const char *files[2];
	unsigned int num;
	bool phases;
	const char *json;
	bool quiet;
};

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct compare_args *args = ctx;

	(void)diag;
	switch (key) {
	case KEY_FILES:
		args->files[args->num++] = value;
		break;
	case KEY_PHASES:
		args->phases = true;
		break;
	case KEY_JSON_FILE:
		args->json = value;
		break;
	default:
		args->quiet = true;
	}
	return 0;
}

static int help(struct diag *diag)
{
	puts("Usage: fairway compare FILE FILE [OPTION]...\n"
	     "How the figures of two reports differ: each figure of the "
	     "second one in units of\n"
	     "the first, and where both have several seeds how far that can "
	     "be trusted.");
	opt_print(compare_options, stdout);
	puts("\n"
	     "Example:\n"
	     "  fairway sim --workload sec --seed 1..20 --json a.json\n"
	     "  fairway sim --workload sec --seed 1..20 --budget 4096 "
	     "--json b.json\n"
	     "  fairway compare a.json b.json");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static int write_json(const void *compare, FILE *to)
{
	return compare_json(compare, to);
}

static int publish(const struct compare *compare,
		   const struct compare_args *args, struct outputs *outputs,
		   struct diag *diag)
{
	FILE *to = outputs_take_stdout(outputs) ? stderr : stdout;
	int err = outputs_fill(outputs, compare, diag);

	if (!err && !args->quiet) {
		err = compare_table(compare, to);
		err = err == -ENOENT ? err : cmd_flush(to, err, diag);
	}
	if (!err)
		return outputs_commit(outputs, diag);
	outputs_abort(outputs);
	return err;
}

static int compare(const struct compare_args *args, struct outputs *outputs,
		   struct diag *diag)
{
	struct study a, b;
	const struct compare both = {
		.names = {args->files[0], args->files[1]},
		.a = &a,
		.b = &b,
		.phases = args->phases,
	};
	int err = study_read(&a, args->files[0], diag);

	if (err)
		goto err_abort;
	err = study_read(&b, args->files[1], diag);
	if (err)
		goto err_destroy_a;
	err = publish(&both, args, outputs, diag);
	study_destroy(&b);
	study_destroy(&a);
	return err;

err_destroy_a:
	study_destroy(&a);
err_abort:
	outputs_abort(outputs);
	return err;
}

static int run(void *ctx, struct diag *diag)
{
	const struct compare_args *args = ctx;
	struct output json = {
		.option = "--json",
		.path = args->json,
		.write = write_json,
	};
	struct outputs outputs = {&json, 1};
	int err = outputs_open(&outputs, diag);

	if (err)
		return cmd_status(err, diag);
	err = compare(args, &outputs, diag);
	if (err == -ENOENT && !diag->text[0])
		diag_set(diag, err,
			 "%s and %s: expected a policy and a setting that both "
			 "have",
			 args->files[0], args->files[1]);
	return cmd_status(err, diag);
}

int cmd_compare(int argc, char **argv, struct diag *diag)
{
	struct compare_args args = {.num = 0};
	int err = opt_parse_operands(argc, argv, compare_options, 2, set, &args,
				     diag);

	if (!err && args.num < 2)
		err = diag_set(diag, -EINVAL, "two files are needed");
	return cmd_go(err, help, run, &args, diag);
}
