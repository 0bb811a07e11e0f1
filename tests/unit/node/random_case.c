/* SPDX-License-Identifier: Apache-2.0 */
#include "random_case.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

#include "tests/support/trace_ids.h"

static double draw_arrival(struct draw *draw, double last_ms)
{
	switch (draw_range(draw, 0, 5)) {
	case 0:
	case 1:
		return last_ms;
	case 2:
		return last_ms + draw_range(draw, 1, 3);
	case 3:
		return last_ms + draw_range(draw, 1, 60);
	case 4:
		return last_ms + draw_range(draw, 1, 300) / 7.0;
	default:
		return last_ms + draw_range(draw, 1, 2000);
	}
}

/* The blocks that a prompt begins with: those of an earlier one, or none. */
static uint32_t draw_prefix(struct random_case *test, uint64_t *ids)
{
	const struct trace_req *other;
	uint32_t num;

	if (test->trace.num_reqs == 0 || one_in(&test->draw, 4))
		return 0;
	other = &test->trace.reqs[draw_range(
		&test->draw, 0, (uint32_t)test->trace.num_reqs - 1)];
	num = one_in(&test->draw, 2)
		      ? other->num_ids
		      : draw_range(&test->draw, 0, other->num_ids);
	for (uint32_t i = 0; i < num; i++)
		ids[i] = nth_id(&test->trace, other, i);
	return num;
}

static uint32_t draw_own_blocks(struct draw *draw, uint32_t room)
{
	uint32_t num;

	if (one_in(draw, 3))
		return 0;
	num = one_in(draw, 6) ? draw_range(draw, 0, MAX_IDS)
			      : draw_range(draw, 0, 6);
	return num < room ? num : room;
}

static void add_request(struct random_case *test)
{
	uint32_t size = test->trace.block_size;
	size_t num = test->trace.num_reqs;
	uint64_t ids[MAX_IDS];
	struct trace_req req = {
		.output_len = 1,
		.tenant = draw_below(&test->draw, test->num_tenants),
	};
	uint32_t own;

	req.num_ids = draw_prefix(test, ids);
	own = draw_own_blocks(&test->draw, MAX_IDS - req.num_ids);
	while (own-- > 0)
		ids[req.num_ids++] = test->next_id++;
	req.len = req.num_ids * size;
	if (req.len == 0)
		req.len = one_in(&test->draw, 2) && size > 1 ? 1 : 0;
	else if (!one_in(&test->draw, 3))
		req.len += draw_range(&test->draw, 0, size - 1);
	if (req.len == 0) {
		ids[req.num_ids++] = test->next_id++;
		req.len = size;
	}
	if (num > 0)
		req.arrival_ms =
			draw_arrival(&test->draw,
				     test->trace.reqs[num - 1].arrival_ms);
	ck_assert_int_eq(trace_add_ids(&test->trace, &req, ids), 0);
}

static uint32_t draw_pool(struct random_case *test)
{
	uint32_t longest = trace_longest(&test->trace);

	switch (draw_range(&test->draw, 0, 4)) {
	case 0:
		return longest;
	case 1:
		return longest + draw_range(&test->draw, 0, 8);
	case 2: /* the longest prompts are rejected */
		return draw_range(&test->draw, longest / 2 + 1, longest);
	case 3:
		return 2 * longest + draw_range(&test->draw, 0, 32);
	default:
		return 10000;
	}
}

static uint32_t draw_budget(struct draw *draw)
{
	switch (draw_range(draw, 0, 5)) {
	case 0:
		return 2048;
	case 1:
	case 2: /* weight * budget can be a whole number of tokens */
		return 8 * (uint32_t)1 << draw_range(draw, 1, 5);
	default:
		return draw_range(draw, 16, 256);
	}
}

void make_case(struct random_case *test, uint64_t seed, uint64_t number)
{
	static const char *const devices[] = {"a6000", "a100", "h100", "h200"};
	static const double scales[] = {1, 1, 0.5, 0.37, 3.2};
	struct draw *draw = &test->draw;
	uint32_t num;

	memset(test, 0, sizeof(*test));
	draw->state = seed + number * 0x632be59bd9b4e019;
	trace_init(&test->trace, draw_range(draw, 1, 32));
	ck_assert_int_eq(trace_phase(&test->trace, "all"), 0);
	test->num_tenants = draw_range(draw, 1, one_in(draw, 3) ? 30 : 4);
	test->next_id = one_in(draw, 3) ? draw_u64(draw) >> 2 : 0;
	num = one_in(draw, 25) ? draw_range(draw, 150, 400)
			       : draw_range(draw, 1, 40);
	while (num-- > 0)
		add_request(test);
	test->config = (struct sim_config){
		.device = devices[draw_range(draw, 0, 3)],
		.budget = draw_budget(draw),
		.max_running = one_in(draw, 3) ? 256 : draw_range(draw, 1, 8),
		.kv_blocks = draw_pool(test),
		.time_scale = scales[draw_range(draw, 0, 4)],
	};
}
