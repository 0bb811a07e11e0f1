/* SPDX-License-Identifier: Apache-2.0 */
#include "tenant_weights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"

/* Below a hundredth, years of a busy device would not fit into 63 bits. */
#define MIN_WEIGHT 10u
#define MAX_WEIGHT 1000000u

/* Rising, each once? */
static int check(const struct fw_tenant_weight *rows, size_t num)
{
	for (size_t i = 0; i < num; i++) {
		if (rows[i].weight < MIN_WEIGHT ||
		    rows[i].weight > MAX_WEIGHT || rows[i].reserved)
			return -EINVAL;
		if (i && rows[i].tenant == rows[i - 1].tenant)
			return -EINVAL;
	}
	return 0;
}

static int by_tenant(const void *left, const void *right)
{
	const struct fw_tenant_weight *a = left, *b = right;

	return (a->tenant > b->tenant) - (a->tenant < b->tenant);
}

int fw_tenant_weights_init(struct fw_tenant_weights *weights,
			   const struct fw_tenant_weight *rows, size_t num,
			   const struct fw_allocator *allocator)
{
	struct fw_tenant_weight *copy;
	int ret;

	if (!num) {
		*weights = (struct fw_tenant_weights){.allocator = allocator};
		return 0;
	}
	if (!rows)
		return -EINVAL;
	copy = fw_alloc_array(allocator, num, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, rows, num * sizeof(*copy));
	qsort(copy, num, sizeof(*copy), by_tenant);
	ret = check(copy, num);
	if (ret) {
		fw_free_array(allocator, copy, num, sizeof(*copy));
		return ret;
	}
	*weights = (struct fw_tenant_weights){copy, num, allocator};
	return 0;
}

void fw_tenant_weights_destroy(struct fw_tenant_weights *weights)
{
	fw_free_array(weights->allocator, weights->rows, weights->num,
		      sizeof(*weights->rows));
	weights->rows = NULL;
	weights->num = 0;
}

uint32_t fw_tenant_weights_of(const struct fw_tenant_weights *weights,
			      uint64_t tenant)
{
	const struct fw_tenant_weight key = {.tenant = tenant}, *row;

	if (!weights->num)
		return FW_TENANT_WEIGHT;
	row = bsearch(&key, weights->rows, weights->num, sizeof(key),
		      by_tenant);
	return row ? row->weight : FW_TENANT_WEIGHT;
}
