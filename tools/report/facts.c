/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/alloc.h"
#include "lib/cost/cost.h"
#include "tools/policy/fairway.h"
#include "tools/policy/registry.h"

void facts_init(struct facts *facts, const struct report *report)
{
	const struct trace *trace = report->trace;
	double scale = report->config->time_scale;

	*facts = (struct facts){0, 0, 0.0};
	if (!trace->num_reqs)
		return;
	for (size_t i = 0; i < trace->num_reqs; i++) {
		facts->tokens += trace->reqs[i].len;
		if (trace->reqs[i].len > facts->longest)
			facts->longest = trace->reqs[i].len;
	}
	facts->span_s =
		trace_arrival_s(&trace->reqs[trace->num_reqs - 1], scale) -
		trace_arrival_s(&trace->reqs[0], scale);
}

void facts_source(char *buf, size_t size, const struct report *report)
{
	const struct trace *trace = report->trace;
	double rate = NO_FIGURE;
	struct facts facts;
	char text[192];

	facts_init(&facts, report);
	if (facts.span_s > 0.0)
		rate = (double)(trace->num_reqs - 1) / facts.span_s;
	trace_source_text(text, sizeof(text), &trace->source, rate);
	snprintf(buf, size, "%s%s", text,
		 *text && report->config->closed_loop ? ", closed loop" : "");
}

double facts_load(const struct report *report, unsigned int policy)
{
	struct facts facts;

	facts_init(&facts, report);
	if (facts.span_s <= 0.0)
		return NO_FIGURE;
	return report->results[policy].busy_s / facts.span_s;
}

bool facts_load_policy(const struct report *report, unsigned int *policy)
{
	*policy = 0;
	for (unsigned int i = 0; i < report->num; i++) {
		if (report->specs[i].policy != &policy_fcfs)
			continue;
		*policy = i;
		return true;
	}
	return false;
}

double facts_worst_over_p99(const struct summary *sum)
{
	return sum->ttft.num ? sum->ttft.max / sum->ttft.p99 : NO_FIGURE;
}

static bool binds(const struct fw_cost *cost, const struct fairway_args *args,
		  uint32_t len)
{
	return args->multiplier * fw_cost_prefill(cost, len) < args->floor;
}

/*
 * The longest prompt whose target is below the floor. Times rise with the
 * length, so halving finds it. The search doubles from 1, so
 * that it looks at no length over twice the result.
 */
static uint32_t longest_under(const struct fw_cost *cost,
			      const struct fairway_args *args)
{
	uint32_t low = 0;
	uint32_t high = 1;

	while (high < INT32_MAX && binds(cost, args, high)) {
		low = high;
		high = high > INT32_MAX / 2 ? INT32_MAX : high * 2;
	}
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (binds(cost, args, mid))
			low = mid;
		else
			high = mid;
	}
	return low;
}

static bool has_floor(const struct fairway_args *args)
{
	return args && !args->by_rest && args->wait_constant <= 0.0;
}

static uint64_t prompts_up_to(const struct trace *trace, uint32_t len)
{
	uint64_t num = 0;

	for (size_t i = 0; i < trace->num_reqs; i++)
		num += trace->reqs[i].len <= len;
	return num;
}

int facts_floor(struct floor_fact *fact, const struct report *report)
{
	const struct sim_config *config = report->config;
	const struct fairway_args *args;
	struct fw_cost cost;
	int err = fw_cost_init(&cost, config->device, config->table,
			       config->num_points, &fw_allocator_default);
	int found = 0;

	if (err)
		return err;
	for (unsigned int i = 0; i < report->num && !found; i++) {
		args = fairway_args(&report->specs[i]);
		if (!has_floor(args))
			continue;
		fact->policy = i;
		fact->tokens = longest_under(&cost, args);
		fact->prompts = prompts_up_to(report->trace, fact->tokens);
		found = fact->prompts > report->trace->num_reqs / 2;
	}
	fw_cost_destroy(&cost);
	return found;
}
