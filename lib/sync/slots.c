/* SPDX-License-Identifier: Apache-2.0 */
#include "slots.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/thread_number.h"

/* The low half of a slot's word. */
#define STATE_MASK ((uint64_t)7)
#define CANCEL_BIT ((uint64_t)8)

#define TOP_BITS 24
#define TOP_MASK (((uint64_t)1 << TOP_BITS) - 1)

_Static_assert(sizeof(struct fw_slot) == 64, "a cache line each");
_Static_assert(FW_SLOTS_MAX <= TOP_MASK, "a slot plus 1 fits a stack's word");

static uint32_t generation_of(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static enum fw_slot_state state_of(uint64_t word)
{
	return (enum fw_slot_state)(word & STATE_MASK);
}

/* Never 0, so that no handle is 0. */
static uint64_t next_generation(uint64_t word)
{
	uint32_t generation = generation_of(word) + 1;

	return (uint64_t)(generation ? generation : 1) << 32;
}

static uint64_t next_top(uint64_t top, uint32_t link)
{
	return ((top >> TOP_BITS) + 1) << TOP_BITS | link;
}

/* A stack's slots are neighbours, so that shards share no cache line. */
static struct fw_slot_stack *home_of(const struct fw_slots *slots,
				     uint32_t slot)
{
	return &slots->stacks[slot / slots->per_stack];
}

static void init_stack(struct fw_slots *slots, uint32_t stack)
{
	uint64_t first = (uint64_t)stack * slots->per_stack;
	uint64_t end = first + slots->per_stack;
	uint64_t i;

	if (end > slots->num)
		end = slots->num;
	atomic_init(&slots->stacks[stack].top, first < end ? first + 1 : 0);
	for (i = first; i < end; i++) {
		atomic_init(&slots->slots[i].word, next_generation(0));
		atomic_init(&slots->slots[i].below,
			    i + 1 < end ? (uint32_t)i + 2 : 0);
	}
}

int fw_slots_init(struct fw_slots *slots, uint32_t num, uint32_t shards,
		  const struct fw_allocator *allocator)
{
	struct fw_slots made = {.num = num, .allocator = allocator};
	uint32_t i;
	int err;

	if (!num || num > FW_SLOTS_MAX)
		return -EINVAL;
	err = fw_inbox_init(&made.cancels, shards, allocator);
	if (err)
		return err;
	made.num_stacks = made.cancels.num_shards;
	made.per_stack = (num - 1) / made.num_stacks + 1;
	err = -ENOMEM;
	made.stacks = fw_alloc_lines(allocator, made.num_stacks,
				     sizeof(*made.stacks));
	if (!made.stacks)
		goto err_cancels;
	made.slots = fw_alloc_lines(allocator, num, sizeof(*made.slots));
	if (!made.slots)
		goto err_stacks;
	for (i = 0; i < made.num_stacks; i++)
		init_stack(&made, i);
	*slots = made;
	return 0;

err_stacks:
	fw_free_lines(allocator, made.stacks, made.num_stacks,
		      sizeof(*made.stacks));
err_cancels:
	fw_inbox_destroy(&made.cancels);
	return err;
}

void fw_slots_destroy(struct fw_slots *slots)
{
	fw_free_lines(slots->allocator, slots->slots, slots->num,
		      sizeof(*slots->slots));
	fw_free_lines(slots->allocator, slots->stacks, slots->num_stacks,
		      sizeof(*slots->stacks));
	fw_inbox_destroy(&slots->cancels);
}

static uint32_t pop(struct fw_slots *slots, struct fw_slot_stack *stack)
{
	uint64_t top, next;
	uint32_t slot, link;

	/*
	 * [S1] Acquire: pairs with the release in push(). The slot is ours
	 * with all that its last owner did to it.
	 */
	top = atomic_load_explicit(&stack->top, memory_order_acquire);
	do {
		if (!(top & TOP_MASK))
			return FW_SLOT_NONE;
		slot = (uint32_t)(top & TOP_MASK) - 1;
		/*
		 * Relaxed, and worth nothing when somebody else took the slot
		 * meanwhile; then the tag differs.
		 */
		link = atomic_load_explicit(&slots->slots[slot].below,
					    memory_order_relaxed);
		next = next_top(top, link);
	} while (!atomic_compare_exchange_weak_explicit(&stack->top, &top, next,
							memory_order_acquire,
							memory_order_acquire));
	/* The scheduler wrote it last; who takes it next need not wait. */
	if (link)
		__builtin_prefetch(&slots->slots[link - 1], 1);
	return slot;
}

static void push(struct fw_slots *slots, uint32_t slot)
{
	struct fw_slot_stack *stack = home_of(slots, slot);
	uint64_t top;

	/* Relaxed: the top is linked, its slot is not looked at. */
	top = atomic_load_explicit(&stack->top, memory_order_relaxed);
	do {
		atomic_store_explicit(&slots->slots[slot].below,
				      (uint32_t)(top & TOP_MASK),
				      memory_order_relaxed);
		/* [S1] Release: pairs with the acquires in pop(). */
	} while (!atomic_compare_exchange_weak_explicit(&stack->top, &top,
							next_top(top, slot + 1),
							memory_order_release,
							memory_order_relaxed));
}

uint32_t fw_slot_take(struct fw_slots *slots)
{
	uint32_t first = fw_thread_number();
	uint32_t slot = FW_SLOT_NONE;
	uint32_t i;

	for (i = 0; i < slots->num_stacks && slot == FW_SLOT_NONE; i++)
		slot = pop(
			slots,
			&slots->stacks[(first + i) & (slots->num_stacks - 1)]);
	return slot;
}

uint64_t fw_slot_submit(struct fw_slots *slots, uint32_t slot, void *owner)
{
	struct fw_slot *own = &slots->slots[slot];
	uint64_t word;

	/* Relaxed: by [S1] what the slot's last owner left. */
	word = atomic_load_explicit(&own->word, memory_order_relaxed);
	assert(state_of(word) == FW_SLOT_FREE);
	own->owner = owner;
	own->told = false;
	own->ended = false;
	/*
	 * [S2] Release: whoever sets the cancel bit may use the slot's hook,
	 * which its last generation is through with. Pairs with the acquire
	 * in fw_slot_cancel(). A store, since a free slot's word is its
	 * taker's alone.
	 */
	atomic_store_explicit(&own->word, word | FW_SLOT_SUBMITTED,
			      memory_order_release);
	return word | slot;
}

/* May a handle's holder still change this word? 0, -ENOENT, -EALREADY. */
static int cancel_refused(uint64_t word, uint64_t handle)
{
	if (generation_of(word) != generation_of(handle) ||
	    state_of(word) == FW_SLOT_FREE)
		return -ENOENT;
	if ((word & CANCEL_BIT) || state_of(word) == FW_SLOT_ENDING)
		return -EALREADY;
	return 0;
}

int fw_slot_cancel(struct fw_slots *slots, uint64_t handle)
{
	struct fw_slot *slot;
	uint64_t word;
	int err;

	if (fw_slot_of(handle) >= slots->num)
		return -ENOENT;
	slot = &slots->slots[fw_slot_of(handle)];
	/* Relaxed: what it says is believed only if the exchange agrees. */
	word = atomic_load_explicit(&slot->word, memory_order_relaxed);
	do {
		err = cancel_refused(word, handle);
		if (err)
			return err;
		/*
		 * [S2] Acquire: pairs with the release in fw_slot_submit();
		 * the scheduler's changes since then continue its release
		 * sequence. Relaxed on failure, nothing was entered.
		 */
	} while (!atomic_compare_exchange_weak_explicit(&slot->word, &word,
							word | CANCEL_BIT,
							memory_order_acquire,
							memory_order_relaxed));
	/*
	 * Having set the bit, this thread alone pushes the hook in this
	 * generation, and the generation lasts until the hook was drained.
	 */
	fw_inbox_push(&slots->cancels, &slot->cancelled);
	return 0;
}

/* The scheduler changes the state beside cancels that set their bit. */
static bool change_state(struct fw_slot *slot, enum fw_slot_state from,
			 enum fw_slot_state to)
{
	uint64_t old;

	/*
	 * Relaxed: the bit publishes nothing. What a canceller leaves in the
	 * slot comes by the inbox of cancels.
	 */
	old = atomic_fetch_xor_explicit(&slot->word, (uint64_t)(from ^ to),
					memory_order_relaxed);
	assert(state_of(old) == from);
	return old & CANCEL_BIT;
}

bool fw_slot_move(struct fw_slots *slots, uint32_t slot,
		  enum fw_slot_state from, enum fw_slot_state to)
{
	assert(from != FW_SLOT_FREE && from != FW_SLOT_ENDING);
	assert(to != FW_SLOT_FREE && to != FW_SLOT_ENDING);
	return change_state(&slots->slots[slot], from, to);
}

bool fw_slot_end(struct fw_slots *slots, uint32_t slot)
{
	enum fw_slot_state state = fw_slot_state(slots, slot);

	assert(state != FW_SLOT_FREE && state != FW_SLOT_ENDING);
	return change_state(&slots->slots[slot], state, FW_SLOT_ENDING);
}

/* Nobody else changes the word now: no cancel has an effect in this state. */
static void free_slot(struct fw_slots *slots, uint32_t slot)
{
	struct fw_slot *own = &slots->slots[slot];
	uint64_t word;

	/* Relaxed both: published by [S1], to the next owner. */
	word = atomic_load_explicit(&own->word, memory_order_relaxed);
	atomic_store_explicit(&own->word, next_generation(word) | FW_SLOT_FREE,
			      memory_order_relaxed);
	push(slots, slot);
}

void fw_slot_put(struct fw_slots *slots, uint32_t slot)
{
	struct fw_slot *own = &slots->slots[slot];
	/* Relaxed: the state is the caller's own, the bit publishes nothing. */
	uint64_t word = atomic_load_explicit(&own->word, memory_order_relaxed);

	if (state_of(word) == FW_SLOT_ENDING && (word & CANCEL_BIT) &&
	    !own->told) {
		own->ended = true;
		slots->held_back++;
		return;
	}
	free_slot(slots, slot);
}

/* Take the first drained node, if there is one. */
static struct fw_slot *pop_drained(struct fw_slots *slots)
{
	struct fw_inbox_node *node = slots->drained;
	uint32_t i;

	for (i = 0; !node && i < slots->cancels.num_shards; i++)
		node = fw_inbox_drain(&slots->cancels, i);
	if (!node)
		return NULL;
	slots->drained = node->next;
	return container_of(node, struct fw_slot, cancelled);
}

void *fw_slots_next_cancel(struct fw_slots *slots)
{
	struct fw_slot *slot;
	uint32_t index;

	while ((slot = pop_drained(slots))) {
		index = (uint32_t)(slot - slots->slots);
		slot->told = true;
		switch (fw_slot_state(slots, index)) {
		case FW_SLOT_WAITING:
		case FW_SLOT_RUNNING:
			return slot->owner;
		default:
			break;
		}
		if (slot->ended) {
			slots->held_back--;
			free_slot(slots, index);
		}
	}
	return NULL;
}

enum fw_slot_state fw_slot_state(const struct fw_slots *slots, uint32_t slot)
{
	/* Relaxed: the state is the caller's own. */
	return state_of(atomic_load_explicit(&slots->slots[slot].word,
					     memory_order_relaxed));
}

/* Follow a stack; each of its slots must be FREE and its own. */
static bool count_stack(const struct fw_slots *slots, uint32_t stack,
			uint32_t *num)
{
	uint32_t link =
		(uint32_t)(atomic_load(&slots->stacks[stack].top) & TOP_MASK);

	for (; link; link = atomic_load(&slots->slots[link - 1].below)) {
		if (link > slots->num || ++*num > slots->num ||
		    fw_slot_state(slots, link - 1) != FW_SLOT_FREE ||
		    home_of(slots, link - 1) != &slots->stacks[stack])
			return false;
	}
	return true;
}

bool fw_slots_valid(const struct fw_slots *slots)
{
	uint32_t linked = 0;
	uint32_t free = 0;
	uint32_t i;

	for (i = 0; i < slots->num_stacks; i++)
		if (!count_stack(slots, i, &linked))
			return false;
	for (i = 0; i < slots->num; i++)
		free += fw_slot_state(slots, i) == FW_SLOT_FREE;
	/* Each stack is free of loops and every slot has one home. */
	return linked == free;
}
