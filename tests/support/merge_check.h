/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_MERGE_CHECK_H
#define TESTS_SUPPORT_MERGE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/runtime.h>

/*
 * The merge from its rules alone: no heap, no lanes; every time the whole
 * class is looked through for the best by score and the oldest.
 */

/**
 * struct merge_check - a step's merge so far; begins as zeros
 * @step: which step
 * @priority: which class
 * @fast: F, thousandths of a token
 * @fair: R, the same
 */
struct merge_check {
	uint64_t step;
	uint32_t priority;
	int64_t fast;
	int64_t fair;
};

/**
 * merge_check() - is this the request that comes next?
 * @merge: moved on
 * @decision: what the runtime admits, with carry off and a weight of 4
 * @waiting: those of all classes that wait, this one included
 * @num: how many
 * @now: seconds
 *
 * Return: Whether lane, request, score and charge are those of the rules.
 */
bool merge_check(struct merge_check *merge, const struct fw_decision *decision,
		 const struct fw_request *const *waiting, size_t num,
		 double now);

#endif
