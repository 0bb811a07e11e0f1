/* SPDX-License-Identifier: Apache-2.0 */
#include "warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/base/compiler.h"
#include "tools/base/grid.h"
#include "facts.h"

/* A load that is off by less is as good as --load promises. */
#define LOAD_OFF 0.1

static void warn(struct warnings *warnings, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void warn(struct warnings *warnings, const char *fmt, ...)
{
	va_list args;

	if (warnings->num == ARRAY_SIZE(warnings->texts))
		return;
	va_start(args, fmt);
	vsnprintf(warnings->texts[warnings->num++], sizeof(*warnings->texts),
		  fmt, args);
	va_end(args);
}

static bool all_rejected(const struct report *report)
{
	for (unsigned int i = 0; i < report->num; i++)
		if (report->sums[i].rejected < report->trace->num_reqs)
			return false;
	return report->num && report->trace->num_reqs;
}

static uint32_t shortest_blocks(const struct trace *trace)
{
	uint32_t size = trace->block_size;
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < trace->num_reqs; i++)
		if (trace->reqs[i].len < least)
			least = trace->reqs[i].len;
	return least / size + (least % size > 0);
}

static void look_at_pool(struct warnings *warnings, const struct report *report)
{
	char need[32], have[32];

	if (!all_rejected(report))
		return;
	format_count(need, sizeof(need), shortest_blocks(report->trace));
	format_count(have, sizeof(have), report->config->kv_blocks);
	warn(warnings,
	     "no request fits the KV pool, so none was served: the shortest "
	     "prompt takes %s blocks, the pool has %s",
	     need, have);
}

static void look_at_load(struct warnings *warnings, const struct report *report)
{
	unsigned int policy;
	double load;

	if (report->load <= 0.0 || !facts_load_policy(report, &policy))
		return;
	load = facts_load(report, policy);
	if (!isfinite(load) || fabs(load / report->load - 1.0) <= LOAD_OFF)
		return;
	warn(warnings,
	     "--load %.12g was not met, the offered load is %.2f: the scale "
	     "comes from a run of the whole trace at its own pace",
	     report->load, load);
}

/* The bound is a promise: a run that breaks it must say so. */
static void look_at_bound(struct warnings *warnings,
			  const struct report *report)
{
	for (unsigned int i = 0; i < report->num; i++)
		if (report->results[i].bound_broken)
			warn(warnings,
			     "%s broke the bound on overtaking in %" PRIu64
			     " steps; please report this",
			     report->specs[i].name,
			     report->results[i].bound_broken);
}

void warnings_init(struct warnings *warnings, const struct report *report)
{
	warnings->num = 0;
	look_at_pool(warnings, report);
	look_at_load(warnings, report);
	look_at_bound(warnings, report);
}
