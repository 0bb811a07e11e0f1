/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_RUNTIME_H
#define LIB_RUNTIME_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "lib/base/compiler.h"
#include "lib/base/heap.h"
#include "lib/cost/cost.h"
#include "lib/plan/planner.h"
#include "lib/pool/kv_pool.h"
#include "lib/queue/classes.h"
#include "lib/sync/bound.h"
#include "lib/sync/calls.h"
#include "lib/sync/gate.h"
#include "lib/sync/inbox.h"
#include "lib/sync/rcu.h"
#include "lib/sync/slots.h"
#include "counters.h"
#include "state.h"
#include "tenant_bound.h"
#include "tenant_rows.h"

/*
 * The runtime: one struct fw, and files by what they own of it. README.md of
 * this folder has a line for each.
 *
 * Who writes what: producers the inboxes, the slots, the bounds and @state;
 * executors the flights that they were given and the completions; all else the
 * one thread that holds @owner. Every call of another thread is counted in
 * @submits or @calls from its first look at struct fw to its last, so that
 * close frees nothing under it.
 */

/**
 * struct fw_ticket - what the runtime keeps of a request, beside its slot
 * @arrived: hook in the inbox
 * @req: the request
 * @arrival: when it arrived, nanoseconds
 * @bytes: bytes that it has reserved
 * @hint: blocks that its producer found cached
 * @by_deadline: hook in the deadlines, while it waits and may expire
 * @by_age: hook in the ages, while it waits and may rise to a higher class
 * @retries: times that it went back to the queue
 * @uncached: tokens that it has to compute, while it waits
 * @queued: does it hold a place of max_waiting?
 * @row: where it is counted by tenant
 * @admitted: when it was admitted last, nanoseconds; 0 if it never was
 *
 * Written by the submitting thread before the push, then by the scheduler.
 */
struct fw_ticket {
	struct fw_inbox_node arrived;
	struct fw_request *req;
	int64_t arrival;
	uint64_t bytes;
	uint32_t hint;
	struct fw_heap_node by_deadline;
	struct fw_heap_node by_age;
	uint32_t retries;
	uint32_t uncached;
	bool queued;
	uint8_t row;
	int64_t admitted;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct fw_ticket) == 64, "one line a request");

/**
 * struct fw_flight - a plan in flight
 * @ended: hook in the completions
 * @fw: the runtime
 * @status: written by the executor before the push
 * @over: it came out of the completions; the scheduler's own
 * @awaited: the executor has to report the plan; whoever clears it reports
 */
struct fw_flight {
	struct fw_inbox_node ended;
	struct fw *fw;
	int status;
	bool over;
	_Atomic bool awaited;
};

/**
 * struct fw_event - one change of the engine's cache
 * @pushed: hook in the inbox
 * @event: what changed
 *
 * Written by the reporting thread before the push.
 */
struct fw_event {
	struct fw_inbox_node pushed;
	struct fw_index_event event;
};

/**
 * struct fw - the runtime, by who writes
 *
 * Nobody, once fw_open() returned; all may read it at any time. What a shard, a
 * slot or a block of memory behind these holds does change, elsewhere; the end
 * of a struct fw_slots is the scheduler's, on a line of its own.
 * @config: settings, complete; order and executor point into this struct
 * @order: settings of the queue, complete
 * @executor: what computes
 * @allocator: of everything
 * @cost: predicted prefill times
 * @open: time that counts as 0, nanoseconds
 * @queue: operations of the queue
 * @queue_ctx: handed to them
 * @index: @own_index or the pool's
 * @inbox: tickets on their way
 * @events: cache events on their way
 * @completions: flights that ended
 * @submits: threads inside of fw_submit()
 * @calls: threads inside of another call
 * @tickets: one for each of @slots
 * @event_room: one for each of @event_slots
 * @class_waiting: for each class what it has reserved of max_waiting; NULL
 *	where no class is bounded. Any thread writes to these, as to the others
 * @tenant_waiting: what each tenant has reserved of max_waiting, the same; NULL
 *	where they are not bounded
 * @tenant_rows: figures by tenant, which the scheduler writes; NULL where the
 *	order is not by tenant
 * @work: what the tokens of a request take
 * @slots: of all requests
 * @event_slots: of cache events on their way
 *
 * Any thread, with each call.
 * @num_waiting: reserved of max_waiting
 * @num_bytes: reserved of max_bytes
 * @events_refused: cache events that found no room
 * @reports_ignored: fw_plan_done() for a plan that was not in flight
 *
 * Any thread, but seldom; read with each call.
 * @state: one of enum fw_state; only ever rises
 * @gate: where the scheduler sleeps
 *
 * Any thread, to ask the scheduler for something; it reads them with each step
 * and clears the first two.
 * @poked: fw_poke() was called
 * @stopped: fw_stop() was called; used up by who returns for it
 * @taking: fw_close() calls that wait for @owner
 *
 * Executors, until they report a flight's end; then the scheduler.
 * @flights: one for each of the planner's plans
 *
 * The scheduler.
 * @owner: number of the thread that schedules plus 1, 0 for none
 * @weights: of tenants, for @classes
 * @classes: the queue, unless another one was given
 * @pool: blocks, with config.num_blocks
 * @own_index: the index, without
 * @planner: plans
 * @deadlines: tickets that wait and may expire, by time
 * @ages: tickets that wait and may rise to the next class, by time
 * @num_ages: how many were put there, so that equal times go by their order
 * @left_as: state when fw_producers_gone() began to look for them
 * @left: shards of @submits that were empty since
 * @left_calls: shards of @calls, looked at in CLOSING alone
 * @gone: the last answer of fw_producers_gone(). A call that leaves wakes
 *	nobody, so while it is no, the scheduler asks again after a short sleep
 * @in_system: requests taken over and not ended
 * @position: admissions of this step
 * @step: number of this step
 * @now_s: of this step, seconds since @open
 * @now: the same, nanoseconds
 * @uncached: tokens to compute of all that wait
 * @counters: statistics
 */
struct fw {
	/* Written by nobody. */
	struct fw_config config;
	struct fw_order_config order;
	struct fw_executor executor;
	struct fw_allocator allocator;
	struct fw_cost cost;
	int64_t open;
	const struct fw_order_ops *queue;
	void *queue_ctx;
	struct fw_prefix_index *index;
	struct fw_inbox inbox;
	struct fw_inbox events;
	struct fw_inbox completions;
	struct fw_calls submits;
	struct fw_calls calls;
	struct fw_ticket *tickets;
	struct fw_event *event_room;
	struct fw_bound *class_waiting;
	struct fw_tenant_bound *tenant_waiting;
	struct fw_tenant_rows *tenant_rows;
	struct fw_remaining work;
	struct fw_slots slots;
	struct fw_slots event_slots;

	/* Written by any thread, with each call. */
	struct fw_bound num_waiting;
	struct fw_bound num_bytes;
	_Atomic uint64_t events_refused FW_LINE_ALIGNED;
	_Atomic uint64_t reports_ignored;

	/* Written seldom, read with each call. */
	_Atomic uint32_t state FW_LINE_ALIGNED;
	struct fw_gate gate;

	/* Written by any thread that asks the scheduler for something. */
	_Atomic bool poked FW_LINE_ALIGNED;
	_Atomic bool stopped;
	_Atomic uint32_t taking;

	/* Written by executors, then by the scheduler. */
	struct fw_flight flights[FW_DEPTH_MAX] FW_LINE_ALIGNED;

	/* Written by the scheduler. */
	_Atomic uint32_t owner FW_LINE_ALIGNED;
	struct fw_tenant_weights weights;
	struct fw_classes classes;
	struct fw_kv_pool pool;
	struct fw_prefix_index own_index;
	struct fw_planner planner;
	struct fw_heap deadlines;
	struct fw_heap ages;
	uint64_t num_ages;
	enum fw_state left_as;
	uint32_t left;
	uint32_t left_calls;
	bool gone;
	uint64_t in_system;
	uint32_t position;
	uint64_t step;
	double now_s;
	int64_t now;
	uint64_t uncached;
	struct fw_counters counters;
};

/* No line is written by two of the groups. */
#define FW_LINE_OF(field) (offsetof(struct fw, field) / FW_LINE)
_Static_assert(FW_LINE_OF(class_waiting) < FW_LINE_OF(num_waiting),
	       "read alone");
_Static_assert(FW_LINE_OF(events_refused) < FW_LINE_OF(state), "any thread");
_Static_assert(FW_LINE_OF(state) < FW_LINE_OF(gate), "seldom");
_Static_assert(FW_LINE_OF(gate) < FW_LINE_OF(poked), "asked");
_Static_assert(FW_LINE_OF(taking) < FW_LINE_OF(flights), "executors");
_Static_assert(FW_LINE_OF(flights[FW_DEPTH_MAX - 1].over) < FW_LINE_OF(owner),
	       "scheduler");

static inline enum fw_state fw_state(const struct fw *fw)
{
	/* [C1] Sequentially consistent: comes after fw_calls_enter(). */
	return (enum fw_state)atomic_load_explicit(&fw->state,
						   memory_order_seq_cst);
}

static inline uint32_t fw_ticket_slot(const struct fw *fw,
				      const struct fw_ticket *ticket)
{
	return (uint32_t)(ticket - fw->tickets);
}

/* The handle that fw_submit() gave, for probes. Context: The owner. */
static inline uint64_t fw_ticket_handle(const struct fw *fw,
					const struct fw_ticket *ticket)
{
	uint32_t slot = fw_ticket_slot(fw, ticket);
	/* Relaxed: only the owner changes the generation now. */
	uint64_t word = atomic_load_explicit(&fw->slots.slots[slot].word,
					     memory_order_relaxed);

	return (word & ~(uint64_t)UINT32_MAX) | slot;
}

static inline struct fw_ticket *fw_ticket_of(const struct fw *fw,
					     const struct fw_request *req)
{
	return &fw->tickets[fw_entry_const(req)->ticket - 1];
}

#endif
