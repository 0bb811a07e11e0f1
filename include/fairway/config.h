/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_CONFIG_H
#define FAIRWAY_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct fw_allocator - where the library takes its memory from
 * @alloc: returns @size bytes aligned to 16, or NULL
 * @free: gives back what @alloc returned; @size is what was asked for
 * @ctx: handed to both; must live as long as anything that was allocated
 *
 * Both run on the thread that called the library. The library gives memory
 * back to where it took it and takes none from anywhere else.
 */
struct fw_allocator {
	void *(*alloc)(void *ctx, size_t size);
	void (*free)(void *ctx, void *ptr, size_t size);
	void *ctx;
};

/**
 * struct fw_cost_point - one row of a prefill time table
 * @tokens: length of a prompt
 * @seconds: time that the idle device takes to prefill all of it
 */
struct fw_cost_point {
	uint32_t tokens;
	double seconds;
};

/**
 * enum fw_carry - do the two ledgers outlive a step?
 * @FW_CARRY_OFF: no, they start anew every step
 * @FW_CARRY_ON: yes, while the same request stays the oldest
 * @FW_CARRY_LONG: yes, but only while that request has more than
 *	weight * budget tokens to compute, so that one step may not reach it
 */
enum fw_carry {
	FW_CARRY_OFF,
	FW_CARRY_ON,
	FW_CARRY_LONG,
};

#ifdef __cplusplus
}
#endif

#endif
