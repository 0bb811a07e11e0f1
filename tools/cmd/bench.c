/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tools/base/interrupt.h"
#include "tools/base/options.h"
#include "tools/base/out.h"
#include "tools/base/progress.h"
#include "tools/bench/bench.h"
#include "cmd.h"

enum {
	KEY_BENCH = 256,
	KEY_WAITING,
	KEY_POLICY,
	KEY_BLOCKS,
	KEY_SECONDS,
	KEY_SEED,
	KEY_COLD,
	KEY_JSON,
	KEY_QUIET,
};

const struct opt_def bench_options[] = {
	OPT_OPERAND(KEY_BENCH, "BENCH", "which bench (default all)"),
	OPT_HEADING("Options"),
	{KEY_WAITING, "waiting", "N,N,...",
	 "lengths of the queue\n"
	 "(default 100,1000,10000,100000,1000000)"},
	{KEY_POLICY, "policy", "P",
	 "step: these policies beside fairway, instead of the\n"
	 "forms that its order replaces; as sim has them"},
	{KEY_BLOCKS, "blocks", "N",
	 "cached blocks, for match and events (default 1000000)"},
	{KEY_SECONDS, "seconds", "S", "time for each row (default 1)"},
	{KEY_SEED, "seed", "N", "same seed, same requests (default 1)"},
	{KEY_COLD, "cold", NULL,
	 "empty the caches before each sample, by a walk\n"
	 "over memory twice as large"},
	OPT_HEADING("Output"),
	{KEY_JSON, "json", "FILE", "figures as JSON; \"-\" is standard output"},
	{KEY_QUIET, "quiet", NULL, "no table, no progress"},
	OPT_HELP,
	OPT_END,
};

/**
 * struct kind - one bench
 * @name: as the user names it
 * @summary: for --help
 * @run: see bench.h
 */
struct kind {
	const char *name;
	const char *summary;
	int (*run)(struct bench *bench, struct diag *diag);
};

static const struct kind kinds[] = {
	{"step", "a scheduling step, beside the forms it replaces", bench_step},
	{"submit", "a submission, beside other ways to hand over",
	 bench_submit},
	{"match", "a prompt's longest cached prefix", bench_match},
	{"events", "64 blocks stored and removed", bench_events},
	{"executor", "the host's cost of a plan, by executor", bench_executor},
	{"latency", "one memory load, by cache: a yardstick", bench_latency},
};

/**
 * struct args - the command line
 * @bench: what the benches themselves read
 * @policies: what it points to
 * @kind: NULL for all
 * @json: NULL for none
 */
struct args {
	struct bench_args bench;
	struct policy_list policies;
	const struct kind *kind;
	const char *json;
};

const char *cmd_bench_name(size_t i)
{
	if (i < ARRAY_SIZE(kinds))
		return kinds[i].name;
	return i == ARRAY_SIZE(kinds) ? "all" : NULL;
}

static int unknown(const char *name, struct diag *diag)
{
	const char *names[ARRAY_SIZE(kinds) + 2] = {NULL};
	const char *near;
	char list[128];

	for (size_t i = 0; cmd_bench_name(i); i++)
		names[i] = cmd_bench_name(i);
	near = closest(name, names);
	list_names(list, sizeof(list), names, "and");
	return diag_set(diag, -EINVAL,
			"unknown bench \"%s\"%s%s%s; there are %s", name,
			near ? ", did you mean \"" : "", near ? near : "",
			near ? "\"?" : "", list);
}

static int set_kind(struct args *args, const char *name, struct diag *diag)
{
	args->kind = NULL;
	if (!strcmp(name, "all"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(name, kinds[i].name))
			args->kind = &kinds[i];
	return args->kind ? 0 : unknown(name, diag);
}

static int set_waiting(struct bench_args *args, char *text, struct diag *diag)
{
	char *rest = text;
	int err = 0;

	args->num_waiting = 0;
	while (rest && !err) {
		char *item = strsep(&rest, ",");

		if (args->num_waiting == BENCH_MAX_SIZES)
			return diag_set(diag, -EINVAL,
					"--waiting: at most %u lengths",
					BENCH_MAX_SIZES);
		/* Memory for ten million is some 5 GB. */
		err = opt_u32("--waiting", item, 1, 10000000,
			      &args->waiting[args->num_waiting++], diag);
	}
	return err;
}

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct args *args = ctx;

	switch (key) {
	case KEY_BENCH:
		return set_kind(args, value, diag);
	case KEY_WAITING:
		return set_waiting(&args->bench, value, diag);
	case KEY_POLICY:
		return policy_parse(&args->policies, value, diag);
	case KEY_BLOCKS:
		/* Memory for a hundred million is some 20 GB. */
		return opt_u32("--blocks", value, 1000, 100000000,
			       &args->bench.blocks, diag);
	case KEY_SECONDS:
		return opt_real("--seconds", value, 0.001, 3600.0,
				&args->bench.seconds, diag);
	case KEY_COLD:
		args->bench.cold = true;
		return 0;
	case KEY_JSON:
		args->json = value;
		return 0;
	case KEY_QUIET:
		args->bench.quiet = true;
		return 0;
	default:
		return opt_u64("--seed", value, 0, INT64_MAX, &args->bench.seed,
			       diag);
	}
}

static int help(struct diag *diag)
{
	puts("Usage: fairway bench [BENCH] [OPTION]...\n"
	     "Measure what scheduling costs, beside naive forms in the same "
	     "run.\n"
	     "\n"
	     "Benches:");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		printf("  %-8s %s\n", kinds[i].name, kinds[i].summary);
	puts("  all      each of them");
	opt_print(bench_options, stdout);
	puts("\n"
	     "Example:\n"
	     "  fairway bench step --waiting 1000,100000 --seconds 5\n"
	     "  fairway bench step --policy fcfs,lpm,srpf");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static void line(const void *ctx, double seconds, char *buf, size_t size)
{
	const struct bench *bench = ctx;
	/* Relaxed: names are constants; a mix of old and new is harmless. */
	const char *form =
		atomic_load_explicit(&bench->form, memory_order_relaxed);
	uint64_t waiting =
		atomic_load_explicit(&bench->waiting, memory_order_relaxed);

	if (waiting)
		snprintf(buf, size, "%s, %" PRIu64 " waiting, %.0f s",
			 form ? form : "", waiting, seconds);
	else
		snprintf(buf, size, "%s, %.0f s", form ? form : "", seconds);
}

static int measure(struct bench *bench, const struct args *args,
		   struct diag *diag)
{
	struct progress progress;
	int err;

	/* Before bench_open() pins this thread: the new one is not pinned. */
	progress_start(&progress, args->bench.quiet, line, bench);
	err = bench_open(bench, &args->bench, diag);
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !err; i++)
		if (!args->kind || args->kind == &kinds[i])
			err = kinds[i].run(bench, diag);
	progress_stop(&progress);
	/* What is done is reported; the row that was cut off failed. */
	if (interrupted() && err) {
		diag->text[0] = '\0';
		err = 0;
	}
	return err;
}

static int show(const struct bench *bench, bool to_stderr, struct diag *diag)
{
	FILE *to = to_stderr ? stderr : stdout;

	return cmd_flush(to, bench_table(bench, to), diag);
}

static int publish(const struct bench *bench, const struct args *args,
		   struct out *out, struct diag *diag)
{
	bool to_stderr = args->json && !strcmp(args->json, "-");
	int err = 0;

	if (args->json)
		err = bench_json(bench, out->file);
	if (err)
		diag_set(diag, err, "--json %s: %s", args->json,
			 strerror(-err));
	if (!err && !args->bench.quiet)
		err = show(bench, to_stderr, diag);
	if (!err)
		return out_commit(out, diag);
	out_abort(out);
	return err;
}

static int run(void *ctx, struct diag *diag)
{
	const struct args *args = ctx;
	struct bench bench = {0};
	struct out out;
	int err;

	interrupt_defer();

	err = out_open(&out, args->json, diag);
	if (err)
		return cmd_status(err, diag);
	err = measure(&bench, args, diag);
	if (!err)
		err = publish(&bench, args, &out, diag);
	else
		out_abort(&out);
	bench_close(&bench);
	return cmd_status(err, diag) ? EXIT_RUN : EXIT_OK;
}

int cmd_bench(int argc, char **argv, struct diag *diag)
{
	struct args args = {
		.bench = {.waiting = {100, 1000, 10000, 100000, 1000000},
			  .num_waiting = 5,
			  .seconds = 1.0,
			  .blocks = 1000000,
			  .seed = 1},
	};
	int err = opt_parse(argc, argv, bench_options, set, &args, diag);
	int status;

	args.bench.policies = &args.policies;
	status = cmd_go(err, help, run, &args, diag);
	policy_list_destroy(&args.policies);
	return status;
}
