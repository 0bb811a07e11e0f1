/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BENCH_RUNTIME_H
#define TOOLS_BENCH_RUNTIME_H

#include <fairway/fairway.h>

/* Requests of one token that are submitted between two looks at the clock. */
#define BENCH_BATCH 100u

/**
 * bench_runtime_open() - a runtime that no batch fills
 * @fw: written only on success
 * @executor: the runtime's from a 0 return on
 * @done: called by the scheduler for each request
 * @ctx: of @done
 *
 * Return: 0 or -errno.
 */
int bench_runtime_open(struct fw **fw, const struct fw_executor *executor,
		       void (*done)(void *ctx, struct fw_request *req,
				    const struct fw_result *result),
		       void *ctx);

#endif
