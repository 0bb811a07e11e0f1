/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_COST_COST_H
#define LIB_COST_COST_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "device.h"

/* Chunk that T(len) is reckoned with, whatever the step budget. */
#define FW_COST_CHUNK 2048u

/**
 * struct fw_cost - predicted prefill time of a whole prompt, T(len)
 * @device: by the device model, where @points is NULL
 * @points: else the embedder's table, by rising tokens
 * @num_points: its rows
 * @allocator: of @points
 *
 * Between two rows the time is interpolated linearly, below the first row
 * from there to no time at no tokens, and above the last one the last segment
 * goes on.
 */
struct fw_cost {
	const struct fw_device *device;
	struct fw_cost_point *points;
	size_t num_points;
	const struct fw_allocator *allocator;
};

/**
 * fw_cost_init() - by a device or a table
 * @cost: written only on success
 * @device: name; used when @points is NULL
 * @points: copied; NULL for the device model
 * @num_points: at least 1
 * @allocator: for the copy
 *
 * Return: 0, -ENODEV for an unknown device, -EINVAL for a table that is empty,
 * does not rise in tokens, falls in seconds, or holds a time that is not
 * finite and over 0, -ENOMEM.
 */
int fw_cost_init(struct fw_cost *cost, const char *device,
		 const struct fw_cost_point *points, size_t num_points,
		 const struct fw_allocator *allocator);
void fw_cost_destroy(struct fw_cost *cost);

/* Seconds to prefill @len tokens on the idle device. */
double fw_cost_prefill(const struct fw_cost *cost, uint32_t len);

#endif
