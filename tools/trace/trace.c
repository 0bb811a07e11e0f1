/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"
#include "tools/base/mem.h"

/* What a trace that names no phase has. */
static const char whole_trace[] = "all";

void trace_init(struct trace *trace, uint32_t block_size)
{
	*trace = (struct trace){.block_size = block_size};
}

void trace_destroy(struct trace *trace)
{
	for (uint32_t i = 0; i < trace->num_phases; i++)
		free(trace->phases[i]);
	free(trace->phases);
	free(trace->reqs);
	free(trace->runs);
	*trace = (struct trace){0};
}

static int reserve_reqs(struct trace *trace, size_t need)
{
	struct trace_req *reqs =
		mem_grow(trace->reqs, &trace->cap_reqs, need, sizeof(*reqs));

	if (!reqs)
		return -ENOMEM;
	trace->reqs = reqs;
	return 0;
}

static int reserve_runs(struct trace *trace, size_t need)
{
	struct id_run *runs =
		mem_grow(trace->runs, &trace->cap_runs, need, sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	trace->runs = runs;
	return 0;
}

/* The runs that hold the first ids of a request, the last one cut to them. */
static uint32_t copy_runs(struct id_run *to, const struct id_run *runs,
			  uint32_t num_ids)
{
	uint32_t num = 0;

	while (num_ids) {
		to[num] = runs[num];
		if (to[num].num > num_ids)
			to[num].num = num_ids;
		num_ids -= to[num++].num;
	}
	return num;
}

int trace_add(struct trace *trace, const struct trace_req *req,
	      const struct id_runs *ids)
{
	size_t most = req->num_ids ? ids->num_runs : 0;
	struct trace_req *to;

	assert(!req->num_ids || req->num_ids <= ids->num_ids);
	if (!trace->num_phases && trace_phase(trace, whole_trace) < 0)
		return -ENOMEM;
	/* One run too many, so that runs + first_run is never NULL + 0. */
	if (reserve_reqs(trace, trace->num_reqs + 1) ||
	    reserve_runs(trace, trace->num_runs + most + 1))
		return -ENOMEM;
	to = &trace->reqs[trace->num_reqs++];
	*to = *req;
	to->first_run = trace->num_runs;
	to->num_runs = 0;
	if (req->num_ids)
		to->num_runs = copy_runs(&trace->runs[trace->num_runs],
					 ids->runs, req->num_ids);
	trace->num_runs += to->num_runs;
	return 0;
}

void trace_drop_partial(struct trace *trace)
{
	size_t num_runs = 0;

	for (size_t i = 0; i < trace->num_reqs; i++) {
		struct trace_req *req = &trace->reqs[i];
		struct id_run *runs = &trace->runs[req->first_run];
		uint32_t full = req->len / trace->block_size;

		if (req->num_ids > full && req->num_runs &&
		    !--runs[req->num_runs - 1].num)
			req->num_runs--;
		if (req->num_ids > full)
			req->num_ids--;
		memmove(&trace->runs[num_runs], runs,
			req->num_runs * sizeof(*runs));
		req->first_run = num_runs;
		num_runs += req->num_runs;
	}
	trace->num_runs = num_runs;
}

int trace_reorder(struct trace *trace, const size_t *order)
{
	struct trace_req *reqs = malloc((trace->num_reqs + 1) * sizeof(*reqs));
	struct id_run *runs = malloc((trace->num_runs + 1) * sizeof(*runs));
	size_t num_runs = 0;

	if (!reqs || !runs) {
		free(reqs);
		free(runs);
		return -ENOMEM;
	}
	for (size_t i = 0; i < trace->num_reqs; i++) {
		reqs[i] = trace->reqs[order[i]];
		memcpy(&runs[num_runs], &trace->runs[reqs[i].first_run],
		       reqs[i].num_runs * sizeof(*runs));
		reqs[i].first_run = num_runs;
		num_runs += reqs[i].num_runs;
	}
	free(trace->reqs);
	free(trace->runs);
	trace->reqs = reqs;
	trace->cap_reqs = trace->num_reqs + 1;
	trace->runs = runs;
	trace->cap_runs = trace->num_runs + 1;
	return 0;
}

void trace_ids(const struct trace *trace, const struct trace_req *req,
	       uint64_t *ids)
{
	const struct id_run *run = &trace->runs[req->first_run];
	const struct id_run *end = run + req->num_runs;

	for (; run < end; run++) {
		uint64_t first = id_run_first(run);

		for (uint32_t i = 0; i < run->num; i++)
			*ids++ = first + i;
	}
}

void trace_keys(const struct trace *trace, const struct trace_req *req,
		struct fw_key *keys)
{
	const struct id_run *run = &trace->runs[req->first_run];
	const struct id_run *end = run + req->num_runs;

	for (; run < end; run++) {
		uint64_t first = id_run_first(run);

		for (uint32_t i = 0; i < run->num; i++)
			*keys++ = fw_key_widen(first + i);
	}
}

int trace_phase(struct trace *trace, const char *name)
{
	uint32_t num = trace->num_phases;
	char **phases;

	/* From the end: a request is mostly of the phase of the last one. */
	for (uint32_t i = num; i-- > 0;) {
		if (!strcmp(trace->phases[i], name))
			return (int)i;
	}
	if (num == INT_MAX)
		return -ENOMEM;
	phases = realloc(trace->phases, (num + 1) * sizeof(*phases));
	if (!phases)
		return -ENOMEM;
	trace->phases = phases;
	phases[num] = strdup(name);
	if (!phases[num])
		return -ENOMEM;
	trace->num_phases++;
	return (int)num;
}

/* Spread the requests [@from, @to), which share one timestamp. */
static void spread(struct trace *trace, size_t from, size_t to, double tick_ms)
{
	double k = (double)(to - from);

	for (size_t i = from; i < to; i++) {
		double j = (double)(i - from);

		trace->reqs[i].arrival_ms += j * tick_ms / k;
	}
}

static int apply_tick(struct trace *trace, double tick_ms, struct diag *diag)
{
	const struct trace_req *reqs = trace->reqs;
	size_t from = 0;

	while (from < trace->num_reqs) {
		double ms = reqs[from].arrival_ms;
		size_t to = from + 1;

		while (to < trace->num_reqs && reqs[to].arrival_ms == ms)
			to++;
		spread(trace, from, to, tick_ms);
		if (to < trace->num_reqs &&
		    reqs[to - 1].arrival_ms > reqs[to].arrival_ms)
			return diag_set(diag, -EINVAL,
					"tick: expected at most the time "
					"between timestamps (%g ms, but %g ms "
					"follows %g ms)",
					tick_ms, reqs[to].arrival_ms, ms);
		from = to;
	}
	return 0;
}

static bool is_cut(const struct trace_req *req, const struct trace_options *opt)
{
	if (opt->until_s > 0 &&
	    trace_arrival_s(req, opt->time_scale) > opt->until_s)
		return true;
	return opt->max_prompt && req->len > opt->max_prompt;
}

/* Where a request stood and where it stands, for those that name it. */
static void move_request(struct trace *trace, size_t from, size_t to,
			 uint32_t *moved)
{
	struct trace_req *req = &trace->reqs[to];

	*req = trace->reqs[from];
	if (!moved)
		return;
	moved[from] = (uint32_t)to + 1;
	/* Who must end first stands before; when it was cut, nobody must. */
	if (req->after)
		req->after = moved[req->after - 1];
}

/* The ids of what is dropped go too: some readers walk all of them. */
static int apply_cuts(struct trace *trace, const struct trace_options *opt)
{
	uint32_t *moved = NULL;
	size_t num_reqs = 0;
	size_t num_runs = 0;

	if (trace->has_sessions) {
		moved = calloc(trace->num_reqs + 1, sizeof(*moved));
		if (!moved)
			return -ENOMEM;
	}
	for (size_t i = 0; i < trace->num_reqs; i++) {
		struct trace_req *req = &trace->reqs[i];

		if (is_cut(req, opt))
			continue;
		if (req->num_runs)
			memmove(&trace->runs[num_runs],
				&trace->runs[req->first_run],
				req->num_runs * sizeof(*trace->runs));
		req->first_run = num_runs;
		num_runs += req->num_runs;
		move_request(trace, i, num_reqs++, moved);
	}
	trace->num_reqs = num_reqs;
	trace->num_runs = num_runs;
	free(moved);
	return 0;
}

int trace_prepare(struct trace *trace, const struct trace_options *opt,
		  struct diag *diag)
{
	size_t before = trace->num_reqs;

	if (opt->tick_ms > 0) {
		int ret = apply_tick(trace, opt->tick_ms, diag);

		if (ret)
			return ret;
	}
	if (apply_cuts(trace, opt))
		return diag_set(diag, -ENOMEM, "not enough memory");
	if (trace->num_reqs)
		return 0;
	return diag_set(diag, -EINVAL,
			"expected at least one request (none of %zu is left "
			"within until %g s and max-prompt %u tokens, 0 is off)",
			before, opt->until_s, opt->max_prompt);
}

uint32_t trace_longest(const struct trace *trace)
{
	uint32_t longest = 0;

	for (size_t i = 0; i < trace->num_reqs; i++) {
		uint32_t len = trace->reqs[i].len;

		if (len > longest)
			longest = len;
	}
	return longest / trace->block_size + !!(longest % trace->block_size);
}
