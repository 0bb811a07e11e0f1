/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_TENANT_BOUND_H
#define LIB_RUNTIME_TENANT_BOUND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <fairway/config.h>

/*
 * A bound on the places that one tenant may hold in one class, for any number
 * of tenants in a fixed amount of memory. Each tenant has four counters, found
 * by a secret hash, and shares each with others; the smallest of the four says
 * how many places it holds at most. So nobody gets more than the bound, and one
 * who holds few is refused only where all four counters are also those of
 * tenants that hold many: with a thousand that flood, once in 450.
 *
 * Progress: all calls are wait-free. Nothing is taken back, so a thread that is
 * stopped keeps nobody out. Threads that reserve at the same moment may each
 * take the last place. All accesses are relaxed, as those of struct fw_bound.
 */

#define FW_TENANT_BOUND_ROWS 4u
#define FW_TENANT_BOUND_COLUMNS 4096u

/**
 * struct fw_tenant_bound - the counters
 * @held: places, by row and column
 * @refused: reservations that did not fit
 * @max: places of one tenant in one class
 * @seed: secret, so that nobody can aim at another's counters
 */
struct fw_tenant_bound {
	_Atomic uint32_t held[FW_TENANT_BOUND_ROWS][FW_TENANT_BOUND_COLUMNS];
	_Atomic uint64_t refused;
	uint32_t max;
	uint64_t seed[2];
};

/* @bound is zeroed. */
void fw_tenant_bound_init(struct fw_tenant_bound *bound, uint32_t max);

/* Return: Whether it fit; if not, that was counted. Context: Any thread. */
bool fw_tenant_bound_reserve(struct fw_tenant_bound *bound, uint32_t class,
			     uint64_t tenant);

/* Give one back. Context: Any thread. */
void fw_tenant_bound_release(struct fw_tenant_bound *bound, uint32_t class,
			     uint64_t tenant);

#endif
