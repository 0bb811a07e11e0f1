/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_QUEUE_ORDERS_H
#define TESTS_UNIT_QUEUE_ORDERS_H

#include <check.h>
#include <string.h>

#include <fairway/order.h>

/* Requests for tests of the public order, and what opens and asks one. */

#define NS_PER_S 1000000000
#define PLENTY 1000000u
#define MAX_REQS 40

static struct fw_request reqs[MAX_REQS];

/* Requests of 1,000 tokens, one a nanosecond. */
static inline void make_requests(void)
{
	memset(reqs, 0, sizeof(reqs));
	for (int i = 0; i < MAX_REQS; i++) {
		reqs[i].len = 1000;
		reqs[i].arrival = i;
	}
}

/* A config whose settings are all left to their defaults. */
static inline struct fw_order_config sized(void)
{
	return (struct fw_order_config){
		.size = sizeof(struct fw_order_config),
	};
}

static inline struct fw_order *open_order(const struct fw_order_config *config)
{
	struct fw_order *order = NULL;

	ck_assert_int_eq(fw_order_open(&order, config), 0);
	ck_assert_ptr_nonnull(order);
	return order;
}

/* The next in a pass of its own. */
static inline struct fw_request *take(struct fw_order *order)
{
	struct fw_request *req;

	ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, PLENTY), 0);
	req = fw_pass_peek(order);
	if (req)
		ck_assert_int_eq(fw_pass_admit(order, 1), 0);
	ck_assert_int_eq(fw_pass_end(order), 0);
	return req;
}

#endif
