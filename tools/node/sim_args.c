/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_args.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fairway/order.h>

#include "tools/base/options.h"
#include "tools/trace/reader.h"
#include "tools/workload/workload.h"

#define DEFAULT_POLICIES "fcfs,lpm,fairway"
#define MAX_DEVICES 16

const struct opt_def sim_options[] = {
	OPT_HEADING("Requests, one of"),
	{KEY_TRACE, "trace", "FILE",
	 "a trace; \"-\" is standard input; see \"Traces\" below"},
	{KEY_WORKLOAD, "workload", "SPEC",
	 "NAME[:KEY=VALUE]..., see \"Workloads\" below"},
	OPT_HEADING("What to make of them"),
	{KEY_FORMAT, "format", "F",
	 "form of the trace, where its name and first line do\n"
	 "not tell; see \"Traces\" below"},
	SIM_OPT_COLUMNS,
	SIM_OPT_TIME_UNIT,
	SIM_OPT_STRICT,
	{KEY_SEED, "seed", "N[..M]",
	 "seed of the workload and of --rate (default 1); a\n"
	 "run under each seed of a range"},
	SIM_OPT_TIME_SCALE,
	{KEY_LOAD, "load", "L",
	 "or scale them so that first-come-first-served is\n"
	 "busy for L times their span"},
	SIM_OPT_RATE,
	{KEY_TICK, "tick", "MS",
	 "spread requests of one timestamp over MS milliseconds"},
	SIM_OPT_UNTIL,
	SIM_OPT_MAX_PROMPT,
	{KEY_BLOCK_SIZE, "block-size", "N",
	 "tokens of a trace's block where the trace does not\n"
	 "say (default: by the number of ids for mooncake, 512\n"
	 "where that fits; else 16)"},
	{KEY_CLOSED_LOOP, "closed-loop", NULL,
	 "a session's next turn arrives when the one before\n"
	 "ended, plus its delay"},
	SIM_OPT_LIMIT,
	OPT_HEADING("The node"),
	{KEY_POLICY, "policy", "P",
	 "NAME[:FLAG[=VALUE]]..., several separated by commas,\n"
	 "or given again; see \"Policies\" below\n"
	 "(default " DEFAULT_POLICIES ")"},
	SIM_OPT_DEVICE,
	{KEY_TABLE, "table", "FILE",
	 "own prefill times: CSV of tokens and seconds; step\n"
	 "times too where it has t0, a, b and Tw"},
	SIM_OPT_BUDGET,
	SIM_OPT_MAX_RUNNING,
	SIM_OPT_KV_BLOCKS,
	{KEY_KV_FRACTION, "kv-fraction", "F",
	 "or as a share of the blocks that several requests\n"
	 "have in common (default 0.3), at least four times\n"
	 "the longest prompt"},
	{KEY_SWEEP, "sweep", "KEY=LIST",
	 "a run for each value of an option, or of a flag of\n"
	 "the policies: weight=1,2,4 or load=0.5..1.2; given\n"
	 "again for each combination"},
	OPT_HEADING("Reports"),
	{KEY_JSON, "json", "FILE", "all figures; \"-\" is standard output"},
	SIM_OPT_CSV,
	SIM_OPT_REQUESTS,
	{KEY_HTML, "html", "FILE",
	 "a page with plots, whole in itself; needs gnuplot"},
	{KEY_TARGETS, "targets", "LIST",
	 "judge each policy in each phase, such as\n"
	 "median<=1.1xlpm,p99<=1.1xfcfs,max<=20s"},
	SIM_OPT_PERCENTILES,
	{KEY_QUIET, "quiet", NULL, "no table and no progress"},
	{KEY_TIMING, "timing", NULL, "real time and memory, to standard error"},
	{KEY_JOBS, "jobs", "N",
	 "policies run at once (default: processors); the\n"
	 "results are the same"},
	OPT_HELP,
	OPT_END,
};

static int set_device(struct sim_args *args, const char *value,
		      struct diag *diag)
{
	const char *names[MAX_DEVICES + 1] = {NULL};
	char list[128];

	for (size_t i = 0; i < MAX_DEVICES && fw_device_name(i); i++) {
		names[i] = fw_device_name(i);
		if (!strcmp(names[i], value)) {
			args->config.device = names[i];
			args->device_given = true;
			return 0;
		}
	}
	list_names(list, sizeof(list), names, "or");
	return diag_set(diag, -EINVAL,
			"--device: expected %s (was \"%s\"); for another "
			"device give --table a file that \"fairway "
			"calibrate\" makes",
			list, value);
}

static int set_source(struct sim_args *args, int key, const char *value,
		      struct diag *diag)
{
	switch (key) {
	case KEY_TRACE:
		args->trace = value;
		return 0;
	case KEY_WORKLOAD:
		args->workload = value;
		return 0;
	case KEY_FORMAT:
		args->format = value;
		return reader_find(value, diag) ? 0 : -EINVAL;
	default:
		return opt_u64("--seed", value, 0, INT64_MAX, &args->seed,
			       diag);
	}
}

/* R or R:gamma=S. */
static int set_rate(struct arrival_rate *rate, char *value, struct diag *diag)
{
	static const char gamma[] = "gamma=";
	char *shape = strchr(value, ':');
	int err;

	if (shape)
		*shape++ = '\0';
	err = opt_real("--rate", value, 1e-6, 1e6, &rate->rate, diag);
	if (err || !shape)
		return err;
	if (strncmp(shape, gamma, sizeof(gamma) - 1))
		return diag_set(diag, -EINVAL,
				"--rate: expected R or R:gamma=SHAPE (\"%s\")",
				shape);
	return opt_real("--rate: gamma", shape + sizeof(gamma) - 1, 0.01, 1000,
			&rate->shape, diag);
}

static int set_unit(enum time_unit *unit, const char *value, struct diag *diag)
{
	*unit = time_unit_find(value);
	if (*unit)
		return 0;
	return diag_set(diag, -EINVAL,
			"--time-unit: expected s, ms, us or ns (was \"%s\")",
			value);
}

/* How the file is read, whatever stands in it. */
static int set_reading(struct sim_args *args, int key, char *value,
		       struct diag *diag)
{
	switch (key) {
	case KEY_COLUMNS:
		args->read.columns = value;
		return 0;
	case KEY_TIME_UNIT:
		return set_unit(&args->read.unit, value, diag);
	case KEY_STRICT:
		args->read.strict = true;
		return 0;
	case KEY_RATE:
		return set_rate(&args->read.rate, value, diag);
	case KEY_CLOSED_LOOP:
		args->config.closed_loop = true;
		return 0;
	default:
		return limits_parse(&args->limits, value, diag);
	}
}

static int set_input(struct sim_args *args, int key, const char *value,
		     struct diag *diag)
{
	struct trace_options *options = &args->options;

	switch (key) {
	case KEY_LOAD:
		return opt_real("--load", value, 1e-3, 1e3, &args->load, diag);
	case KEY_TIME_SCALE:
		return opt_real("--time-scale", value, 1e-4, 1e6,
				&options->time_scale, diag);
	case KEY_TICK:
		return opt_real("--tick", value, 0.0, 1e9, &options->tick_ms,
				diag);
	case KEY_UNTIL:
		return opt_real("--until", value, 1e-3, 1e9, &options->until_s,
				diag);
	case KEY_MAX_PROMPT:
		return opt_u32("--max-prompt", value, 1, INT32_MAX,
			       &options->max_prompt, diag);
	default:
		return opt_u32("--block-size", value, 1, 65536,
			       &options->block_size, diag);
	}
}

static int set_path(const char **path, const char *name, const char *value,
		    struct diag *diag)
{
	if (!*value)
		return diag_set(diag, -EINVAL, "%s: expected a path (was \"\")",
				name);
	*path = value;
	return 0;
}

static int set_node(struct sim_args *args, int key, const char *value,
		    struct diag *diag)
{
	switch (key) {
	case KEY_POLICY:
		return policy_parse(&args->policies, value, diag);
	case KEY_DEVICE:
		return set_device(args, value, diag);
	case KEY_TABLE:
		return set_path(&args->table, "--table", value, diag);
	case KEY_BUDGET:
		return opt_u32("--budget", value, 1, INT32_MAX,
			       &args->config.budget, diag);
	case KEY_MAX_RUNNING:
		return opt_u32("--max-running", value, 1, 1000000,
			       &args->config.max_running, diag);
	case KEY_KV_BLOCKS:
		return opt_u32("--kv-blocks", value, 1, INT32_MAX,
			       &args->config.kv_blocks, diag);
	default:
		return opt_real("--kv-fraction", value, 0.0, 100.0,
				&args->kv_fraction, diag);
	}
}

static int set_report(struct sim_args *args, int key, const char *value,
		      struct diag *diag)
{
	switch (key) {
	case KEY_JSON:
		return set_path(&args->json, "--json", value, diag);
	case KEY_CSV:
		return set_path(&args->csv, "--csv", value, diag);
	case KEY_REQUESTS:
		return set_path(&args->requests, "--requests", value, diag);
	case KEY_HTML:
		return set_path(&args->html, "--html", value, diag);
	case KEY_TARGETS:
		return targets_parse(&args->targets, value, diag);
	case KEY_PERCENTILES:
		return percentiles_parse(&args->percentiles, value, diag);
	case KEY_QUIET:
		args->quiet = true;
		return 0;
	case KEY_TIMING:
		args->timing = true;
		return 0;
	default:
		return opt_u32("--jobs", value, 1, 1024, &args->jobs, diag);
	}
}

int sim_args_set(void *ctx, int key, char *value, struct diag *diag)
{
	switch (key) {
	case KEY_TRACE:
	case KEY_WORKLOAD:
	case KEY_FORMAT:
	case KEY_SEED:
		return set_source(ctx, key, value, diag);
	case KEY_COLUMNS:
	case KEY_TIME_UNIT:
	case KEY_STRICT:
	case KEY_RATE:
	case KEY_LIMIT:
	case KEY_CLOSED_LOOP:
		return set_reading(ctx, key, value, diag);
	case KEY_LOAD:
	case KEY_TIME_SCALE:
	case KEY_TICK:
	case KEY_UNTIL:
	case KEY_MAX_PROMPT:
	case KEY_BLOCK_SIZE:
		return set_input(ctx, key, value, diag);
	case KEY_POLICY:
	case KEY_DEVICE:
	case KEY_TABLE:
	case KEY_BUDGET:
	case KEY_MAX_RUNNING:
	case KEY_KV_BLOCKS:
	case KEY_KV_FRACTION:
		return set_node(ctx, key, value, diag);
	default:
		return set_report(ctx, key, value, diag);
	}
}

/* What only a trace has. */
static int check_generated(struct sim_args *args, struct diag *diag)
{
	const char *option = NULL;
	int err = workload_load(args->workload, &args->own_load, diag);

	if (err)
		return err;
	if (args->load > 0.0 && args->own_load > 0.0)
		return diag_set(diag, -EINVAL,
				"--load and the key \"load\" of --workload "
				"exclude each other");

	if (args->options.block_size)
		option = "--block-size";
	else if (args->format)
		option = "--format";
	else if (args->read.rate.rate > 0.0)
		option = "--rate";
	else if (args->read.columns)
		option = "--columns";
	else if (args->read.unit)
		option = "--time-unit";
	else if (args->read.strict)
		option = "--strict";
	else if (args->config.closed_loop)
		option = "--closed-loop";
	if (!option)
		return 0;
	return diag_set(diag, -EINVAL, "%s goes with --trace only", option);
}

static int check_input(struct sim_args *args, struct diag *diag)
{
	if (args->trace && args->workload)
		return diag_set(diag, -EINVAL,
				"--trace and --workload exclude each other");
	if (!args->trace && !args->workload)
		return diag_set(diag, -EINVAL,
				"--trace or --workload is missing");
	if (args->workload)
		return check_generated(args, diag);
	return 0;
}

/* One standard input is read once. */
static int check_node(const struct sim_args *args, struct diag *diag)
{
	if (args->trace && args->table && !strcmp(args->trace, "-") &&
	    !strcmp(args->table, "-"))
		return diag_set(diag, -EINVAL,
				"%s and --table: both would read standard "
				"input",
				args->input);
	if (args->load > 0.0 && args->config.closed_loop)
		return diag_set(diag, -EINVAL,
				"--load and --closed-loop exclude each other: "
				"what arrives depends on what ended");
	if (args->load > 0.0 && args->options.time_scale > 0.0)
		return diag_set(diag, -EINVAL,
				"--load and --time-scale exclude each other");
	if (args->config.kv_blocks && args->kv_fraction >= 0.0)
		return diag_set(diag, -EINVAL,
				"--kv-blocks and --kv-fraction exclude each "
				"other");
	return 0;
}

/* What "-" is as an input, as a path for stat(). */
static const char *input_path(const char *path)
{
	return strcmp(path, "-") ? path : "/dev/stdin";
}

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

/* The folder that @path stands in. Return: 0, or -1 when there is none. */
static int stat_folder(const char *path, size_t len, struct stat *st)
{
	char folder[PATH_MAX];

	if (!len)
		return stat(".", st);
	if (len >= sizeof(folder))
		return -1;
	memcpy(folder, path, len);
	folder[len] = '\0';
	return stat(folder, st);
}

/* Two files that are yet to be made: one name in one folder? */
static bool same_new_file(const char *a, const char *b)
{
	const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
	struct stat x, y;

	name_a = name_a ? name_a + 1 : a;
	name_b = name_b ? name_b + 1 : b;
	return !strcmp(name_a, name_b) &&
	       !stat_folder(a, (size_t)(name_a - a), &x) &&
	       !stat_folder(b, (size_t)(name_b - b), &y) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The same regular file, however it is spelled? */
static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	int no_a = stat(a, &x), no_b = stat(b, &y);

	if (!strcmp(a, b) && strncmp(a, "/dev/", 5))
		return true;
	if (no_a && no_b)
		return same_new_file(a, b);
	return !no_a && !no_b && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static bool same_report(const char *a, const char *b)
{
	if (is_stdout(a) || is_stdout(b))
		return is_stdout(a) && is_stdout(b);
	return same_file(a, b);
}

/*
 * Two reports in one file would be none, and one in the place of what was read
 * would lose it; devices swallow any number.
 */
static int check_reports(const struct sim_args *args, struct diag *diag)
{
	const char *names[] = {args->input, "--table",	  "--json",
			       "--csv",	    "--requests", "--html"};
	const char *paths[] = {args->trace, args->table,    args->json,
			       args->csv,   args->requests, args->html};

	for (int i = 2; i < 6; i++)
		for (int j = 0; j < i; j++) {
			if (!paths[i] || !paths[j])
				continue;
			if (j < 2 ? !same_file(paths[i], input_path(paths[j]))
				  : !same_report(paths[i], paths[j]))
				continue;
			return diag_set(diag, -EINVAL,
					j < 2 ? "%s and %s: \"%s\" would be "
						"written over"
					      : "%s and %s: both would write "
						"\"%s\"",
					names[j], names[i], paths[i]);
		}
	return 0;
}

static int fill_defaults(struct sim_args *args, struct diag *diag)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (args->options.time_scale <= 0.0)
		args->options.time_scale = 1.0;
	args->config.time_scale = args->options.time_scale;
	if (!args->jobs)
		args->jobs = cpus > 0 ? (uint32_t)cpus : 1;
	if (!args->policies.num) {
		int err = policy_parse(&args->policies, DEFAULT_POLICIES, diag);

		if (err)
			return err;
	}
	targets_percentiles(&args->targets, &args->percentiles);
	return targets_bind(&args->targets, &args->policies, diag);
}

void sim_args_init(struct sim_args *args)
{
	memset(args, 0, sizeof(*args));
	args->input = "--trace";
	args->seed = 1;
	args->limits = limits_default;
	args->config.device = fw_device_name(0);
	args->config.budget = 2048;
	args->config.max_running = 256;
	args->kv_fraction = -1.0;
}

int sim_args_finish(struct sim_args *args, struct diag *diag)
{
	int err = check_input(args, diag);

	if (!err)
		err = check_node(args, diag);
	if (!err)
		err = check_reports(args, diag);
	if (!err)
		err = fill_defaults(args, diag);
	return err;
}

int sim_args_parse(struct sim_args *args, int argc, char **argv,
		   struct diag *diag)
{
	int err;

	sim_args_init(args);
	args->argc = argc;
	args->argv = argv;
	err = opt_parse(argc, argv, sim_options, sim_args_set, args, diag);
	return err ? err : sim_args_finish(args, diag);
}

void sim_args_destroy(struct sim_args *args)
{
	targets_destroy(&args->targets);
	policy_list_destroy(&args->policies);
}

void sim_args_help(void)
{
	puts("Usage: fairway sim (--trace FILE | --workload SPEC) [OPTION]...\n"
	     "Serve requests on a simulated prefill node, in virtual time, "
	     "once for each\n"
	     "policy, and compare their times to first token (TTFT).");
	opt_print(sim_options, stdout);
	policy_help(stdout);
	puts("\nTraces, see fairway-trace(5); .gz and .zst too:");
	for (size_t i = 0; trace_readers[i]; i++)
		printf("  %-10s %s\n", trace_readers[i]->name,
		       trace_readers[i]->help);
	workload_help(stdout);
	puts("\n"
	     "Examples:\n"
	     "  fairway sim --workload sec-dynamic --policy fcfs,lpm,fairway\n"
	     "  fairway sim --workload flood --policy all --json flood.json\n"
	     "  fairway sim --trace conversation.jsonl --time-scale 3.2 "
	     "--tick 3000 \\\n"
	     "      --policy fairway --policy fairway:weight=2:protect "
	     "--csv -");
}
