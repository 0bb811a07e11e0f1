/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/grid.h"
#include "tools/base/options.h"
#include "tools/base/out.h"
#include "tools/cuda/measure.h"
#include "tools/fit/fit.h"
#include "tools/fit/fit_table.h"
#include "tools/fit/steps.h"
#include "cmd.h"

enum {
	KEY_FIT = 256,
	KEY_OUTPUT,
	KEY_EXECUTOR,
	KEY_DEVICE,
	KEY_SPEED,
	KEY_QUIET,
};

const struct opt_def calibrate_options[] = {
	OPT_HEADING("Options"),
	{KEY_FIT, "fit", "STEPS.csv",
	 "measured steps: CSV of seconds, and of requests or\n"
	 "of tokens and pairs; \"-\" is standard input"},
	{KEY_EXECUTOR, "executor", "NAME",
	 "or cuda: measure a CUDA device, with a stand-in kernel\n"
	 "that is busy for a step's time"},
	{KEY_DEVICE, "device", "NAME",
	 "with --executor: whose step times (default h100)"},
	{KEY_SPEED, "speed", "X",
	 "with --executor: seconds of the device in one of real\n"
	 "time (default 1)"},
	{KEY_OUTPUT, "output", "TABLE.csv",
	 "where to; \"-\" is standard output"},
	{KEY_QUIET, "quiet", NULL, "do not say how well it fits"},
	OPT_HELP,
	OPT_END,
};

/**
 * struct calibrate_args - the command line
 * @fit: path, or NULL
 * @output: path, or NULL
 * @executor: name, or NULL
 * @device: the stand-in's, with @executor
 * @speed: of it
 * @quiet: do not print how well it fits
 */
struct calibrate_args {
	const char *fit;
	const char *output;
	const char *executor;
	const char *device;
	double speed;
	bool quiet;
};

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct calibrate_args *args = ctx;

	switch (key) {
	case KEY_FIT:
		args->fit = value;
		break;
	case KEY_OUTPUT:
		args->output = value;
		break;
	case KEY_EXECUTOR:
		args->executor = value;
		break;
	case KEY_DEVICE:
		args->device = value;
		break;
	case KEY_SPEED:
		return opt_real("--speed", value, 1e-3, 1e4, &args->speed,
				diag);
	default:
		args->quiet = true;
	}
	return 0;
}

static int check(const struct calibrate_args *args, struct diag *diag)
{
	if (args->executor && strcmp(args->executor, "cuda"))
		return diag_set(diag, -EINVAL,
				"--executor %s: only \"cuda\" is measured; "
				"measure steps of your own and give them to "
				"--fit",
				args->executor);
	if (args->executor && args->fit)
		return diag_set(diag, -EINVAL,
				"--executor does not go with --fit");
	if (!args->executor && !args->fit)
		return diag_set(diag, -EINVAL, "--fit is missing");
	if (!args->output)
		return diag_set(diag, -EINVAL, "--output is missing");
	return 0;
}

static int help(struct diag *diag)
{
	puts("Usage: fairway calibrate (--fit STEPS.csv | --executor cuda) "
	     "--output TABLE.csv\n"
	     "Fit the step times of a prefill device to measured steps, and "
	     "write them with\nthe prefill times of whole prompts as a table "
	     "that \"fairway sim --table\" reads.");
	opt_print(calibrate_options, stdout);
	puts("\n"
	     "A step's requests are the chunks it computed, POSITION+NEW "
	     "tokens each:\n"
	     "  requests,seconds\n"
	     "  0+1500 4096+548,0.311\n"
	     "\n"
	     "Example:\n"
	     "  fairway calibrate --fit steps.csv --output mine.csv\n"
	     "  fairway sim --workload sec-dynamic --table mine.csv");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static void print_constants(const struct fit *fit, FILE *to)
{
	const struct fw_device *d = &fit->device;

	fprintf(to,
		"T = max(Tw, t0 + a * tokens) + b * pairs\n"
		"  t0  %.4g ms\n"
		"  a   %.4g us a token\n"
		"  b   %.4g ns a pair\n",
		d->t0 * 1e3, d->a * 1e6, d->b * 1e9);
	if (fit->has_floor)
		fprintf(to, "  Tw  %.4g ms, the floor: up to %.0f tokens\n",
			d->tw * 1e3, (d->tw - d->t0) / d->a);
	else
		fputs("  Tw  not seen: no step is on a floor; measure steps of "
		      "few tokens\n",
		      to);
}

static void print_errors(const struct fit *fit, const struct steps *steps,
			 FILE *to)
{
	const struct step *worst = &steps->list[fit->worst];
	char num[32], floor[32], aside[32];

	format_count(num, sizeof(num), steps->num);
	format_count(floor, sizeof(floor), fit->on_floor);
	format_count(aside, sizeof(aside), fit->set_aside);
	fprintf(to,
		"%s steps, %s of them on the floor\n"
		"off by %.2f%% in the median, %.2f%% at the 90th percentile\n"
		"worst: line %" PRIu64 ", %.0f tokens and %.4g pairs in %.4g "
		"ms, fitted %.4g ms\n",
		num, floor, 100.0 * fit->median, 100.0 * fit->p90, worst->line,
		worst->tokens, worst->pairs, worst->seconds * 1e3,
		worst->seconds * (1.0 - fit->worst_off) * 1e3);
	if (fit->set_aside)
		fprintf(to,
			"%s steps were so far off that they did not count\n",
			aside);
}

/* Where the table goes to standard output, this goes to standard error. */
static int tell(const struct calibrate_args *args, const struct fit *fit,
		const struct steps *steps, struct diag *diag)
{
	bool aside = !strcmp(args->output, "-") ||
		     !strcmp(args->output, "/dev/stdout");
	FILE *to = aside ? stderr : stdout;

	if (args->quiet)
		return 0;
	print_constants(fit, to);
	print_errors(fit, steps, to);
	return aside ? 0 : cmd_flush_stdout(diag);
}

/* Return: An exit status; @out is committed or aborted. */
static int publish(const struct calibrate_args *args, const struct fit *fit,
		   const struct steps *steps, struct out *out,
		   struct diag *diag)
{
	int err = fit_table_write(fit, steps->num, out->file);

	if (err)
		diag_set(diag, err, "--output %s: %s", args->output,
			 strerror(-err));
	else
		err = tell(args, fit, steps, diag);
	if (err)
		out_abort(out);
	else
		err = out_commit(out, diag);
	return err ? EXIT_RUN : EXIT_OK;
}

static int take_steps(const struct calibrate_args *args, struct steps *steps,
		      struct diag *diag)
{
	if (args->executor)
		return cuda_measure(steps, args->device, args->speed, diag);
	return steps_read(steps, args->fit, diag);
}

static int run(void *ctx, struct diag *diag)
{
	const struct calibrate_args *args = ctx;
	struct steps steps;
	struct fit fit;
	struct out out;
	int status;
	int err = take_steps(args, &steps, diag);

	/* What a device does wrong is no fault of the input. */
	if (err)
		return args->executor && err != -EINVAL ? EXIT_RUN
							: cmd_status(err, diag);
	err = fit_steps(&fit, &steps, args->fit ? args->fit : "cuda", diag);
	if (!err)
		err = out_open(&out, args->output, diag);
	status = err ? cmd_status(err, diag)
		     : publish(args, &fit, &steps, &out, diag);
	steps_destroy(&steps);
	return status;
}

int cmd_calibrate(int argc, char **argv, struct diag *diag)
{
	struct calibrate_args args = {.device = "h100", .speed = 1.0};
	int err = opt_parse(argc, argv, calibrate_options, set, &args, diag);

	if (!err)
		err = check(&args, diag);
	return cmd_go(err, help, run, &args, diag);
}
