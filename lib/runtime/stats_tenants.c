/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "runtime.h"
#include "stats_text.h"

/* Figures by tenant: as rows, and as Prometheus text. */

static int64_t read_tenants(const struct fw *fw, struct fw_tenant_stats *rows,
			    size_t num, size_t size)
{
	struct fw_tenant_stats one;
	size_t known = size < sizeof(one) ? size : sizeof(one);
	char *to = (char *)rows;
	int64_t written = 0;

	if (!size)
		return -EINVAL;
	if (fw_state(fw) == FW_STATE_CLOSING)
		return -ESHUTDOWN;
	if (!fw->tenant_rows)
		return 0;
	/* The rest first, so that it is never left out. */
	for (uint32_t i = 0; i <= FW_TENANT_ROWS && num; i++) {
		uint32_t row = i ? i - 1 : FW_TENANT_REST;

		if (!fw_tenant_rows_read(fw->tenant_rows, row, &one))
			continue;
		memcpy(to, &one, known);
		to += size;
		written++;
		num--;
	}
	return written;
}

int64_t fw_read_tenants(const struct fw *fw, struct fw_tenant_stats *rows,
			size_t num, size_t size)
{
	int64_t ret = fw_call_enter(fw);

	if (ret)
		return ret;
	ret = read_tenants(fw, rows, num, size);
	fw_call_exit(fw, 0);
	return ret;
}

/* Families with a sample for each tenant. */
static const struct tenant_family {
	const char *name;
	const char *type;
	const char *help;
	size_t value;
	enum fw_stats_unit unit;
} tenant_families[] = {
	{"fairway_tenant_submitted_total", "counter",
	 "Requests taken over, by tenant.",
	 offsetof(struct fw_tenant_stats, submitted), FW_STATS_NUMBER},
	{"fairway_tenant_waiting", "gauge",
	 "Requests that wait now, by tenant.",
	 offsetof(struct fw_tenant_stats, waiting), FW_STATS_NUMBER},
	{"fairway_tenant_done_total", "counter", "Requests done, by tenant.",
	 offsetof(struct fw_tenant_stats, done), FW_STATS_NUMBER},
	{"fairway_tenant_expired_total", "counter",
	 "Requests that expired, by tenant.",
	 offsetof(struct fw_tenant_stats, expired), FW_STATS_NUMBER},
	{"fairway_tenant_served_seconds_total", "counter",
	 "Work of what was computed, by tenant.",
	 offsetof(struct fw_tenant_stats, served), FW_STATS_NS},
};

static void write_family(struct fw_stats_text *text,
			 const struct tenant_family *family,
			 const struct fw_tenant_stats *rows, int64_t num_rows,
			 struct fw_stats_label *labels, size_t num)
{
	char tenant[24];

	fw_stats_text_family(text, family->name, family->type, family->help,
			     family->unit);
	for (int64_t i = 0; i < num_rows; i++) {
		const char *row = (const char *)&rows[i];
		uint64_t value;

		memcpy(&value, row + family->value, sizeof(value));
		snprintf(tenant, sizeof(tenant), "%" PRIu64, rows[i].tenant);
		labels[num] = (struct fw_stats_label){"tenant",
						      rows[i].rest ? "other"
								   : tenant};
		fw_stats_text_value(text, labels, num + 1, (int64_t)value);
	}
}

void fw_stats_text_tenants(struct fw_stats_text *text, const struct fw *fw,
			   struct fw_stats_label *labels, size_t num)
{
	struct fw_tenant_stats rows[FW_TENANT_ROWS + 1];
	int64_t num_rows =
		read_tenants(fw, rows, ARRAY_SIZE(rows), sizeof(rows[0]));

	for (size_t i = 0; num_rows > 0 && i < ARRAY_SIZE(tenant_families); i++)
		write_family(text, &tenant_families[i], rows, num_rows, labels,
			     num);
}
