/* SPDX-License-Identifier: Apache-2.0 */
#include "tenant_rows.h"

static uint64_t get(const _Atomic uint64_t *value)
{
	/* Relaxed: the one who writes reads its own. */
	return atomic_load_explicit(value, memory_order_relaxed);
}

static void set(_Atomic uint64_t *value, uint64_t to)
{
	/* [T1] Release: an odd life comes before it. */
	atomic_store_explicit(value, to, memory_order_release);
}

static uint32_t find(const struct fw_tenant_rows *rows, uint64_t tenant)
{
	for (uint32_t i = 0; i < rows->num; i++)
		if (rows->owners[i] == tenant)
			return i;
	return FW_TENANT_REST;
}

/* A row that nobody had, or whose tenant has nothing here. */
static uint32_t find_free(struct fw_tenant_rows *rows)
{
	if (rows->num < FW_TENANT_ROWS)
		return rows->num++;
	for (uint32_t i = 0; i < FW_TENANT_ROWS; i++) {
		uint32_t row = rows->hand;

		rows->hand = (row + 1) % FW_TENANT_ROWS;
		if (!rows->present[row])
			return row;
	}
	return FW_TENANT_REST;
}

/* What the row counted goes to the rest: no figure ever falls there. */
static void hand_over(struct fw_tenant_rows *rows, uint32_t number,
		      uint64_t tenant)
{
	struct fw_tenant_row *row = &rows->rows[number];
	uint64_t life = get(&row->life);

	atomic_store_explicit(&row->life, life + 1, memory_order_relaxed);
	for (uint32_t i = 0; i < FW_TENANT_VALUES; i++) {
		fw_tenant_rows_add(rows, FW_TENANT_REST,
				   (enum fw_tenant_value)i,
				   get(&row->values[i]));
		set(&row->values[i], 0);
	}
	set(&row->tenant, tenant);
	rows->owners[number] = tenant;
	/* [T1] Release: all of the above comes before it. */
	atomic_store_explicit(&row->life, life + 2, memory_order_release);
}

uint32_t fw_tenant_rows_enter(struct fw_tenant_rows *rows, uint64_t tenant)
{
	uint32_t row = find(rows, tenant);

	if (row == FW_TENANT_REST) {
		row = find_free(rows);
		if (row != FW_TENANT_REST)
			hand_over(rows, row, tenant);
	}
	rows->present[row]++;
	fw_tenant_rows_add(rows, row, FW_TENANT_SUBMITTED, 1);
	return row;
}

void fw_tenant_rows_leave(struct fw_tenant_rows *rows, uint32_t row)
{
	rows->present[row]--;
}

void fw_tenant_rows_add(struct fw_tenant_rows *rows, uint32_t row,
			enum fw_tenant_value value, uint64_t amount)
{
	_Atomic uint64_t *at = &rows->rows[row].values[value];

	set(at, get(at) + amount);
}

bool fw_tenant_rows_read(const struct fw_tenant_rows *rows, uint32_t number,
			 struct fw_tenant_stats *stats)
{
	const struct fw_tenant_row *row = &rows->rows[number];
	/* [T1] Acquire: what it says is read after it. */
	uint64_t life = atomic_load_explicit(&row->life, memory_order_acquire);
	uint64_t values[FW_TENANT_VALUES];
	uint64_t tenant;

	/* [T1] Acquire: the second look at @life comes after all of them. */
	tenant = atomic_load_explicit(&row->tenant, memory_order_acquire);
	for (uint32_t i = 0; i < FW_TENANT_VALUES; i++)
		values[i] = atomic_load_explicit(&row->values[i],
						 memory_order_acquire);
	if (life & 1 || get(&row->life) != life)
		return false;
	if (!life && number != FW_TENANT_REST)
		return false;
	*stats = (struct fw_tenant_stats){
		.tenant = tenant,
		.rest = number == FW_TENANT_REST,
		.submitted = values[FW_TENANT_SUBMITTED],
		.waiting = values[FW_TENANT_WAITING],
		.done = values[FW_TENANT_DONE],
		.expired = values[FW_TENANT_EXPIRED],
		.otherwise = values[FW_TENANT_OTHERWISE],
		.served = values[FW_TENANT_SERVED],
	};
	return true;
}
