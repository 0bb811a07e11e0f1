/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/layout.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"

/*
 * The device's tables are those of the host after every plan, though each piece
 * goes over once. Random plans, some of which never arrive.
 */

enum {
	SEQUENCES = 9,
	BLOCKS = 21,
	PLANS = 3000
};

static uint64_t seed;
static struct fw_cuda_layout layout;
static unsigned char *slot;
static uint32_t device[SEQUENCES * BLOCKS];
static uint32_t host[SEQUENCES][BLOCKS];
static const uint32_t *tables[SEQUENCES];
static struct fw_plan_entry entries[SEQUENCES + 1];
/* What the planner knows of each sequence; request 0 is none. */
static struct {
	uint64_t request;
	uint32_t blocks;
	bool lost;
} sequences[SEQUENCES];

static void setup(void)
{
	memset(sequences, 0, sizeof(sequences));
	memset(device, 0xff, sizeof(device));
	fw_cuda_layout_init(&layout, SEQUENCES, BLOCKS);
	layout.held = calloc(SEQUENCES, sizeof(*layout.held));
	slot = malloc(layout.host_size);
	for (uint32_t s = 0; s < SEQUENCES; s++)
		tables[s] = host[s];
}

static void teardown(void)
{
	free(layout.held);
	free(slot);
}

/* A sequence that begins, goes on with a longer table, or with the same. */
static void draw_entry(struct draw *draw, struct fw_plan_entry *entry,
		       uint32_t s, uint64_t request)
{
	bool begins = !sequences[s].request || one_in(draw, 3) ||
		      (sequences[s].lost && !one_in(draw, 8));
	uint32_t known = begins ? 0 : sequences[s].blocks;
	uint32_t num = begins ? 1 + draw_below(draw, BLOCKS)
			      : known + draw_below(draw, BLOCKS + 1 - known);

	if (begins) {
		sequences[s].request = request;
		sequences[s].lost = false;
	}
	for (uint32_t i = known; i < num; i++)
		host[s][i] = draw_below(draw, 1u << 30);
	sequences[s].blocks = num;
	*entry = (struct fw_plan_entry){
		.request = sequences[s].request,
		.count = 1,
		.known = known,
		.num_blocks = num,
		.sequence = s,
	};
}

static struct fw_plan draw_plan(struct draw *draw, uint64_t number)
{
	struct fw_plan plan = {.entries = entries,
			       .tables = tables,
			       .num_sequences = SEQUENCES};

	for (uint32_t s = 0; s < SEQUENCES; s++)
		if (one_in(draw, 2))
			draw_entry(draw, &entries[plan.num_entries++], s,
				   number * SEQUENCES + s + 1);
	plan.num_tokens = plan.num_entries;
	return plan;
}

static void spread(const struct fw_cuda_packed *packed)
{
	const struct fw_cuda_spread all = {
		.pieces = (void *)(slot + packed->pieces_at),
		.blocks = (void *)(slot + packed->blocks_at),
		.tables = device,
		.stride = BLOCKS,
		.num_pieces = packed->num_pieces,
	};

	for (uint32_t p = 0; p < all.num_pieces; p++)
		for (uint32_t i = 0; i < all.pieces[p].count; i++)
			fw_cuda_spread_one(&all, p, i);
}

/* Does the plan go on with a sequence whose table did not get through? */
static bool hopeless(const struct fw_plan *plan)
{
	for (uint32_t i = 0; i < plan->num_entries; i++)
		if (plan->entries[i].known &&
		    sequences[plan->entries[i].sequence].lost)
			return true;
	return false;
}

static void lose_new(const struct fw_plan *plan)
{
	for (uint32_t i = 0; i < plan->num_entries; i++)
		if (plan->entries[i].known < plan->entries[i].num_blocks)
			sequences[plan->entries[i].sequence].lost = true;
}

static void check_tables(const struct fw_plan *plan,
			 const struct fw_cuda_packed *packed)
{
	uint64_t news = 0;

	ck_assert_mem_eq(slot, plan->entries,
			 plan->num_entries * sizeof(*plan->entries));
	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *entry = &plan->entries[i];

		news += entry->num_blocks - entry->known;
		ck_assert_mem_eq(device + entry->sequence * BLOCKS,
				 host[entry->sequence],
				 entry->num_blocks * sizeof(uint32_t));
	}
	ck_assert_uint_eq(packed->num_blocks, news);
	ck_assert_uint_le(packed->size, layout.host_size);
}

START_TEST(test_tables_on_the_device_follow_those_of_the_host)
{
	struct draw draw = {.state = seed};
	uint32_t refused = 0;

	for (uint64_t n = 0; n < PLANS; n++) {
		struct fw_plan plan = draw_plan(&draw, n);
		struct fw_cuda_packed packed;
		bool refuse = hopeless(&plan);
		int ret = fw_cuda_pack(&layout, &plan, slot, &packed);

		ck_assert_int_eq(ret, refuse ? -EIO : 0);
		refused += refuse;
		if (refuse || one_in(&draw, 20)) {
			lose_new(&plan);
			continue;
		}
		spread(&packed);
		fw_cuda_arrived(&layout, &plan);
		check_tables(&plan, &packed);
	}
	ck_assert_uint_gt(refused, 0);
	ck_assert_uint_lt(refused, PLANS / 2);
}
END_TEST

START_TEST(test_plans_that_are_too_large_are_refused)
{
	struct fw_plan plan = {.entries = entries,
			       .tables = tables,
			       .num_entries = 1};
	struct fw_cuda_packed packed;

	entries[0] = (struct fw_plan_entry){.num_blocks = BLOCKS + 1};
	ck_assert_int_eq(fw_cuda_pack(&layout, &plan, slot, &packed), -E2BIG);
	entries[0] = (struct fw_plan_entry){.sequence = SEQUENCES};
	ck_assert_int_eq(fw_cuda_pack(&layout, &plan, slot, &packed), -E2BIG);
	entries[0] = (struct fw_plan_entry){.known = 2, .num_blocks = 1};
	ck_assert_int_eq(fw_cuda_pack(&layout, &plan, slot, &packed), -EINVAL);
	plan.num_entries = SEQUENCES + 1;
	ck_assert_int_eq(fw_cuda_pack(&layout, &plan, slot, &packed), -E2BIG);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("cuda_layout");
	TCase *tcase = tcase_create("layout");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase,
		       test_tables_on_the_device_follow_those_of_the_host);
	tcase_add_test(tcase, test_plans_that_are_too_large_are_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(make_suite());
}
