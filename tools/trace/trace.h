/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_TRACE_H
#define TOOLS_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/request.h>

#include "tools/base/diag.h"
#include "id_runs.h"

enum {
	TRACE_MAX_PHASES = 1024, /* each has its figures in every report */
	TRACE_MAX_PHASE_NAME = 255,
};

/**
 * struct trace_req - one request of a trace
 * @arrival_ms: arrival in milliseconds since the trace's begin, not scaled
 * @first_run: where its block ids start in the trace's runs
 * @num_runs: runs of them
 * @num_ids: ids of its full blocks, floor(len / block size) of them
 * @len: tokens of the prompt, at least 1
 * @output_len: tokens of the answer, as recorded; not simulated
 * @phase: index into the trace's phases
 * @tenant: whose it is; 0 where the trace does not say
 * @after: in a closed loop, index + 1 of the request that must end before this
 *	one arrives; 0 is none
 * @delay_ms: how long after that end
 */
struct trace_req {
	double arrival_ms;
	size_t first_run;
	uint32_t num_runs;
	uint32_t num_ids;
	uint32_t len;
	uint32_t output_len;
	uint32_t phase;
	uint32_t after;
	uint64_t tenant;
	double delay_ms;
};

/**
 * struct trace_source - what reading a file found, for reports
 * @form: name of the file's form; NULL for what was generated
 * @unit: of its times as it was read, such as "ms"; NULL where the file says
 *	it by itself
 * @unit_asked: --time-unit said so
 * @drawn: the file has no times, --rate drew them
 * @no_ids: no request has ids of blocks; the reader made them, all different
 * @late: requests that stood behind later ones, and were sorted
 * @origin_s: time of the first arrival on the file's own clock where the
 *	trace's time begins there, else 0
 */
struct trace_source {
	const char *form;
	const char *unit;
	bool unit_asked;
	bool drawn;
	bool no_ids;
	size_t late;
	double origin_s;
};

/**
 * trace_source_text() - "read as mooncake, times in ms, 2 requests a second"
 * @buf: "" for what was generated
 * @rate: requests a second; not told where it is not over 0
 */
void trace_source_text(char *buf, size_t size,
		       const struct trace_source *source, double rate);

/**
 * struct trace - requests by rising arrival
 * @reqs: the requests; the index is the request's id
 * @num_reqs: how many
 * @cap_reqs: room for
 * @runs: block ids of all of them; equal ids mean equal prefixes
 * @num_runs: how many runs
 * @cap_runs: room for
 * @phases: names, at least one ("all" when the trace names none)
 * @num_phases: how many
 * @block_size: tokens of one block
 * @kv_blocks: pool that the trace is meant for; 0 where it does not say
 * @has_sessions: a request has another one that it comes after
 * @source: what reading it found
 */
struct trace {
	struct trace_req *reqs;
	size_t num_reqs;
	size_t cap_reqs;
	struct id_run *runs;
	size_t num_runs;
	size_t cap_runs;
	char **phases;
	uint32_t num_phases;
	uint32_t block_size;
	uint32_t kv_blocks;
	bool has_sessions;
	struct trace_source source;
};

void trace_init(struct trace *trace, uint32_t block_size);
void trace_destroy(struct trace *trace);

/**
 * trace_add() - append a request
 * @trace: the trace
 * @req: its runs are set here; the first num_ids are taken from @ids
 * @ids: the full blocks' ids, at least so many
 *
 * Return: 0, -ENOMEM.
 */
int trace_add(struct trace *trace, const struct trace_req *req,
	      const struct id_runs *ids);

/**
 * trace_drop_partial() - drop ids of blocks that are not full
 * @trace: its block size is final; a request has an id for each full block,
 *	and at most one for the tokens that are left
 */
void trace_drop_partial(struct trace *trace);

/**
 * trace_reorder() - put the requests into another order
 * @order: index of the request that comes first, and so on, each once; before
 *	sessions are linked
 *
 * Return: 0, -ENOMEM.
 */
int trace_reorder(struct trace *trace, const size_t *order);

/* A request's ids, in order; @ids has room for num_ids of them. */
void trace_ids(const struct trace *trace, const struct trace_req *req,
	       uint64_t *ids);

/* The same as the library's keys. */
void trace_keys(const struct trace *trace, const struct trace_req *req,
		struct fw_key *keys);

/**
 * trace_phase() - index of a phase, added when it is new
 *
 * Return: The index, or -ENOMEM.
 */
int trace_phase(struct trace *trace, const char *name);

/**
 * struct trace_options - how to read and cut a trace
 * @block_size: tokens of a block when the file does not say; 0 takes the
 *	form's default (512 for Mooncake)
 * @time_scale: multiplies every arrival; 1 is the trace's own pace
 * @tick_ms: spreads k requests of one timestamp over this long; 0 off
 * @until_s: drops arrivals after this many (scaled) seconds; 0 off
 * @max_prompt: drops longer prompts; 0 off
 */
struct trace_options {
	uint32_t block_size;
	double time_scale;
	double tick_ms;
	double until_s;
	uint32_t max_prompt;
};

/**
 * trace_write_mooncake() - write the same form
 * @path: written beside and renamed, "-" is standard output
 *
 * Reads back equal; phases are then in the order in which they appear.
 *
 * Return: 0 or -errno with @diag set.
 */
int trace_write_mooncake(const struct trace *trace, const char *path,
			 struct diag *diag);

/**
 * trace_prepare() - apply tick, scale and cuts
 * @trace: arrivals become those that the run uses, still in ms: tick first,
 *	then the cuts; scaling itself is left to trace_arrival_s()
 * @opt: what to apply
 *
 * Return: 0, -EINVAL with @diag set when the tick is too long or nothing is
 * left; the trace is then of no use but to be destroyed.
 */
int trace_prepare(struct trace *trace, const struct trace_options *opt,
		  struct diag *diag);

/* Arrival in seconds: ms / 1000 * scale, in exactly this order. */
static inline double trace_arrival_s(const struct trace_req *req, double scale)
{
	return req->arrival_ms / 1000.0 * scale;
}

/**
 * trace_shared_ids() - ids that occur in two requests or more
 *
 * Return: How many, or -ENOMEM.
 */
int64_t trace_shared_ids(const struct trace *trace);

/**
 * trace_pool() - a pool that holds a share of what can be hit
 * @share: of the ids that occur in two requests or more
 * @blocks: at least four times the longest prompt; written only on success
 *
 * Return: 0, -ENOMEM.
 */
int trace_pool(const struct trace *trace, double share, uint32_t *blocks);

/* Blocks of the longest prompt, partial ones counted. */
uint32_t trace_longest(const struct trace *trace);

#endif
