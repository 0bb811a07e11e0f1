/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include "lib/base/clock.h"
#include "lib/base/saturate.h"

/* What a request's due time is before anybody looked at it. */
#define NOT_YET 0

void fw_guard_init(struct fw_guard *guard, const struct fw_remaining *work,
		   uint32_t thousandths, const struct fw_allocator *allocator)
{
	*guard = (struct fw_guard){
		.work = *work,
		.thousandths = thousandths,
	};
	fw_dues_init(&guard->dues, allocator);
}

void fw_guard_destroy(struct fw_guard *guard)
{
	fw_dues_destroy(&guard->dues);
}

int fw_guard_reserve(struct fw_guard *guard, size_t num)
{
	return guard->thousandths ? fw_dues_reserve(&guard->dues, num) : 0;
}

static int64_t work_of(const struct fw_guard *guard, const struct fw_rank *rank)
{
	return fw_remaining_work(&guard->work, rank->hit, rank->cost);
}

bool fw_guard_enter(struct fw_guard *guard, struct fw_queued *queued)
{
	int64_t due = queued->due;

	if (!guard->thousandths)
		return false;
	fw_dues_insert(&guard->dues, &queued->rank,
		       work_of(guard, &queued->rank));
	if (due != NOT_YET)
		fw_dues_set_due(&guard->dues, &queued->rank, due);
	queued->ahead = 0;
	return due == NOT_YET;
}

void fw_guard_expect(const struct fw_guard *guard,
		     const struct fw_queued *queued)
{
	if (guard->thousandths)
		fw_dues_expect(&guard->dues, &queued->rank);
}

void fw_guard_leave(struct fw_guard *guard, struct fw_queued *queued)
{
	int64_t due;

	if (!guard->thousandths)
		return;
	due = fw_dues_remove(&guard->dues, &queued->rank);
	queued->due = due == FW_DUES_NEVER ? NOT_YET : due;
}

void fw_guard_change(struct fw_guard *guard, const struct fw_queued *queued)
{
	if (guard->thousandths)
		fw_dues_set_work(&guard->dues, &queued->rank,
				 work_of(guard, &queued->rank));
}

void fw_guard_outside(struct fw_guard *guard, uint32_t hit, uint32_t left)
{
	if (guard->thousandths)
		guard->outside =
			fw_add_saturating(guard->outside,
					  fw_remaining_work(&guard->work, hit,
							    left));
}

void fw_guard_end(struct fw_guard *guard)
{
	guard->outside = 0;
}

/* The wait that the guard adds, with 128 bits on the way. */
static int64_t share(const struct fw_guard *guard, int64_t wait)
{
	__int128 part = (__int128)wait * guard->thousandths / 1000;

	return part < INT64_MAX ? (int64_t)part : INT64_MAX;
}

void fw_guard_look(struct fw_guard *guard, struct fw_queued *queued, double now)
{
	int64_t end = fw_add_saturating(fw_clock_ns(now), guard->outside), due;
	int64_t arrival = fw_clock_ns(queued->rank.arrival), wait;

	end = fw_add_saturating(end,
				fw_dues_until(&guard->dues, &queued->rank));
	wait = fw_clock_since(arrival, end);
	due = fw_add_saturating(end, share(guard, wait > 0 ? wait : 0));
	if (due == NOT_YET)
		due++;
	/* Only far ahead. */
	if (due == FW_DUES_NEVER)
		due = FW_DUES_NEVER - 1;
	queued->due = due;
}

void fw_guard_hold(struct fw_guard *guard, struct fw_queued *queued)
{
	fw_dues_set_due(&guard->dues, &queued->rank, queued->due);
	queued->ahead = 0;
}

bool fw_guard_late(struct fw_guard *guard, double now)
{
	int64_t start;

	if (!guard->thousandths)
		return false;
	start = fw_add_saturating(fw_clock_ns(now), guard->outside);
	return fw_dues_slack(&guard->dues) < start;
}
