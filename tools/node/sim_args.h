/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_SIM_ARGS_H
#define TOOLS_NODE_SIM_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/options.h"
#include "tools/policy/policy.h"
#include "tools/trace/input.h"
#include "tools/trace/trace.h"
#include "percentiles.h"
#include "sim.h"
#include "targets.h"

/* Keys of its options, for other commands that take some of them. */
enum sim_key {
	KEY_TRACE = 256,
	KEY_WORKLOAD,
	KEY_SEED,
	KEY_SWEEP,
	KEY_POLICY,
	KEY_DEVICE,
	KEY_BUDGET,
	KEY_MAX_RUNNING,
	KEY_KV_BLOCKS,
	KEY_KV_FRACTION,
	KEY_TIME_SCALE,
	KEY_LOAD,
	KEY_TICK,
	KEY_RATE,
	KEY_COLUMNS,
	KEY_TIME_UNIT,
	KEY_STRICT,
	KEY_LIMIT,
	KEY_CLOSED_LOOP,
	KEY_UNTIL,
	KEY_MAX_PROMPT,
	KEY_FORMAT,
	KEY_BLOCK_SIZE,
	KEY_TABLE,
	KEY_JSON,
	KEY_CSV,
	KEY_REQUESTS,
	KEY_HTML,
	KEY_TARGETS,
	KEY_PERCENTILES,
	KEY_QUIET,
	KEY_TIMING,
	KEY_JOBS,
};

/* The options of `sim`. */
extern const struct opt_def sim_options[];

/* Entries of an option table that several commands have, see options.h. */
#define SIM_OPT_DEVICE                                              \
	{                                                           \
		KEY_DEVICE, "device", "NAME",                       \
			"a6000, a100, h100 or h200 (default a6000)" \
	}
#define SIM_OPT_BUDGET                                                       \
	{                                                                    \
		KEY_BUDGET, "budget", "N", "tokens of a step (default 2048)" \
	}
#define SIM_OPT_MAX_RUNNING                                      \
	{                                                        \
		KEY_MAX_RUNNING, "max-running", "N",             \
			"prompts computed at once (default 256)" \
	}
#define SIM_OPT_KV_BLOCKS                                                \
	{                                                                \
		KEY_KV_BLOCKS, "kv-blocks", "N", "blocks of the KV pool" \
	}
#define SIM_OPT_KV_FRACTION                               \
	{                                                 \
		KEY_KV_FRACTION, "kv-fraction", "F",      \
			"or a share of the shared blocks" \
	}
#define SIM_OPT_TIME_SCALE                                            \
	{                                                             \
		KEY_TIME_SCALE, "time-scale", "X",                    \
			"multiply all arrivals; 0.5 doubles the load" \
	}
#define SIM_OPT_UNTIL                                           \
	{                                                       \
		KEY_UNTIL, "until", "S",                        \
			"drop arrivals after S seconds, scaled" \
	}
#define SIM_OPT_MAX_PROMPT                                   \
	{                                                    \
		KEY_MAX_PROMPT, "max-prompt", "N",           \
			"drop prompts of more than N tokens" \
	}
#define SIM_OPT_SEED                                                     \
	{                                                                \
		KEY_SEED, "seed", "N",                                   \
			"seed of the workload and of --rate (default 1)" \
	}
/* How a trace is read. */
#define SIM_OPT_COLUMNS                                                      \
	{                                                                    \
		KEY_COLUMNS, "columns", "LIST",                              \
			"columns of other CSV: arrival=NAME,input=NAME,\n"   \
			"and output=NAME, session=NAME, tenant=NAME where\n" \
			"there are such"                                     \
	}
#define SIM_OPT_TIME_UNIT                                                   \
	{                                                                   \
		KEY_TIME_UNIT, "time-unit", "U",                            \
			"of the trace's times: s, ms, us or ns (default:\n" \
			"that of its form)"                                 \
	}
#define SIM_OPT_STRICT                                                    \
	{                                                                 \
		KEY_STRICT, "strict", NULL,                               \
			"refuse requests that stand behind later ones;\n" \
			"else they are sorted, and it is said"            \
	}
#define SIM_OPT_RATE                                                      \
	{                                                                 \
		KEY_RATE, "rate", "R[:gamma=S]",                          \
			"requests a second for a trace without\n"         \
			"arrival times; gamma draws the times between\n"  \
			"from that distribution of shape S; 1 is Poisson" \
	}
#define SIM_OPT_LIMIT                                                     \
	{                                                                 \
		KEY_LIMIT, "limit", "NAME=N",                             \
			"raise a bound: unpacked (bytes), blank-lines,\n" \
			"prompt (tokens) or blocks"                       \
	}
#define SIM_OPT_CSV                                                          \
	{                                                                    \
		KEY_CSV, "csv", "FILE", "one line for each policy and phase" \
	}
#define SIM_OPT_REQUESTS                                            \
	{                                                           \
		KEY_REQUESTS, "requests", "FILE",                   \
			"CSV, one line for each request and policy" \
	}

#define SIM_OPT_PERCENTILES                                                   \
	{                                                                     \
		KEY_PERCENTILES, "percentiles", "LIST",                       \
			"percentiles to show besides those that are always\n" \
			"there, such as p95,p99.9"                            \
	}

/**
 * struct sim_args - the command line of `sim`
 * @input: what messages call @trace
 * @trace: file, or NULL
 * @workload: spec, or NULL; exactly one of the two is given
 * @format: name of the trace's form, or NULL where it tells
 * @read: how to read the trace; form, block size and seed are filled in later
 * @limits: how much the trace may ask for
 * @seed: of the workload, and of these arrivals
 * @load: what to scale the arrivals to; 0 where not given
 * @own_load: the same by the workload's own key
 * @table: file of own prefill times, or NULL
 * @device_given: config's device was named, it is not the default
 * @policies: at least one
 * @config: the node; its kv_blocks are 0 unless they were given
 * @kv_fraction: share of the shared blocks that the pool holds; below 0 where
 *	not given
 * @options: how to read and cut the trace
 * @json: path or NULL
 * @csv: path or NULL
 * @requests: path or NULL
 * @html: path or NULL
 * @targets: what the policies are judged by
 * @percentiles: what else the reports show, and the targets need
 * @jobs: runs at once
 * @quiet: no table, no progress
 * @timing: real time and memory to standard error
 * @argc: words of the command line that was parsed, the command's name first
 * @argv: the words
 */
struct sim_args {
	const char *input;
	const char *trace;
	const char *workload;
	const char *format;
	struct read_options read;
	struct limits limits;
	uint64_t seed;
	double load;
	double own_load;
	const char *table;
	bool device_given;
	struct policy_list policies;
	struct sim_config config;
	double kv_fraction;
	struct trace_options options;
	const char *json;
	const char *csv;
	const char *requests;
	const char *html;
	struct targets targets;
	struct percentiles percentiles;
	uint32_t jobs;
	bool quiet;
	bool timing;
	int argc;
	char **argv;
};

/**
 * sim_args_init() - a command line without options
 *
 * sim_args_set() is what opt_parse() calls for each of them, and
 * sim_args_finish() checks them against each other and fills in the defaults:
 * for commands with a table of their own. To be destroyed.
 */
void sim_args_init(struct sim_args *args);
int sim_args_set(void *args, int key, char *value, struct diag *diag);
int sim_args_finish(struct sim_args *args, struct diag *diag);

/**
 * sim_args_parse() - read the command line
 * @args: to be destroyed whatever comes back
 *
 * Return: 0, 1 when help was asked for, -errno with @diag set.
 */
int sim_args_parse(struct sim_args *args, int argc, char **argv,
		   struct diag *diag);
void sim_args_destroy(struct sim_args *args);

/* What --help says, to standard output. */
void sim_args_help(void);

#endif
