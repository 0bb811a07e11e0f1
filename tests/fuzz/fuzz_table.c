/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/alloc.h"
#include "lib/cost/cost.h"
#include "tools/node/table.h"
#include "fuzz.h"

static void check_table(const struct cost_table *table)
{
	struct fw_cost cost;

	promise(!fw_cost_init(&cost, NULL, table->points, table->num,
			      &fw_allocator_default),
		"what was read is a table");
	promise(fw_cost_prefill(&cost, 1) > 0.0, "time passes");
	promise(fw_cost_prefill(&cost, INT32_MAX) >= fw_cost_prefill(&cost, 1),
		"longer prompts take no less");
	if (table->has_device)
		promise(fw_device_step(&table->device, 1.0, 1.0) > 0.0,
			"a step takes time");
	fw_cost_destroy(&cost);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cost_table table;
	struct lines_buffer from;
	struct diag diag = {""};
	struct lines lines;

	if (open_bytes(&lines, &from, data, size))
		return 0;
	if (table_parse(&table, &lines, &diag)) {
		check_message(diag.text);
	} else {
		check_table(&table);
		table_destroy(&table);
	}
	lines_close(&lines);
	return 0;
}
