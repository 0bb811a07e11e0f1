/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "trace.h"

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
	free(trace->ids);
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

static int reserve_ids(struct trace *trace, size_t need)
{
	uint64_t *ids =
		mem_grow(trace->ids, &trace->cap_ids, need, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	trace->ids = ids;
	return 0;
}

int trace_add(struct trace *trace, const struct trace_req *req,
	      const uint64_t *ids)
{
	struct trace_req *to;

	if (!trace->num_phases && trace_phase(trace, whole_trace) < 0)
		return -ENOMEM;
	/* One id too many, so that ids + first_id is never NULL + 0. */
	if (reserve_reqs(trace, trace->num_reqs + 1) ||
	    reserve_ids(trace, trace->num_ids + req->num_ids + 1))
		return -ENOMEM;
	to = &trace->reqs[trace->num_reqs++];
	*to = *req;
	to->first_id = trace->num_ids;
	if (req->num_ids)
		memcpy(&trace->ids[trace->num_ids], ids,
		       req->num_ids * sizeof(*ids));
	trace->num_ids += req->num_ids;
	return 0;
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

/* The ids of what is dropped go too: some readers walk all of them. */
static void apply_cuts(struct trace *trace, const struct trace_options *opt)
{
	size_t num_reqs = 0;
	size_t num_ids = 0;

	for (size_t i = 0; i < trace->num_reqs; i++) {
		struct trace_req *req = &trace->reqs[i];

		if (is_cut(req, opt))
			continue;
		if (req->num_ids)
			memmove(&trace->ids[num_ids],
				&trace->ids[req->first_id],
				req->num_ids * sizeof(*trace->ids));
		req->first_id = num_ids;
		num_ids += req->num_ids;
		trace->reqs[num_reqs++] = *req;
	}
	trace->num_reqs = num_reqs;
	trace->num_ids = num_ids;
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
	apply_cuts(trace, opt);
	if (trace->num_reqs)
		return 0;
	return diag_set(diag, -EINVAL,
			"expected at least one request (none of %zu is left "
			"within until %g s and max-prompt %u tokens, 0 is off)",
			before, opt->until_s, opt->max_prompt);
}

/* Slot of a table of ids; @owner is a request's index + 1, 0 is empty. */
struct id_slot {
	uint64_t id;
	size_t owner;
};

/* Not one request's any more. */
#define SHARED SIZE_MAX

/**
 * struct id_table - ids and their owners, at most half full
 * @slots: a power of two of them
 * @mask: their number - 1
 * @used: slots with an id
 */
struct id_table {
	struct id_slot *slots;
	size_t mask;
	size_t used;
};

/* Spreads ids that differ in few bits over the table (splitmix64). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static struct id_slot *find_id(const struct id_table *table, uint64_t id)
{
	size_t i = mix(id) & table->mask;

	while (table->slots[i].owner && table->slots[i].id != id)
		i = (i + 1) & table->mask;
	return &table->slots[i];
}

/* By the ids that differ, not by all that there are: most repeat. */
static int grow(struct id_table *table)
{
	size_t size = table->slots ? 2 * (table->mask + 1) : 1024;
	struct id_table grown = {
		.slots = calloc(size, sizeof(*grown.slots)),
		.mask = size - 1,
		.used = table->used,
	};

	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; table->slots && i <= table->mask; i++) {
		const struct id_slot *from = &table->slots[i];

		if (from->owner)
			*find_id(&grown, from->id) = *from;
	}
	free(table->slots);
	*table = grown;
	return 0;
}

/* Return: 1 when @id was met in a second request now, else 0 or -ENOMEM. */
static int note_id(struct id_table *table, uint64_t id, size_t owner)
{
	struct id_slot *slot = find_id(table, id);

	if (!slot->owner) {
		*slot = (struct id_slot){.id = id, .owner = owner};
		if (++table->used <= table->mask / 2)
			return 0;
		return grow(table);
	}
	if (slot->owner == owner || slot->owner == SHARED)
		return 0;
	slot->owner = SHARED;
	return 1;
}

static int64_t count_shared(const struct trace *trace, struct id_table *table)
{
	int64_t shared = 0;

	for (size_t i = 0; i < trace->num_reqs; i++) {
		const struct trace_req *req = &trace->reqs[i];

		for (size_t j = 0; j < req->num_ids; j++) {
			uint64_t id = trace->ids[req->first_id + j];
			int ret = note_id(table, id, i + 1);

			if (ret < 0)
				return ret;
			shared += ret;
		}
	}
	return shared;
}

int64_t trace_shared_ids(const struct trace *trace)
{
	struct id_table table = {NULL, 0, 0};
	int64_t shared = grow(&table);

	if (!shared)
		shared = count_shared(trace, &table);
	free(table.slots);
	return shared;
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
