/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_input.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#include "tools/base/grid.h"
#include "tools/base/progress.h"
#include "tools/base/reading.h"
#include "tools/trace/reader.h"
#include "tools/workload/workload.h"
#include "load.h"

/* What was done to the requests that the file does not ask for. */
static void say_sorted(const struct trace *trace, const char *path)
{
	if (trace->source.late)
		fprintf(stderr,
			"fairway: %s: sorted by arrival: %zu of %zu requests "
			"stood behind later ones (--strict refuses that)\n",
			path, trace->source.late, trace->num_reqs);
}

static int read_trace(struct trace *trace, const struct sim_args *args,
		      struct diag *diag)
{
	struct read_options opt = args->read;
	struct reading reading;
	int err;

	opt.format = args->format;
	opt.block_size = args->options.block_size;
	opt.rate.seed = args->seed;
	opt.limits = &args->limits;
	reading_start(&reading, args->trace, args->quiet);
	err = trace_read(trace, args->trace, &opt, &reading.bytes, diag);
	reading_stop(&reading);
	if (!err)
		say_sorted(trace, args->trace);
	return err;
}

static int load_table(struct sim_input *input, const struct sim_args *args,
		      struct diag *diag)
{
	struct cost_table *table = &input->table;
	int err;

	if (!args->table)
		return 0;
	err = table_read(table, args->table, diag);
	if (err)
		return err;
	input->config.table = table->points;
	input->config.num_points = table->num;
	/* A device that was asked for by name is the one that is meant. */
	if (table->has_device && !args->device_given) {
		input->config.own_device = &table->device;
		input->config.device = table->device.name;
	}
	return 0;
}

/* Where neither command nor trace says more: about the source paper's. */
#define DEFAULT_FRACTION 0.3

/*
 * As large as asked for, else as the workload is meant to have, else a share
 * of what can be hit at all.
 */
static int choose_pool(struct sim_input *input, const struct sim_args *args)
{
	struct sim_config *config = &input->config;
	double share =
		args->kv_fraction < 0.0 ? DEFAULT_FRACTION : args->kv_fraction;

	config->kv_blocks = args->config.kv_blocks;
	if (!config->kv_blocks && args->kv_fraction < 0.0)
		config->kv_blocks = input->trace.kv_blocks;
	if (config->kv_blocks)
		return 0;
	return trace_pool(&input->trace, share, &config->kv_blocks);
}

/**
 * struct measuring - the run that --load needs
 * @ended: requests so far
 * @num: of the trace
 */
struct measuring {
	_Atomic uint64_t ended;
	uint64_t num;
};

static void measuring_line(const void *ctx, double seconds, char *buf,
			   size_t size)
{
	const struct measuring *m = ctx;
	char ended[32], num[32];

	(void)seconds;
	/* Relaxed: a figure for the eye. */
	format_count(ended, sizeof(ended),
		     atomic_load_explicit(&m->ended, memory_order_relaxed));
	format_count(num, sizeof(num), m->num);
	snprintf(buf, size, "measuring the load: %s / %s requests", ended, num);
}

static int measure(struct sim_input *input, const struct sim_args *args,
		   const char *what, double load, double *scale,
		   struct diag *diag)
{
	struct measuring m = {.num = input->trace.num_reqs};
	struct progress progress;
	int err;

	progress_start(&progress, args->quiet, measuring_line, &m);
	err = load_scale(&input->trace, &input->config, what, load, &m.ended,
			 scale, diag);
	progress_stop(&progress);
	return err;
}

/* Once: what is cut after the scaling does not change the scale again. */
static int apply_load(struct sim_input *input, const struct sim_args *args,
		      struct diag *diag)
{
	struct trace_options options = {.until_s = args->options.until_s};
	int err;

	if (args->load <= 0.0)
		return 0;
	err = measure(input, args, "--load", args->load,
		      &input->config.time_scale, diag);
	if (err || options.until_s <= 0.0)
		return err;
	options.time_scale = input->config.time_scale;
	err = trace_prepare(&input->trace, &options, diag);
	return err ? err : choose_pool(input, args);
}

/* The key of a workload: it is the workload's own times that are scaled. */
static int apply_own_load(struct sim_input *input, const struct sim_args *args,
			  struct diag *diag)
{
	int err = choose_pool(input, args);

	if (!err)
		err = measure(input, args, "--workload: key \"load\"",
			      args->own_load, &input->own_scale, diag);
	if (!err)
		load_apply(&input->trace, input->own_scale);
	return err;
}

static int make_workload(struct sim_input *input, const struct sim_args *args,
			 struct diag *diag)
{
	int err = workload_generate(&input->trace, args->workload, args->seed,
				    diag);

	if (err || args->own_load <= 0.0)
		return err;
	err = apply_own_load(input, args, diag);
	if (err)
		trace_destroy(&input->trace);
	return err;
}

static int check_loop(const struct trace *trace, const struct sim_args *args,
		      struct diag *diag)
{
	if (!args->config.closed_loop || trace->has_sessions)
		return 0;
	return diag_set(diag, -EINVAL,
			"--closed-loop: expected sessions of several turns (%s "
			"has none: no session_id, or no request that follows "
			"another)",
			args->trace);
}

/* With --load the scale is not known yet, so what it cuts comes later. */
static int load_trace(struct sim_input *input, const struct sim_args *args,
		      struct diag *diag)
{
	struct trace_options options = args->options;
	int err;

	if (args->load > 0.0)
		options.until_s = 0.0;
	if (args->trace)
		err = read_trace(&input->trace, args, diag);
	else
		err = make_workload(input, args, diag);
	if (err)
		return err;
	err = check_loop(&input->trace, args, diag);
	if (!err)
		err = trace_prepare(&input->trace, &options, diag);
	if (err)
		trace_destroy(&input->trace);
	return err;
}

static int settle(struct sim_input *input, const struct sim_args *args,
		  struct diag *diag)
{
	int err = choose_pool(input, args);

	return err ? err : apply_load(input, args, diag);
}

int sim_input_node(struct sim_input *input, const struct sim_args *args,
		   struct diag *diag)
{
	*input = (struct sim_input){.config = args->config, .own_scale = 1.0};
	trace_init(&input->trace, 1);
	return load_table(input, args, diag);
}

int sim_input_workload(struct sim_input *input, const struct sim_args *args,
		       struct diag *diag)
{
	int err = sim_input_node(input, args, diag);

	if (err)
		return err;
	err = make_workload(input, args, diag);
	if (err)
		table_destroy(&input->table);
	return err;
}

int sim_input_load(struct sim_input *input, const struct sim_args *args,
		   struct diag *diag)
{
	int err;

	err = sim_input_node(input, args, diag);
	if (err)
		return err;
	err = load_trace(input, args, diag);
	if (err)
		goto err_table;
	err = settle(input, args, diag);
	if (err)
		goto err_trace;
	return 0;

err_trace:
	trace_destroy(&input->trace);
err_table:
	table_destroy(&input->table);
	return err;
}

void sim_input_destroy(struct sim_input *input)
{
	trace_destroy(&input->trace);
	table_destroy(&input->table);
}
