/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_TENANT_ROWS_H
#define LIB_RUNTIME_TENANT_ROWS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/stats.h>

/*
 * Figures by tenant, for a bounded number of them. A tenant gets a row with its
 * first request and keeps it while it has any in the runtime; after that the
 * row goes to the next one that needs it, and what it counted is added to the
 * row of the rest. Whoever finds none is counted there from the begin.
 *
 * The scheduler's thread alone writes; any thread reads at any time and never
 * waits. A row that changes hands while it is read is left out of that reading.
 *
 * [T1] A row's @life is odd while it changes hands. The writer makes it odd
 * before it touches a value, by the release of each value, and even after all
 * of them, by a release of its own. The reader acquires @life, then each value,
 * and looks at @life again: if a value was of the next life, so is @life.
 */

/* Rows of tenants; one more is that of the rest. */
#define FW_TENANT_ROWS 64u
#define FW_TENANT_REST FW_TENANT_ROWS

/* What is counted, in the order of struct fw_tenant_stats. */
enum fw_tenant_value {
	FW_TENANT_SUBMITTED,
	FW_TENANT_WAITING,
	FW_TENANT_DONE,
	FW_TENANT_EXPIRED,
	FW_TENANT_OTHERWISE,
	FW_TENANT_SERVED,
	FW_TENANT_VALUES,
};

/**
 * struct fw_tenant_row - a tenant's figures
 * @life: odd while it changes hands; 0 before anyone had it
 * @tenant: whose it is
 * @values: by enum fw_tenant_value
 */
struct fw_tenant_row {
	_Atomic uint64_t life;
	_Atomic uint64_t tenant;
	_Atomic uint64_t values[FW_TENANT_VALUES];
};

/**
 * struct fw_tenant_rows - all of them
 * @rows: that of the rest is the last
 * @owners: the scheduler's copy of whose each one is, close together
 * @present: requests in the runtime that are counted there
 * @num: rows that anyone ever had
 * @hand: where to look for one that is free
 */
struct fw_tenant_rows {
	struct fw_tenant_row rows[FW_TENANT_ROWS + 1];
	uint64_t owners[FW_TENANT_ROWS];
	uint64_t present[FW_TENANT_ROWS + 1];
	uint32_t num;
	uint32_t hand;
};

/* A request of @tenant comes. Return: its row until it leaves. */
uint32_t fw_tenant_rows_enter(struct fw_tenant_rows *rows, uint64_t tenant);

/* One that was counted in @row leaves. */
void fw_tenant_rows_leave(struct fw_tenant_rows *rows, uint32_t row);

/* Add to a figure of @row; -1 takes one off. */
void fw_tenant_rows_add(struct fw_tenant_rows *rows, uint32_t row,
			enum fw_tenant_value value, uint64_t amount);

/* Read a row. Context: Any thread. Return: Is it anyone's, and did it stay? */
bool fw_tenant_rows_read(const struct fw_tenant_rows *rows, uint32_t row,
			 struct fw_tenant_stats *stats);

#endif
