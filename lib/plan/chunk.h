/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_PLAN_CHUNK_H
#define LIB_PLAN_CHUNK_H

#include "planner.h"

/*
 * A chunk: the tokens of one sequence that one plan computes.
 */

/* Tokens of the step that no chunk has yet. */
static inline uint32_t fw_budget_left(const struct fw_planner *planner)
{
	return planner->config.budget - planner->plan->num_tokens;
}

/* Tokens that a sequence gets now: none when it is about to end. */
uint32_t fw_chunk_size(const struct fw_planner *planner, uint32_t number);

/* Plan @count more tokens of a sequence. */
void fw_chunk_add(struct fw_planner *planner, uint32_t number, uint32_t count);

/**
 * fw_chunk_give() - plan a chunk of the sequence that the order gave
 * @planner: the planner
 * @number: its sequence
 *
 * With pausing it competes on in the order, unless that was its last chunk.
 */
void fw_chunk_give(struct fw_planner *planner, uint32_t number);

#endif
