/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_GUARD_H
#define LIB_QUEUE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cost/remaining.h"
#include "dues.h"
#include "queued.h"

/*
 * The guard of an order: nobody waits much longer than in order of arrival.
 *
 * When a request is first looked at, the guard predicts when it would end if
 * all were served by arrival from then on, and adds a share of the wait until
 * then:
 *
 *	due = t + max(0, t - arrival) * thousandths / 1000
 *
 * That stays for life. A later step asks whether anybody would now end after
 * it is due, served by arrival. While somebody would, the step is late and
 * serves by arrival.
 *
 * Single owner, takes no lock. fw_guard_reserve() allocates, nothing else.
 */

/**
 * struct fw_guard - the guard
 * @dues: who is here
 * @work: how long each one takes
 * @thousandths: share of the wait that is added; 0 for no guard
 * @outside: work that goes before all that is here in this pass, nanoseconds
 */
struct fw_guard {
	struct fw_dues dues;
	struct fw_remaining work;
	uint32_t thousandths;
	int64_t outside;
};

void fw_guard_init(struct fw_guard *guard, const struct fw_remaining *work,
		   uint32_t thousandths, const struct fw_allocator *allocator);
void fw_guard_destroy(struct fw_guard *guard);

/* Make room for @num requests in all. Return: 0, -ENOMEM. */
int fw_guard_reserve(struct fw_guard *guard, size_t num);

/**
 * fw_guard_enter() - a request stands in the order now
 * @guard: has room for it
 * @queued: its rank says what is left and has a handle in the score order. Its
 *	due time moves into the guard, where it has one
 *
 * Return: Is it still to be looked at? Never without a guard.
 */
bool fw_guard_enter(struct fw_guard *guard, struct fw_queued *queued);

/* It is about to leave: fetch what that reads. */
void fw_guard_expect(const struct fw_guard *guard,
		     const struct fw_queued *queued);

/* It leaves the order, and takes its due time along. */
void fw_guard_leave(struct fw_guard *guard, struct fw_queued *queued);

/* Its rank says something else now. */
void fw_guard_change(struct fw_guard *guard, const struct fw_queued *queued);

/*
 * Look at it for the first time, at @now in seconds since open. All that enter
 * at once are looked at before the first of them is held to its due time.
 */
void fw_guard_look(struct fw_guard *guard, struct fw_queued *queued,
		   double now);

/* From now on steps are late by the due time that it got. */
void fw_guard_hold(struct fw_guard *guard, struct fw_queued *queued);

/* @left tokens after @hit others go before all that is here, in this pass. */
void fw_guard_outside(struct fw_guard *guard, uint32_t hit, uint32_t left);

/* The pass is over: nothing goes before those who are here. */
void fw_guard_end(struct fw_guard *guard);

/* Would anybody end after it is due, if all were served by arrival? */
bool fw_guard_late(struct fw_guard *guard, double now);

#endif
