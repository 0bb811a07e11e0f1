/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_FEED_H
#define TOOLS_NODE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/trace/trace.h"
#include "result.h"

/*
 * Which request arrives next. In an open loop that is the trace's order. In a
 * closed loop a request that comes after another one has no time until that
 * one ended.
 *
 * One thread's own.
 */

/**
 * struct feed - requests that have not arrived
 * @trace: all of them
 * @reqs: their arrivals; those of later turns are written here
 * @scale: multiplies times of the trace
 * @next: first one of the trace that may still arrive by its own time
 * @child: in a closed loop, index + 1 of a request that comes after this one;
 *	NULL in an open one
 * @sibling: index + 1 of the next one that comes after the same
 * @due: those whose time is known since another one ended, a heap by it
 * @num_due: how many
 */
struct feed {
	const struct trace *trace;
	struct sim_request *reqs;
	double scale;
	size_t next;
	uint32_t *child;
	uint32_t *sibling;
	uint32_t *due;
	size_t num_due;
};

/**
 * feed_init() - nothing has arrived
 * @reqs: as many as the trace has; their arrivals are set here
 *
 * Return: 0, -ENOMEM.
 */
int feed_init(struct feed *feed, const struct trace *trace,
	      const struct sim_config *config, struct sim_request *reqs);
void feed_destroy(struct feed *feed);

/* Which request arrives next, by time and then by index. Return: Whether one
 * does.
 */
bool feed_peek(const struct feed *feed, size_t *id);

/* Take the one that feed_peek() gave. */
void feed_take(struct feed *feed, size_t id);

/* Request @id ended, at that time: what comes after it is due. */
void feed_ended(struct feed *feed, size_t id, double at);

#endif
