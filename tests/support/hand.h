/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_HAND_H
#define TESTS_SUPPORT_HAND_H

#include <stdbool.h>
#include <stdint.h>

#include <fairway/executor.h>

/**
 * struct hand - an executor by hand: plans end when the test says so
 * @plans: that were submitted and have not ended, in order of submission
 * @flights: to report their ends by
 * @num: how many
 * @submitted: plans in all
 * @refuse: what the next submit returns, once; 0 to accept
 * @destroyed: times that it was destroyed
 */
struct hand {
	const struct fw_plan *plans[FW_DEPTH_MAX];
	struct fw_flight *flights[FW_DEPTH_MAX];
	uint32_t num;
	uint32_t submitted;
	int refuse;
	uint32_t destroyed;
};

struct fw_executor hand_executor(struct hand *hand, uint32_t depth);

/* The @i-th oldest plan in flight ends with @status. */
void hand_end(struct hand *hand, uint32_t i, int status);

/* Is a chunk of request @id in a plan in flight? */
bool hand_computes(const struct hand *hand, uint64_t id);

#endif
