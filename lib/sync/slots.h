/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_SYNC_SLOTS_H
#define LIB_SYNC_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/base/compiler.h"
#include "inbox.h"

/*
 * Slots: a request has one from its submission to its end. It lies in memory
 * of the library, so that a cancel by handle never touches the caller's struct.
 * In lib/sync and lib/runtime "slot" means one of these and nothing else.
 *
 * A slot's life, and who may do what:
 *
 *	FREE		nobody's; fw_slot_take() by any thread
 *	taken		still FREE in the word; the taker's alone, which calls
 *			fw_slot_submit(), or fw_slot_put() to undo
 *	SUBMITTED	on its way to the scheduler, which alone changes the
 *			state from here on
 *	WAITING		queued; may come back here from RUNNING
 *	RUNNING		in a plan
 *	ENDING		fw_slot_end(): it is settled how the request ends
 *	FREE		fw_slot_put() by the scheduler, next generation
 *
 * Any thread may call fw_slot_cancel() with any handle, at any time and any
 * number of times, until fw_slots_destroy(). It has an effect only on the
 * generation that the handle names, and only in SUBMITTED, WAITING and RUNNING.
 * State, generation and the cancel bit are one word, so one compare-and-swap
 * decides between a cancel and the end. The fw_slot_end() of the cancelled
 * request sees a cancel that returned 0; no other request's does.
 *
 * Progress: take, put and cancel are lock-free, all else is wait-free. A
 * producer that is stopped for good in one of them costs at most the slot that
 * it holds. A producer that is stopped between setting the bit and telling the
 * scheduler delays the next use of that slot. It does not delay the request,
 * which ends by what the scheduler does with it.
 *
 * A generation has 32 bits. A handle that is kept while its slot is used 2^32
 * times more would name another's request. At a million requests a second over
 * a thousand slots that takes 49 days.
 */

/* No slot: larger than the number of any slot. */
#define FW_SLOT_NONE UINT32_MAX

/*
 * Most slots. A slot's number plus 1 takes 24 bits of a free stack's word; the
 * other 40 bits are the tag.
 */
#define FW_SLOTS_MAX ((1u << 24) - 1)

/**
 * enum fw_slot_state - as above
 */
enum fw_slot_state {
	FW_SLOT_FREE,
	FW_SLOT_SUBMITTED,
	FW_SLOT_WAITING,
	FW_SLOT_RUNNING,
	FW_SLOT_ENDING,
};

/**
 * struct fw_slot - one slot
 * @word: generation (high half), cancel bit, state; written by the taker, the
 *	scheduler and cancelling threads
 * @owner: what was submitted; written by the taker before the word says so
 * @cancelled: hook in the inbox of cancels. It belongs to the thread that set
 *	the bit, until the scheduler drains it
 * @below: next slot of the free stack plus 1, 0 at its bottom
 * @told: @cancelled came out of the inbox; the scheduler's own
 * @ended: the slot was put while @cancelled was still on its way; the
 *	scheduler's own
 */
struct fw_slot {
	_Atomic uint64_t word;
	void *owner;
	struct fw_inbox_node cancelled;
	_Atomic uint32_t below;
	bool told;
	bool ended;
} __attribute__((aligned(64)));

/**
 * struct fw_slot_stack - the free slots of one shard
 * @top: tag (high 40 bits), slot plus 1 (low 24). The tag rises with each
 *	change, so a compare-and-swap notices a slot that went and came back
 */
struct fw_slot_stack {
	_Atomic uint64_t top;
} FW_LINE_ALIGNED;

/**
 * struct fw_slots - all slots
 * @slots: @num of them
 * @stacks: @num_stacks of them; a slot always goes back to the same one
 * @num: how many slots
 * @num_stacks: a power of two
 * @per_stack: slots of one stack, the last ones may have fewer
 * @cancels: slots whose cancel bit was set, each once a generation
 * @drained: what came out of @cancels and was not handed out yet; the
 *	scheduler's own
 * @held_back: slots that were put and are not free yet; the scheduler's own
 * @allocator: of all this
 *
 * Embed it only in what is aligned to FW_LINE (fw_alloc_lines()).
 */
struct fw_slots {
	struct fw_slot *slots;
	struct fw_slot_stack *stacks;
	uint32_t num;
	uint32_t num_stacks;
	uint32_t per_stack;
	struct fw_inbox cancels;
	struct fw_inbox_node *drained FW_LINE_ALIGNED;
	uint32_t held_back;
	const struct fw_allocator *allocator;
};

/**
 * fw_slots_init() - allocate all slots
 * @slots: left alone on failure
 * @num: how many, 1 to FW_SLOTS_MAX
 * @shards: of the free slots and of the cancels, as for fw_inbox_init()
 * @allocator: must outlive the slots
 *
 * Return: 0, -EINVAL for a number out of range, -ENOMEM.
 */
int fw_slots_init(struct fw_slots *slots, uint32_t num, uint32_t shards,
		  const struct fw_allocator *allocator);

/* No other thread may be in a call, nor make one any more. */
void fw_slots_destroy(struct fw_slots *slots);

/**
 * fw_slot_take() - get a free slot
 * @slots: the slots
 *
 * The thread's own shard first, then the others.
 *
 * Context: Any thread. Lock-free, never allocates.
 * Return: The slot, or FW_SLOT_NONE when each shard was empty at the moment
 * that it was looked at.
 */
uint32_t fw_slot_take(struct fw_slots *slots);

/**
 * fw_slot_submit() - make the slot one that can be cancelled
 * @slots: the slots
 * @slot: taken by this thread
 * @owner: what fw_slots_next_cancel() returns for it
 *
 * To be called before the request is pushed to the scheduler.
 *
 * Context: The thread that took it.
 * Return: The handle, never 0.
 */
uint64_t fw_slot_submit(struct fw_slots *slots, uint32_t slot, void *owner);

/**
 * fw_slot_cancel() - ask that a request ends
 * @slots: the slots
 * @handle: from fw_slot_submit(), of any age, or any other number
 *
 * After a 0 return the caller wakes the scheduler.
 *
 * Context: Any thread. Lock-free, never allocates.
 * Return: 0: fw_slot_end() of this request will say that it was cancelled;
 * -EALREADY: another call got 0, or the request is ending; -ENOENT: it has
 * ended, or never was.
 */
int fw_slot_cancel(struct fw_slots *slots, uint64_t handle);

/**
 * fw_slot_move() - change the state of a request that does not end yet
 * @slots: the slots
 * @slot: in state @from
 * @from: SUBMITTED, WAITING or RUNNING
 * @to: the same
 *
 * Context: The scheduler. Wait-free.
 * Return: Whether it has been cancelled. Then end it at once:
 * fw_slots_next_cancel() does not return a request whose cancel it drained
 * before the request arrived.
 */
bool fw_slot_move(struct fw_slots *slots, uint32_t slot,
		  enum fw_slot_state from, enum fw_slot_state to);

/**
 * fw_slot_end() - settle how a request ends
 * @slots: the slots
 * @slot: in state SUBMITTED, WAITING or RUNNING
 *
 * Once for each request. Every later cancel fails; an earlier one that returned
 * 0 is reported here.
 *
 * Context: The scheduler. Wait-free.
 * Return: Whether it was cancelled.
 */
bool fw_slot_end(struct fw_slots *slots, uint32_t slot);

/**
 * fw_slot_put() - give a slot back
 * @slots: the slots
 * @slot: taken and not submitted, by the thread that took it; or ENDING, by
 *	the scheduler
 *
 * Context: As said. Lock-free.
 */
void fw_slot_put(struct fw_slots *slots, uint32_t slot);

/**
 * fw_slots_next_cancel() - a request that was cancelled and has not ended
 * @slots: the slots
 *
 * Each is returned at most once, and only in WAITING or RUNNING. For one in
 * SUBMITTED it is fw_slot_move() that tells, when the request arrives. Call
 * this until it returns NULL: it also frees the slots that were held back.
 *
 * Context: The scheduler.
 * Return: The owner, NULL when there is none.
 */
void *fw_slots_next_cancel(struct fw_slots *slots);

/**
 * fw_slot_state() - where a slot is in its life
 * @slots: the slots
 * @slot: any
 *
 * Context: The scheduler. Exact for slots that are not FREE.
 */
enum fw_slot_state fw_slot_state(const struct fw_slots *slots, uint32_t slot);

/* The slot of a handle; only the same generation means the same request. */
static inline uint32_t fw_slot_of(uint64_t handle)
{
	return (uint32_t)handle;
}

/*
 * Is every slot that is FREE in exactly one stack, and the others in none?
 * Context: No other thread may be in a call, nobody may have taken a slot
 * without submitting it.
 */
bool fw_slots_valid(const struct fw_slots *slots);

#endif
