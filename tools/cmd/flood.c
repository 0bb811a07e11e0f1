/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/interrupt.h"
#include "tools/base/options.h"
#include "tools/base/out.h"
#include "tools/base/progress.h"
#include "tools/flood/flood.h"
#include "tools/flood/report.h"
#include "cmd.h"

enum {
	KEY_PRODUCERS = 256,
	KEY_REQUESTS,
	KEY_CANCEL,
	KEY_EXPIRE,
	KEY_LIMIT,
	KEY_HOSTILE,
	KEY_PAUSING,
	KEY_STOP_PRODUCER,
	KEY_SECONDS,
	KEY_SEED,
	KEY_JSON,
	KEY_QUIET,
};

const struct opt_def flood_options[] = {
	OPT_HEADING("Options"),
	{KEY_PRODUCERS, "producers", "N", "threads that submit (default 8)"},
	{KEY_REQUESTS, "requests", "N",
	 "submissions of all together (default 1000000)"},
	{KEY_CANCEL, "cancel", "SHARE",
	 "share that is cancelled at a random moment (default 0.1)"},
	{KEY_EXPIRE, "expire", "SHARE",
	 "share that may wait a millisecond at most (default 0.05)"},
	{KEY_LIMIT, "limit", "N",
	 "requests that may wait at once (default 65536)"},
	{KEY_HOSTILE, "hostile", "N",
	 "producers of one tenant that means harm (default 0)"},
	{KEY_PAUSING, "pausing", NULL,
	 "shortest rest first; prompts that have begun may pause"},
	{KEY_STOP_PRODUCER, "stop-producer", NULL,
	 "stop one producer until all others are through"},
	{KEY_SECONDS, "seconds", "S", "submit no longer than this"},
	{KEY_SEED, "seed", "N", "of all draws (default 1)"},
	OPT_HEADING("Output"),
	{KEY_JSON, "json", "FILE", "figures as JSON; \"-\" is standard output"},
	{KEY_QUIET, "quiet", NULL, "no table, no progress"},
	OPT_HELP,
	OPT_END,
};

/**
 * struct args - the command line
 * @flood: what the run itself reads
 * @json: NULL for none
 * @quiet: no table, no progress
 */
struct args {
	struct flood_args flood;
	const char *json;
	bool quiet;
};

static int set_output(struct args *args, int key, const char *value)
{
	if (key == KEY_JSON)
		args->json = value;
	else
		args->quiet = true;
	return 0;
}

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	struct args *args = ctx;
	struct flood_args *flood = &args->flood;

	switch (key) {
	case KEY_PRODUCERS:
		return opt_u32("--producers", value, 1, 1024, &flood->producers,
			       diag);
	case KEY_REQUESTS:
		/* Ranks in a class are kept in 31 bits. */
		return opt_u64("--requests", value, 1, INT32_MAX,
			       &flood->requests, diag);
	case KEY_CANCEL:
		return opt_real("--cancel", value, 0.0, 1.0, &flood->cancel,
				diag);
	case KEY_EXPIRE:
		return opt_real("--expire", value, 0.0, 1.0, &flood->expire,
				diag);
	case KEY_LIMIT:
		return opt_u32("--limit", value, 1, 1u << 22, &flood->limit,
			       diag);
	case KEY_HOSTILE:
		return opt_u32("--hostile", value, 1, 1024, &flood->hostile,
			       diag);
	case KEY_PAUSING:
		flood->pausing = true;
		return 0;
	case KEY_STOP_PRODUCER:
		flood->stop_producer = true;
		return 0;
	case KEY_SECONDS:
		return opt_real("--seconds", value, 0.001, 1e6, &flood->seconds,
				diag);
	case KEY_SEED:
		return opt_u64("--seed", value, 0, INT64_MAX, &flood->seed,
			       diag);
	default:
		return set_output(args, key, value);
	}
}

static int help(struct diag *diag)
{
	puts("Usage: fairway flood [OPTION]...\n"
	     "Flood the runtime with submissions and cancels from many "
	     "threads, and count that\n"
	     "each request ended exactly once.");
	opt_print(flood_options, stdout);
	puts("\n"
	     "Exits with 1 when a request was lost, ended twice, came out of "
	     "order, did not\n"
	     "end as its cancel was told, or broke the bound on overtaking.\n"
	     "\n"
	     "Example:\n"
	     "  fairway flood --producers 64 --requests 10000000");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static void line(const void *ctx, double seconds, char *buf, size_t size)
{
	const struct flood *flood = ctx;
	uint64_t ended =
		atomic_load_explicit(&flood->ended, memory_order_relaxed);

	snprintf(buf, size, "%" PRIu64 " of %" PRIu64 " ended, %.0f a second",
		 ended, flood->args.requests,
		 seconds > 0.0 ? (double)ended / seconds : 0.0);
}

static int publish(const struct flood *flood, const struct args *args,
		   const struct flood_result *result, struct out *out,
		   struct diag *diag)
{
	FILE *to = args->json && !strcmp(args->json, "-") ? stderr : stdout;
	int err = 0;

	if (args->json)
		err = flood_json(flood, result, out->file);
	if (err)
		diag_set(diag, err, "--json %s: %s", args->json,
			 strerror(-err));
	if (!err && !args->quiet)
		err = cmd_flush(to, flood_table(flood, result, to), diag);
	if (!err)
		return out_commit(out, diag);
	out_abort(out);
	return err;
}

static int verdict(const struct flood *flood, const struct flood_result *result,
		   struct diag *diag)
{
	if (flood->args.stop_producer && !result->stopped && !interrupted())
		return diag_set(diag, -EIO,
				"the producer was through before it could be "
				"stopped; --requests more");
	if (flood_clean(result))
		return 0;
	return diag_set(diag, -EIO,
			"%" PRIu64 " lost, %" PRIu64 " ended twice, %" PRIu64
			" out of order, %" PRIu64 " not as cancelled, %" PRIu64
			" broke the bound",
			result->lost, result->twice, result->out_of_order,
			result->broken, result->bound_broken);
}

static int run(void *ctx, struct diag *diag)
{
	const struct args *args = ctx;
	static struct flood_result result;
	static struct flood flood;
	struct progress progress;
	struct out out;
	int err;

	if (args->flood.hostile > args->flood.producers) {
		diag_set(diag, -EINVAL,
			 "--hostile: expected at most as many as there are "
			 "producers (%u of %u)",
			 args->flood.hostile, args->flood.producers);
		return EXIT_INPUT;
	}
	interrupt_defer();
	flood.args = args->flood;
	err = out_open(&out, args->json, diag);
	if (err)
		return cmd_status(err, diag);
	progress_start(&progress, args->quiet, line, &flood);
	err = flood_run(&flood, &result, diag);
	progress_stop(&progress);
	if (!err)
		err = publish(&flood, args, &result, &out, diag);
	else
		out_abort(&out);
	if (!err)
		err = verdict(&flood, &result, diag);
	return err ? EXIT_RUN : EXIT_OK;
}

int cmd_flood(int argc, char **argv, struct diag *diag)
{
	struct args args = {
		.flood = {.producers = 8,
			  .requests = 1000000,
			  .cancel = 0.1,
			  .expire = 0.05,
			  .limit = 65536,
			  .seed = 1},
	};
	int err = opt_parse(argc, argv, flood_options, set, &args, diag);

	return cmd_go(err, help, run, &args, diag);
}
