/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_ARRIVALS_H
#define TOOLS_TRACE_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/lines.h"
#include "moment.h"
#include "trace.h"

/*
 * When requests arrive, as their file says it and in the file's order. A
 * reader adds one arrival for each request; what a trace needs is settled once
 * at the end: times that are missing, the order, the origin, and which turn of
 * a session follows which.
 */

/**
 * struct arrival - what a file says of one request's time
 * @at: on the file's own clock
 * @end: when the request ended, on the same clock
 * @has_time: @at was given
 * @has_end: @end was given
 * @session: what the turns of one session have in common; 0 is none
 * @self: the request's own id, where others name it as their @parent; 0 none
 * @parent: id of the request that must end first; 0 is none
 * @delay_ms: from the end of the turn before to the arrival; below 0 unknown
 */
struct arrival {
	struct moment at;
	struct moment end;
	bool has_time;
	bool has_end;
	uint64_t session;
	uint64_t self;
	uint64_t parent;
	double delay_ms;
};

/**
 * struct turn - of one request, where its file has sessions
 * @session: as in struct arrival
 * @self: as in struct arrival
 * @parent: as in struct arrival
 * @delay_ms: as in struct arrival
 * @end: as in struct arrival
 * @has_end: as in struct arrival
 */
struct turn {
	uint64_t session;
	uint64_t self;
	uint64_t parent;
	double delay_ms;
	struct moment end;
	bool has_end;
};

/**
 * struct arrival_list - of all requests so far; begins as zeros
 * @at: times; those that are missing are at 0
 * @turns: one for each time, or NULL while no request was a turn of a session
 * @num: how many
 * @cap: room in @at
 * @cap_turns: room in @turns
 * @missing: times that were not given
 * @late: requests before which a later one stands
 * @last: the latest time so far
 */
struct arrival_list {
	struct moment *at;
	struct turn *turns;
	size_t num;
	size_t cap;
	size_t cap_turns;
	size_t missing;
	size_t late;
	struct moment last;
};

/**
 * arrival_add() - note the next request's time
 * @field: what messages call it
 * @strict: refuse a time before that of the request in front
 * @lines: where the request stands
 *
 * Return: 0 or -errno with @diag set.
 */
int arrival_add(struct arrival_list *arrivals, const struct arrival *arrival,
		const char *field, bool strict, const struct lines *lines,
		struct diag *diag);

/**
 * struct arrival_rate - arrivals for requests without times
 * @rate: requests a second; 0 where none was asked for
 * @shape: of the gamma distribution of the times between; 1 is Poisson
 * @seed: of the draws
 */
struct arrival_rate {
	double rate;
	double shape;
	uint64_t seed;
};

/**
 * arrival_settle() - give the requests of a trace their times and order
 * @trace: as many requests as there are arrivals; sorted here
 * @rate: for requests without times
 * @field: what messages call the time
 * @path: of the file, for messages
 *
 * Time begins at the first arrival where that is over an hour after 0 and
 * later than the trace is long: the clock began elsewhere, such as in 1970.
 *
 * Return: 0 or -errno with @diag set.
 */
int arrival_settle(struct arrival_list *arrivals, struct trace *trace,
		   const struct arrival_rate *rate, const char *field,
		   const char *path, struct diag *diag);

void arrival_destroy(struct arrival_list *arrivals);

#endif
