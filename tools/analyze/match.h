/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ANALYZE_MATCH_H
#define TOOLS_ANALYZE_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/log/log.h"
#include "tools/node/sim.h"

/*
 * Is the simulated node the one that was logged? A gain that is simulated on
 * another node says nothing about the logged one. So the times that the log has
 * are compared with those of the simulation: the median and the p99.
 */

/* Times of one node may differ by this factor, either way. */
#define MATCH_MAX_APART 2.0

enum {
	MATCH_MAX_DEVICES = 8
};

/**
 * struct node_times - what requests waited for on one node, in seconds
 * @device: its name
 * @p50: median time to start, or to first token, whichever the log has
 * @p99: the same of the 99th percentile
 * @apart: the larger of two ratios, of the medians and of the p99s, to the
 *	logged ones; at least 1
 */
struct node_times {
	const char *device;
	double p50;
	double p99;
	double apart;
};

/**
 * struct match - a log beside the simulated node
 * @times: what the log has; nothing else is set where it has no times
 * @under: index of the first run that is close enough, 0 where none is
 * @logged: the log's times
 * @simulated: those of the run @under
 * @devices: those of the built-in devices, first come, first served; only
 *	where @simulated is too far apart
 * @num_devices: how many
 */
struct match {
	enum log_times times;
	unsigned int under;
	struct node_times logged;
	struct node_times simulated;
	struct node_times devices[MATCH_MAX_DEVICES];
	unsigned int num_devices;
};

/**
 * match_init() - compare a log with runs of its requests
 * @match: written only on success
 * @log: the log
 * @config: the node of the runs
 * @results: the runs, the first one first come, first served
 * @num: how many may be what the engine did
 *
 * Return: 0, -ENOMEM.
 */
int match_init(struct match *match, const struct log *log,
	       const struct sim_config *config,
	       const struct sim_result *results, unsigned int num);

/**
 * match_devices() - how far each built-in device is from the log
 * @match: of match_init(); nothing is done where it fits
 * @trace: the log's requests
 * @hits: their cached tokens
 * @quiet: show no progress
 *
 * Return: 0 or -errno with @diag set.
 */
int match_devices(struct match *match, const struct log *log,
		  const struct sim_config *config, const struct trace *trace,
		  const uint32_t *hits, bool quiet, struct diag *diag);

/* Whether a node's times are close enough to the log's. */
static inline bool node_fits(const struct node_times *times)
{
	return times->apart <= MATCH_MAX_APART;
}

/* The device whose times are closest, if it fits; else NULL. */
const struct node_times *match_best(const struct match *match);

#endif
