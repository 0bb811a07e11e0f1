/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_INPUT_H
#define TOOLS_TRACE_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/limits.h"
#include "tools/base/lines.h"
#include "arrivals.h"
#include "id_runs.h"
#include "moment.h"

/**
 * struct read_options - how to read a trace; zeros read it as it is
 * @format: name of its form; NULL looks at the file
 * @columns: columns of a CSV, as --columns takes them, or NULL
 * @block_size: asked for; 0 takes what the file says, else the form's default
 * @unit: of its times; TIME_UNKNOWN takes that of the form
 * @strict: refuse requests that stand behind later ones
 * @rate: for requests without an arrival
 * @limits: how much it may ask for; NULL takes the defaults
 */
struct read_options {
	const char *format;
	const char *columns;
	uint32_t block_size;
	enum time_unit unit;
	bool strict;
	struct arrival_rate rate;
	const struct limits *limits;
};

/**
 * struct trace_input - what a reader gets, and what it says beside a trace
 * @path: as the user gave it, "-" is standard input
 * @lines: the file, unpacked, from its first line on; the caller closes it
 * @opt: how to read it
 * @arrivals: one for each request, added by the reader
 * @field: what the form calls the time, set by the reader
 * @file: where the times stand, a copy that a reader of several files makes:
 *	it closes them before the times are settled. Empty with one file
 * @unit: the unit that the reader took, set by it where the form has one
 * @made: blocks whose ids the reader made
 * @without_ids: requests whose ids the reader made
 * @next_id: the next id that it makes
 */
struct trace_input {
	const char *path;
	struct lines *lines;
	struct read_options opt;
	struct arrival_list arrivals;
	const char *field;
	char file[4096];
	enum time_unit unit;
	uint64_t made;
	uint64_t without_ids;
	uint64_t next_id;
};

/* The bounds that hold, of @in's options or the defaults. */
const struct limits *input_limits(const struct trace_input *in);

/**
 * input_unit() - the unit of the file's times
 * @of_form: what the form says
 *
 * Return: --time-unit where it was given, else @of_form; also in @in.
 */
enum time_unit input_unit(struct trace_input *in, enum time_unit of_form);

/**
 * input_settle() - give the requests of a trace their times and order
 * @in: its arrivals are those of @trace, in the order of the file
 * @trace: destroyed where this fails
 *
 * Return: 0 or -errno with @diag set.
 */
int input_settle(struct trace_input *in, struct trace *trace,
		 struct diag *diag);

/**
 * input_check_prompt() - whether a prompt may be so long
 * @lines: where the prompt stands
 * @field: what says so
 *
 * Return: 0 or -EINVAL with @diag set.
 */
int input_check_prompt(const struct trace_input *in, const struct lines *lines,
		       const char *field, uint64_t tokens, struct diag *diag);

/**
 * input_count_blocks() - count blocks of a prompt that no line lists
 * @num: more of them
 *
 * Return: 0 or -EINVAL with @diag set where the trace has too many.
 */
int input_count_blocks(struct trace_input *in, const struct lines *lines,
		       uint64_t num, struct diag *diag);

/**
 * input_fresh_ids() - ids that no other prompt has
 * @ids: holds them alone
 *
 * Return: 0 or -errno with @diag set.
 */
int input_fresh_ids(struct trace_input *in, const struct lines *lines,
		    struct id_runs *ids, uint32_t num, struct diag *diag);

#endif
