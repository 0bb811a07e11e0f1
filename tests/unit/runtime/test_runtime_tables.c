/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "by_hand.h"

/*
 * A device that keeps block tables of its own and copies only what a plan says
 * is new. Before each plan that it computes, its tables are the whole ones.
 */

#define RUNNING 5u
#define ROUNDS 4000u

static uint64_t seed;

/**
 * struct device_table - the device's copy of one block table
 * @blocks: the copy
 * @num: entries that it has
 * @broken: a plan failed before its part was copied
 */
struct device_table {
	uint32_t blocks[64];
	uint32_t num;
	bool broken;
};

static struct device_table device[RUNNING];

/* A plan fails before anything is copied: later ones must not use the rest. */
static int fail_early(const struct fw_plan *plan)
{
	for (uint32_t i = 0; i < plan->num_entries; i++)
		device[plan->entries[i].sequence].broken = true;
	return -EIO;
}

static bool copy_new(const struct fw_plan *plan,
		     const struct fw_plan_entry *entry)
{
	struct device_table *t = &device[entry->sequence];
	const uint32_t *from = plan->tables[entry->sequence];

	if (!entry->known)
		*t = (struct device_table){.num = 0};
	if (t->broken)
		return false;
	ck_assert_uint_eq(t->num, entry->known);
	ck_assert_uint_eq(entry->num_blocks,
			  (reqs[entry->request].len + BLOCK - 1) / BLOCK);
	for (uint32_t i = entry->known; i < entry->num_blocks; i++)
		t->blocks[t->num++] = from[i];
	ck_assert(!memcmp(t->blocks, from, t->num * sizeof(*from)));
	return true;
}

static int compute(const struct fw_plan *plan)
{
	bool whole = true;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		ck_assert_uint_lt(plan->entries[i].sequence,
				  plan->num_sequences);
		whole &= copy_new(plan, &plan->entries[i]);
	}
	return whole ? 0 : -EIO;
}

static void end_oldest(struct draw *draw)
{
	const struct fw_plan *plan = hand.plans[0];

	hand_end(&hand, 0, one_in(draw, 12) ? fail_early(plan) : compute(plan));
}

/* One that ended, or never was, comes again, beside or behind another. */
static void submit_again(struct draw *draw)
{
	uint32_t i = draw_below(draw, REQS);

	if (ends[i].times == 0 && handles[i])
		return;
	ends[i].times = 0;
	reqs[i].keys = keys[draw_below(draw, REQS)];
	reqs[i].len = 1 + draw_below(draw, REQS * BLOCK);
	reqs[i].num_keys = reqs[i].len / BLOCK;
	submit(i);
}

START_TEST(test_a_device_that_copies_what_is_new_has_the_tables)
{
	struct fw_config config = defaults(3);
	struct draw draw = {seed};

	config.max_running = RUNNING;
	config.max_retries = 1;
	memset(handles, 0, sizeof(handles));
	open_with(&config, BLOCK);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		if (one_in(&draw, 2))
			submit_again(&draw);
		if (one_in(&draw, 20))
			fw_cancel(fw, handles[draw_below(&draw, REQS)]);
		if (hand.num && one_in(&draw, 2))
			end_oldest(&draw);
		fw_step(fw);
	}
	while (settle(), hand.num)
		end_oldest(&draw);
	close_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_tables");
	TCase *tcase = tcase_create("runtime_tables");

	seed = draw_seed();
	tcase_add_test(tcase,
		       test_a_device_that_copies_what_is_new_has_the_tables);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
