/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_QUEUE_PASSES_H
#define TESTS_UNIT_QUEUE_PASSES_H

#include <check.h>
#include <string.h>

#include <fairway/order.h>

/* One order and its requests, and short names for the calls of a pass. */

#define NS_PER_S 1000000000
#define PLENTY 1000000u
#define MAX_REQS 16

static struct fw_order *order;
static struct fw_request reqs[MAX_REQS];

static inline void open_order(const struct fw_order_config *config)
{
	memset(reqs, 0, sizeof(reqs));
	ck_assert_int_eq(fw_order_open(&order, config), 0);
}

static inline void setup(void)
{
	open_order(NULL);
}

static inline void teardown(void)
{
	fw_order_close(order);
}

static inline void reopen(struct fw_order_config config)
{
	teardown();
	config.size = sizeof(config);
	open_order(&config);
}

static inline void add(struct fw_request *req, uint32_t len, uint32_t hit,
		       int arrival)
{
	req->len = len;
	req->hit = hit;
	req->arrival = (int64_t)arrival * NS_PER_S;
	ck_assert_int_eq(fw_order_add(order, req), 0);
}

static inline void begin(int now, uint32_t budget)
{
	ck_assert_int_eq(fw_pass_begin(order, (int64_t)now * NS_PER_S, budget),
			 0);
}

static inline void end(void)
{
	ck_assert_int_eq(fw_pass_end(order), 0);
}

/* Peeking twice gives the same. */
static inline void expect(const struct fw_request *req)
{
	ck_assert_ptr_eq(fw_pass_peek(order), req);
	ck_assert_ptr_eq(fw_pass_peek(order), req);
}

static inline void admit(const struct fw_request *req)
{
	expect(req);
	ck_assert_int_eq(fw_pass_admit(order, req->len - req->hit), 0);
}

static inline struct fw_order_stats stats(void)
{
	struct fw_order_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	return stats;
}

/* A miss of 6,000, then hits that leave 300. */
static inline void queue_miss_and_hits(int num_hits)
{
	add(&reqs[0], 6000, 0, 0);
	for (int i = 1; i <= num_hits; i++)
		add(&reqs[i], 6300, 6000, i);
}

#endif
