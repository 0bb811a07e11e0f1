/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_LOG_LOG_JSON_H
#define TOOLS_LOG_LOG_JSON_H

#include "log_reader.h"

/*
 * Logs of engines: a JSON object for each request that ended. What they call
 * their figures differs, and where they put them; a form is a table of that.
 */

/* What stands at a path. Times are in seconds unless they say otherwise. */
enum log_figure {
	LOG_ARRIVAL, /* on the engine's clock */
	LOG_PROMPT, /* tokens */
	LOG_CACHED, /* tokens */
	LOG_START, /* first step, on the clock of the arrival */
	LOG_QUEUED, /* on another clock */
	LOG_SCHEDULED, /* on the clock of LOG_QUEUED */
	LOG_WAIT, /* from the arrival to the first step */
	LOG_WAIT_MS, /* the same in milliseconds */
	LOG_FIRST_TOKEN, /* on the clock of the arrival */
	NUM_LOG_FIGURES,
};

/**
 * struct log_json_form - where a form has its figures
 * @paths: of values, as json_pick() takes them, ended by NULL; where several
 *	are of one figure, the first that is there counts
 * @figures: what stands at each path
 * @cached_may_miss: a request without LOG_CACHED had nothing cached, as long
 *	as another one has it
 */
struct log_json_form {
	const char *const *paths;
	const enum log_figure *figures;
	bool cached_may_miss;
};

/**
 * log_json_parse() - read a log of such a form
 *
 * A request without an arrival or without its tokens, and one that never
 * started where others did, is left out and counted. A time of 0 is none.
 *
 * Return: 0 or -errno with @diag set.
 */
int log_json_parse(struct log *log, const struct log_json_form *form,
		   struct lines *lines, struct diag *diag);

/* Whether a line is an object that has one of these keys, ended by NULL. */
bool log_json_has(struct span line, const char *const *keys);

#endif
