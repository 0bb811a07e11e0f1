/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/queue/tenants.h"
#include "tests/naive/naive_lanes.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/*
 * Random histories of the tenants against their definition: naive lanes for
 * each, whoever was served least is next, and nobody is ever forgotten.
 * FAIRWAY_SEED repeats a run.
 */

#define NUM_CASES 300
#define NUM_OPS 600
#define MAX_TENANTS 9
#define BUDGET 512u

/**
 * struct owner - a tenant of the model
 * @lanes: its lanes
 * @served: work over its weight
 * @weight: thousandths
 * @admitted: in the open pass, one of it was
 * @rest: it took the rest of the last pass's budget, and needs more
 */
struct owner {
	struct naive_lanes lanes;
	int64_t served;
	uint32_t weight;
	bool admitted;
	bool rest;
};

/**
 * struct model - all of them
 * @paid: what each request's last admission cost, until it comes back; 0
 * @before: the last admission's tenant before it, and the clock
 */
static struct model {
	struct owner owners[MAX_TENANTS];
	uint32_t num_owners;
	int64_t clock;
	bool open;
	uint32_t budget;
	int next;
	int undo;
	int undo_who;
	int64_t paid[NAIVE_MAX];
	struct {
		int64_t served;
		int64_t clock;
		bool admitted;
		bool rest;
		uint32_t budget;
	} before;
} m;

static struct fw_tenants tenants;
static struct fw_tenant_weights weights;
static struct fw_request reqs[NAIVE_MAX];
static struct fail_alloc memory;
static struct fw_cost cost;
static struct draw chance;
static uint64_t seed;
static double now;
static int number, op;

static void require(bool is, const char *what)
{
	if (!is)
		ck_abort_msg("%s: FAIRWAY_SEED=%" PRIu64 " case %d, call %d",
			     what, seed, number, op);
}

static int owner_of(int who)
{
	return (int)reqs[who].tenant;
}

static bool waiting(int who)
{
	return m.owners[owner_of(who)].lanes.reqs[who].waiting;
}

static uint32_t count(const struct owner *owner, bool offered)
{
	uint32_t num = 0;

	for (int i = 0; i < NAIVE_MAX; i++)
		num += offered ? owner->lanes.reqs[i].offered
			       : owner->lanes.reqs[i].waiting;
	return num;
}

static int64_t price(const struct owner *owner, uint32_t hit, uint32_t left)
{
	int64_t work = fw_remaining_work(&tenants.config.lanes.work, hit, left);

	return work * 1000 / owner->weight;
}

/* What the definition says of one that asks. */
static void model_enter(int who, uint32_t len, uint32_t hit)
{
	struct owner *owner = &m.owners[owner_of(who)];
	uint32_t h = hit < len ? hit : len - 1;
	int64_t back = price(owner, h, len - h);
	bool unfinished = count(owner, false) || owner->rest ||
			  (m.open && owner->admitted);

	if (m.paid[who] && owner->served > m.clock) {
		owner->served -= back < m.paid[who] ? back : m.paid[who];
		if (owner->served < m.clock)
			owner->served = m.clock;
	}
	if (!unfinished && owner->served < m.clock)
		owner->served = m.clock;
	m.paid[who] = 0;
}

static void do_add(int who)
{
	struct fw_request *req = &reqs[who];
	uint32_t len = 1 + draw_below(&chance, one_in(&chance, 4) ? 3000 : 300);
	uint32_t hit = draw_below(&chance, len + 4);
	double arrival = now - draw_below(&chance, 3);
	int ret;

	if (waiting(who))
		return;
	if (!m.paid[who]) {
		memset(req, 0, sizeof(*req));
		req->tenant = draw_below(&chance, m.num_owners);
		m.owners[owner_of(who)].lanes.reqs[who].seq = 0;
	}
	req->len = len;
	if (one_in(&chance, 10))
		fail_alloc_after(&memory, draw_below(&chance, 3));
	ret = fw_tenants_add(&tenants, req, arrival, 1.0, hit);
	fail_alloc_disarm(&memory);
	if (ret) {
		require(ret == -ENOMEM, "an add fails without a reason");
		return;
	}
	model_enter(who, len, hit);
	/* Like the lanes', but not from this struct's last life. */
	m.owners[owner_of(who)].lanes.next_seq = (uint64_t)op + 1;
	naive_lanes_add(&m.owners[owner_of(who)].lanes, who, len, hit, arrival,
			1.0);
}

static void do_remove(int who)
{
	if (!waiting(who))
		return;
	fw_tenants_remove(&tenants, &reqs[who]);
	naive_lanes_remove(&m.owners[owner_of(who)].lanes, who);
}

static void do_set_hit(int who)
{
	struct naive_req *r = &m.owners[owner_of(who)].lanes.reqs[who];

	if (!waiting(who))
		return;
	r->hit = draw_below(&chance, r->len + 2);
	fw_tenants_set_hit(&tenants, &reqs[who], r->hit);
}

static void do_begin(void)
{
	if (m.open)
		return;
	now += draw_below(&chance, 1000) / 500.0;
	m.open = true;
	m.budget = one_in(&chance, 20) ? 0 : BUDGET;
	m.next = m.undo = NAIVE_NONE;
	for (uint32_t i = 0; i < m.num_owners; i++) {
		m.owners[i].admitted = m.owners[i].rest = false;
		naive_lanes_begin(&m.owners[i].lanes, now, UINT32_MAX);
	}
	fw_tenants_begin(&tenants, now, m.budget);
}

static int model_peek(void)
{
	int best = NAIVE_NONE;

	if (!m.open || !m.budget)
		return NAIVE_NONE;
	if (m.next != NAIVE_NONE && m.owners[m.next].lanes.peeked != NAIVE_NONE)
		return m.owners[m.next].lanes.peeked;
	for (int i = 0; i < (int)m.num_owners; i++)
		if (count(&m.owners[i], true) &&
		    (best == NAIVE_NONE ||
		     m.owners[i].served < m.owners[best].served))
			best = i;
	m.next = best;
	if (best == NAIVE_NONE)
		return NAIVE_NONE;
	m.undo = NAIVE_NONE;
	return naive_lanes_peek(&m.owners[best].lanes);
}

static int do_peek(void)
{
	int who = model_peek();
	struct fw_request *req = fw_tenants_peek(&tenants);

	require(req == (who == NAIVE_NONE ? NULL : &reqs[who]),
		"another one is next");
	return who;
}

static void model_admit(int who, uint32_t tokens)
{
	struct owner *owner = &m.owners[m.next];
	const struct naive_req *r = &owner->lanes.reqs[who];

	m.undo = m.next;
	m.undo_who = who;
	m.before.served = owner->served;
	m.before.clock = m.clock;
	m.before.admitted = owner->admitted;
	m.before.rest = owner->rest;
	m.before.budget = m.budget;
	if (owner->served > m.clock)
		m.clock = owner->served;
	m.paid[who] = price(owner, r->h, r->c);
	owner->served += m.paid[who];
	owner->admitted = true;
	m.budget -= tokens < m.budget ? tokens : m.budget;
	owner->rest |= tokens < r->c && !m.budget;
	naive_lanes_admit(&owner->lanes, tokens);
	m.next = NAIVE_NONE;
}

static void do_admit(void)
{
	int who = do_peek();
	const struct naive_req *r;
	uint32_t tokens;

	if (who == NAIVE_NONE) {
		require(fw_tenants_admit(&tenants, 1) == -ENOENT,
			"nobody was admitted");
		return;
	}
	r = &m.owners[m.next].lanes.reqs[who];
	tokens = r->c < m.budget ? r->c : m.budget;
	if (one_in(&chance, 6))
		tokens = 1 + draw_below(&chance, tokens);
	model_admit(who, tokens);
	require(!fw_tenants_admit(&tenants, tokens), "an admission fails");
}

static void model_take_back(void)
{
	struct owner *owner = &m.owners[m.undo];

	naive_lanes_skip(&owner->lanes);
	m.paid[m.undo_who] = 0;
	owner->served = m.before.served;
	m.clock = m.before.clock;
	owner->admitted = m.before.admitted;
	owner->rest = m.before.rest;
	m.budget = m.before.budget;
	m.undo = NAIVE_NONE;
}

static void do_skip(void)
{
	int ret = fw_tenants_skip(&tenants);

	if (m.next != NAIVE_NONE &&
	    m.owners[m.next].lanes.peeked != NAIVE_NONE) {
		naive_lanes_skip(&m.owners[m.next].lanes);
		require(!ret, "a skip fails");
	} else if (m.undo != NAIVE_NONE &&
		   m.owners[m.undo].lanes.undo.who != NAIVE_NONE) {
		model_take_back();
		require(!ret, "an admission is not taken back");
	} else {
		require(ret == -ENOENT, "what cannot be skipped was");
	}
}

static void do_end(void)
{
	if (!m.open)
		return;
	m.open = false;
	m.next = m.undo = NAIVE_NONE;
	for (uint32_t i = 0; i < m.num_owners; i++)
		naive_lanes_end(&m.owners[i].lanes);
	fw_tenants_end(&tenants);
	require(fw_tenants_valid(&tenants), "a tenant is where it may not be");
}

static void check_totals(void)
{
	const struct fw_lanes_stats got = fw_tenants_stats(&tenants);
	struct fw_lanes_stats sum = {0};
	size_t num = 0;

	for (uint32_t i = 0; i < m.num_owners; i++) {
		const struct naive_lanes *lanes = &m.owners[i].lanes;

		sum.admitted[0] += lanes->stats.admitted[0];
		sum.admitted[1] += lanes->stats.admitted[1];
		sum.skipped += lanes->stats.skipped;
		sum.overtaken += lanes->stats.overtaken;
		num += count(&m.owners[i], false);
	}
	require(num == tenants.waiting, "another number waits");
	require(m.clock == tenants.clock, "the clocks differ");
	require(sum.admitted[0] == got.admitted[0] &&
			sum.admitted[1] == got.admitted[1] &&
			sum.skipped == got.skipped &&
			sum.overtaken == got.overtaken && !got.bound_broken,
		"the counters differ");
}

static void one_op(void)
{
	int who = (int)draw_below(&chance, NAIVE_MAX);

	switch (draw_below(&chance, m.open ? 12 : 8)) {
	case 0:
	case 1:
	case 2:
		do_add(who);
		break;
	case 3:
		do_remove(who);
		break;
	case 4:
		do_set_hit(who);
		break;
	case 5:
		do_end();
		break;
	case 6:
	case 7:
		do_begin();
		break;
	case 8:
		do_skip();
		break;
	case 9:
		do_peek();
		break;
	default:
		do_admit();
	}
	check_totals();
}

static void open_case(void)
{
	static const uint32_t shares[] = {1000, 1000, 250, 4000, 10, 1000000};
	struct fw_tenant_weight rows[MAX_TENANTS];
	struct fw_tenants_config config = {
		.lanes = {.weight = 4000, .budget = BUDGET, .fair_lane = true},
		.weights = &weights,
		.max_idle = FW_TENANTS_MAX_IDLE,
	};

	memset(&m, 0, sizeof(m));
	memset(reqs, 0, sizeof(reqs));
	m.next = m.undo = NAIVE_NONE;
	m.num_owners = 1 + draw_below(&chance, MAX_TENANTS);
	fw_remaining_init(&config.lanes.work, &cost, BUDGET);
	for (uint32_t i = 0; i < m.num_owners; i++) {
		m.owners[i].weight = shares[draw_below(&chance, 6)];
		rows[m.num_owners - 1 - i] =
			(struct fw_tenant_weight){.tenant = i,
						  .weight = m.owners[i].weight};
		naive_lanes_init(&m.owners[i].lanes, &config.lanes);
	}
	ck_assert(!fw_tenant_weights_init(&weights, rows, m.num_owners,
					  &memory.allocator));
	fw_tenants_init(&tenants, &config, &memory.allocator);
}

START_TEST(test_tenants_are_served_as_they_are_defined)
{
	chance.state = seed;
	fail_alloc_init(&memory);
	ck_assert(!fw_cost_init(&cost, "a6000", NULL, 0, &memory.allocator));
	for (number = 0; number < NUM_CASES; number++) {
		open_case();
		for (op = 0; op < NUM_OPS; op++)
			one_op();
		fw_tenants_destroy(&tenants);
		fw_tenant_weights_destroy(&weights);
	}
	fw_cost_destroy(&cost);
	ck_assert_uint_eq(memory.live, 0);
	ck_assert_uint_gt(memory.failed, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tenants_random");
	TCase *tcase = tcase_create("random");

	seed = draw_seed();
	tcase_add_test(tcase, test_tenants_are_served_as_they_are_defined);
	tcase_set_timeout(tcase, 120);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
