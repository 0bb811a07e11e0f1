/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_COST_REMAINING_H
#define LIB_COST_REMAINING_H

#include <stdint.h>

#include "cost.h"

/**
 * struct fw_remaining - how long what is left of a prompt takes, in nanoseconds
 * @cost: where it has a table, the table says; it outlives this
 * @token: seconds of a token that is computed
 * @share: the same with the token's share of a full step's fixed cost
 * @pair: seconds of a pair of a query token and one that it attends to
 *
 * With c tokens left after h others, pairs = c * (h + (c + 1) / 2), and
 *
 *	rest = token * c + pair * pairs
 *	work = share * c + pair * pairs
 *
 * each rounded to whole nanoseconds. With a table both are T(h + c) - T(h), at
 * least 1.
 */
struct fw_remaining {
	const struct fw_cost *cost;
	double token;
	double share;
	double pair;
};

/* @budget: tokens of a full step, at least 1 */
void fw_remaining_init(struct fw_remaining *work, const struct fw_cost *cost,
		       uint32_t budget);

/* What orders the shortest remaining prefill first. At least 0. */
int64_t fw_remaining_rest(const struct fw_remaining *work, uint32_t hit,
			  uint32_t cost);

/* What a busy device takes for it. At least 0. */
int64_t fw_remaining_work(const struct fw_remaining *work, uint32_t hit,
			  uint32_t cost);

#endif
