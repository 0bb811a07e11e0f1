/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_ID_RUNS_H
#define TOOLS_TRACE_ID_RUNS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Block ids of prompts. Ids are mostly given out one after the other, so that
 * a prompt of hundreds of blocks is a few runs of them; where they are not, an
 * id takes a run of its own, half as much again as the bare number.
 */

/**
 * struct id_run - ids that follow each other
 * @low: lower half of the first one; in halves, since a whole one would round
 *	the size up to 16 bytes
 * @high: upper half
 * @num: how many, at least 1
 */
struct id_run {
	uint32_t low;
	uint32_t high;
	uint32_t num;
};

static inline uint64_t id_run_first(const struct id_run *run)
{
	return (uint64_t)run->high << 32 | run->low;
}

static inline uint64_t id_run_last(const struct id_run *run)
{
	return id_run_first(run) + (run->num - 1);
}

/**
 * struct id_runs - ids of one prompt; begins as zeros
 * @runs: the runs
 * @num_runs: how many
 * @cap: room for
 * @num_ids: ids in all of them
 * @next: the id that would lengthen the last run; 0 where none would
 */
struct id_runs {
	struct id_run *runs;
	size_t num_runs;
	size_t cap;
	size_t num_ids;
	uint64_t next;
};

/* Begin a run. Return: 0, -ENOMEM. */
int id_runs_push(struct id_runs *runs, uint64_t first, uint32_t num);

/**
 * id_runs_add() - add ids that follow each other
 * @first: the first of them; the others must not pass the largest id
 * @num: how many; 0 adds none
 *
 * Return: 0, -ENOMEM.
 */
static inline int id_runs_add(struct id_runs *runs, uint64_t first,
			      uint32_t num)
{
	struct id_run *last;

	if (!num)
		return 0;
	if (first != runs->next || !first)
		return id_runs_push(runs, first, num);
	last = &runs->runs[runs->num_runs - 1];
	if (num > UINT32_MAX - last->num)
		return id_runs_push(runs, first, num);
	last->num += num;
	runs->next += num;
	runs->num_ids += num;
	return 0;
}

/* None any more; the memory is kept. */
static inline void id_runs_clear(struct id_runs *runs)
{
	runs->num_runs = 0;
	runs->num_ids = 0;
	runs->next = 0;
}

void id_runs_destroy(struct id_runs *runs);

#endif
