/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_API_HISTORY_H
#define TESTS_SUPPORT_API_HISTORY_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct api_counts - what happened in histories, to see that all did
 * @ended: requests by enum fw_outcome
 * @refused: submissions that got -EAGAIN
 * @retried: requests that went back to the queue
 * @plans: plans submitted
 */
struct api_counts {
	uint64_t ended[5];
	uint64_t refused;
	uint64_t retried;
	uint64_t plans;
};

/**
 * api_history_run() - let bytes call a runtime, and hold it to a simple model
 * @data: what to call, and what the executor and the embedder answer
 * @size: of it
 * @counts: added to
 *
 * A runtime with tiny bounds and a clock of the test's own. The model knows
 * which requests wait, run or have ended, which cancels were promised and
 * which plans failed; whatever breaks a promise of the headers aborts, with a
 * line that names it.
 *
 * Return: a digest of all plans and ends. The same bytes give the same.
 */
uint64_t api_history_run(const uint8_t *data, size_t size,
			 struct api_counts *counts);

#endif
