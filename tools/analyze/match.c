/* SPDX-License-Identifier: Apache-2.0 */
#include "match.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <fairway/order.h>

#include "lib/cost/device.h"
#include "tools/node/summary.h"
#include "fixed_hits.h"

/* Seconds below which two times are the same: a full step of the node. */
static double one_step(const struct sim_config *config)
{
	const struct fw_device *device =
		config->own_device ? config->own_device
				   : fw_device_find(config->device);

	return fw_device_step(device, config->budget, 0.0);
}

static double ratio(double a, double b, double least)
{
	a = fmax(a, least);
	b = fmax(b, least);
	return a > b ? a / b : b / a;
}

static struct node_times times_of(double *values, size_t num,
				  const char *device)
{
	struct quantiles q;

	quantiles_init(&q, values, num);
	return (struct node_times){device, q.p50, q.p99, 1.0};
}

static int logged_times(struct match *match, const struct log *log)
{
	double *values = calloc(log->num, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < log->num; i++)
		values[i] = log->reqs[i].later_s - log->reqs[i].arrival_s;
	match->logged = times_of(values, log->num, NULL);
	free(values);
	return 0;
}

/* The times of a run that the log has too, and how far they are from it. */
static int simulated_times(struct node_times *times, const struct match *match,
			   const struct sim_config *config,
			   const struct sim_result *result)
{
	double *values = calloc(result->num_reqs, sizeof(*values));
	double step = one_step(config);

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < result->num_reqs; i++) {
		const struct sim_request *req = &result->reqs[i];

		values[i] = match->times == LOG_STARTS
				    ? req->start_s - req->arrival_s
				    : req->ttft_s;
	}
	*times = times_of(values, result->num_reqs, config->device);
	times->apart = fmax(ratio(times->p50, match->logged.p50, step),
			    ratio(times->p99, match->logged.p99, step));
	free(values);
	return 0;
}

int match_init(struct match *match, const struct log *log,
	       const struct sim_config *config,
	       const struct sim_result *results, unsigned int num)
{
	struct match made = {.times = log->times};
	int err;

	if (log->times == LOG_NO_TIMES) {
		*match = made;
		return 0;
	}
	err = logged_times(&made, log);
	for (unsigned int i = 0; !err && i < num; i++) {
		struct node_times times;

		err = simulated_times(&times, &made, config, &results[i]);
		if (err || (i && !node_fits(&times)))
			continue;
		made.simulated = times;
		made.under = i;
		if (node_fits(&times))
			break;
	}
	if (!err)
		*match = made;
	return err;
}

static int try_device(struct match *match, const struct sim_config *config,
		      const struct trace *trace, const uint32_t *hits,
		      bool quiet, struct diag *diag)
{
	struct policy_list list = {0};
	struct sim_result result;
	int err = policy_parse(&list, "fcfs", diag);

	if (!err)
		err = fixed_hits_runs(trace, hits, config, &list, quiet,
				      &result, diag);
	policy_list_destroy(&list);
	if (err)
		return err;
	if (simulated_times(&match->devices[match->num_devices], match, config,
			    &result))
		err = diag_set(diag, -ENOMEM, "not enough memory");
	else
		match->num_devices++;
	sim_result_destroy(&result);
	return err;
}

int match_devices(struct match *match, const struct log *log,
		  const struct sim_config *config, const struct trace *trace,
		  const uint32_t *hits, bool quiet, struct diag *diag)
{
	struct sim_config own = *config;
	int err = 0;

	if (log->times == LOG_NO_TIMES || node_fits(&match->simulated))
		return 0;
	own.own_device = NULL;
	own.table = NULL;
	own.num_points = 0;
	for (size_t i = 0; !err && i < MATCH_MAX_DEVICES; i++) {
		own.device = fw_device_name(i);
		if (!own.device)
			break;
		err = try_device(match, &own, trace, hits, quiet, diag);
	}
	return err;
}

const struct node_times *match_best(const struct match *match)
{
	const struct node_times *best = NULL;

	for (unsigned int i = 0; i < match->num_devices; i++) {
		const struct node_times *times = &match->devices[i];

		if (node_fits(times) && (!best || times->apart < best->apart))
			best = times;
	}
	return best;
}
