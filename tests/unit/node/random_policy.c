/* SPDX-License-Identifier: Apache-2.0 */
#include "random_case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_text(struct random_case *test, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_text(struct random_case *test, const char *fmt, ...)
{
	size_t used = strlen(test->policy);
	va_list args;

	va_start(args, fmt);
	vsnprintf(test->policy + used, sizeof(test->policy) - used, fmt, args);
	va_end(args);
}

static void add_wait(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (!one_in(draw, 4))
		return;
	add_text(test, ":wait=absolute");
	if (one_in(draw, 2))
		add_text(test, ":constant=%.3f",
			 draw_range(draw, 1, 3000) / 1000.0);
}

/*
 * Often a weight at which weight * budget is about what some request has to
 * compute, since carry=long turns on just that.
 */
static uint32_t draw_weight(struct random_case *test)
{
	struct draw *draw = &test->draw;
	const struct trace *trace = &test->trace;
	const struct trace_req *req;
	uint64_t cost;

	if (one_in(draw, 2))
		return draw_range(draw, 1, one_in(draw, 4) ? 100000 : 8000);
	req = &trace->reqs[draw_range(draw, 0, (uint32_t)trace->num_reqs - 1)];
	cost = req->len - draw_range(draw, 0, req->num_ids / 2) *
				  (uint64_t)trace->block_size;
	cost = cost * 1000 / test->config.budget;
	return cost > 0 ? (uint32_t)cost : 1;
}

/* From a guard at which most steps are late to one that hardly ever is. */
static void add_guard(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 4))
		add_text(test, ":guard=off");
	else if (one_in(draw, 2))
		add_text(test, ":guard=%.3f",
			 draw_range(draw, 1, 3000) / 1000.0);
}

static void add_fairway_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":weight=%.3f", draw_weight(test) / 1000.0);
	if (one_in(draw, 3))
		add_text(test, ":multiplier=%.2f",
			 draw_range(draw, 1, 1000) / 100.0);
	if (one_in(draw, 2))
		add_text(test, ":floor=%.3f",
			 draw_range(draw, 1, 1500) / 1000.0);
	add_wait(test);
	if (one_in(draw, 10))
		add_text(test, ":lane=off");
	else if (one_in(draw, 2))
		add_text(test, one_in(draw, 2) ? ":carry" : ":carry=long");
	else if (one_in(draw, 2))
		add_guard(test);
	if (one_in(draw, 3))
		add_text(test, ":tenants");
	if (one_in(draw, 3))
		add_text(test, ":key=rest");
	else if (!strstr(test->policy, ":guard") &&
		 !strstr(test->policy, ":tenants") && one_in(draw, 5))
		add_text(test, ":order=sort");
	if (!strstr(test->policy, ":carry") && one_in(draw, 3))
		add_text(test, ":pause");
}

static void add_srpf_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":weight=%.3f", draw_weight(test) / 1000.0);
	if (one_in(draw, 2))
		add_guard(test);
	if (one_in(draw, 5))
		add_text(test, ":nopause");
	if (one_in(draw, 4))
		add_text(test, ":tenants");
}

static void add_lpm_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":limit=%u", draw_range(draw, 1, 20));
	if (one_in(draw, 2))
		add_text(test, ":dedupe");
}

static void add_ragcache_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":window=%u", draw_range(draw, 1, 10));
	if (one_in(draw, 2))
		add_text(test, ":pgdsf");
}

static void add_uniboost_flags(struct random_case *test)
{
	struct draw *draw = &test->draw;

	if (one_in(draw, 2))
		add_text(test, ":gamma=%.3f",
			 draw_range(draw, 1, 4000) / 1000.0);
	else if (one_in(draw, 2))
		add_text(test, ":ada");
}

static void add_klpm_flags(struct random_case *test)
{
	add_text(test, ":k=%u", draw_range(&test->draw, 1, 9));
}

static void add_hrrn_flags(struct random_case *test)
{
	if (one_in(&test->draw, 2))
		add_text(test, ":clock=tokens");
}

static void add_rsjf_flags(struct random_case *test)
{
	add_text(test, ":max=%.3f", draw_range(&test->draw, 1, 5000) / 1000.0);
}

static const struct {
	const char *name;
	void (*add_flags)(struct random_case *test);
	uint32_t share;
} kinds[] = {
	{"fcfs", NULL, 1},
	{"lpm", add_lpm_flags, 2},
	{"klpm", add_klpm_flags, 1},
	{"ragcache", add_ragcache_flags, 2},
	{"preble", NULL, 1},
	{"peek", NULL, 1},
	{"hrrn", add_hrrn_flags, 1},
	{"spf", NULL, 1},
	{"rsjf", add_rsjf_flags, 1},
	{"uniboost", add_uniboost_flags, 2},
	{"fairway", add_fairway_flags, 9},
	{"srpf", add_srpf_flags, 5},
};

#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static uint64_t runs[NUM_KINDS];

static size_t draw_kind(struct draw *draw)
{
	uint32_t total = 0;
	uint32_t ticket;

	for (size_t i = 0; i < NUM_KINDS; i++)
		total += kinds[i].share;
	ticket = draw_range(draw, 1, total);
	for (size_t i = 0;; i++) {
		if (ticket <= kinds[i].share)
			return i;
		ticket -= kinds[i].share;
	}
}

void draw_policy(struct random_case *test)
{
	size_t kind = draw_kind(&test->draw);

	runs[kind]++;
	test->policy[0] = '\0';
	add_text(test, "%s", kinds[kind].name);
	if (kinds[kind].add_flags)
		kinds[kind].add_flags(test);
	if (one_in(&test->draw, 3))
		add_text(test, ":protect");
}

void print_policies_drawn(void)
{
	for (size_t i = 0; i < NUM_KINDS; i++)
		printf("# %s: %" PRIu64 " runs\n", kinds[i].name, runs[i]);
	fflush(stdout);
}
