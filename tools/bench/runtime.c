/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

int bench_runtime_open(struct fw **fw, const struct fw_executor *executor,
		       void (*done)(void *ctx, struct fw_request *req,
				    const struct fw_result *result),
		       void *ctx)
{
	const struct fw_order_config order = {
		.size = sizeof(order),
		.budget = BENCH_BATCH,
	};
	const struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = executor,
		.done = done,
		.ctx = ctx,
		.num_blocks = 2 * BENCH_BATCH,
		.max_running = BENCH_BATCH,
		.max_waiting = 2 * BENCH_BATCH,
		.max_bytes = UINT64_C(1) << 40,
	};

	return fw_open(fw, &config);
}
