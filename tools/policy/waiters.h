/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_WAITERS_H
#define TOOLS_POLICY_WAITERS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/entry.h"
#include "lib/base/list.h"

/*
 * What the orders of the command have in common: who waits, in which sequence
 * they came, and whose hit changed since the last merge began. Changes count
 * from the next merge on.
 *
 * Single owner, takes no lock, allocates nothing.
 */

/**
 * struct waiter - what each of these orders keeps of a request
 * @arrival: seconds since the trace's begin
 * @seq: rank by arrival; from 1, for life
 * @hit: cached tokens, as the last merge that began has them
 * @new_hit: from the next merge on
 * @later: hook of the list of those that are new or have another hit
 *
 * It begins the struct that an order keeps in the entry's part of the queue.
 */
struct FW_MAY_ALIAS waiter {
	double arrival;
	uint64_t seq;
	uint32_t hit;
	uint32_t new_hit;
	struct fw_list later;
};

/**
 * struct waiters - all of them
 * @later: see struct waiter
 * @num: how many wait
 * @next_seq: of the next new request
 */
struct waiters {
	struct fw_list later;
	size_t num;
	uint64_t next_seq;
};

static inline struct waiter *waiter_of(struct fw_request *req)
{
	return (struct waiter *)fw_entry(req)->queued;
}

static inline struct fw_request *waiter_request(const struct waiter *waiter)
{
	return container_of(waiter, struct fw_request, priv);
}

/* Tokens left to compute: c of the specification, at least 1. */
static inline uint32_t waiter_cost(const struct waiter *waiter)
{
	return waiter_request(waiter)->len - waiter->hit;
}

void waiters_init(struct waiters *waiters);

/* @req waits from now on; its waiter is zeroed, or as it left. */
void waiters_add(struct waiters *waiters, struct fw_request *req,
		 double arrival, uint32_t hit);

/* @req waits no more. */
void waiters_leave(struct waiters *waiters, struct fw_request *req);

/* Its cached tokens from the next merge on. */
void waiters_set_hit(struct waiters *waiters, struct fw_request *req,
		     uint32_t hit);

/* Have waiters_settle() give it, although its hit did not change. */
void waiters_touch(struct waiters *waiters, struct waiter *waiter);

/**
 * waiters_settle() - a merge begins: whom to put in another place
 * @waiters: who waits
 *
 * Return: One that is new or was touched, with its new hit; NULL when all of
 * them were given.
 */
struct waiter *waiters_settle(struct waiters *waiters);

#endif
