/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_SYNC_CALLS_H
#define LIB_SYNC_CALLS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/alloc.h"
#include "lib/base/compiler.h"
#include "lib/base/thread_number.h"

/*
 * Calls: how many threads are inside of an object. The thread that closes it
 * learns here when they have left. The counts stand in shards, so a call costs
 * two locked instructions on a line that few threads share. An RCU reader of
 * liburcu costs four times as much in a shared library, where its thread's
 * data is found through the dynamic linker.
 *
 *	a call				who closes
 *	fw_calls_enter(calls);		store that it closes;
 *	look whether it closes;		fw_calls_left(calls, &from)
 *	...
 *	fw_calls_exit(calls);
 *
 * Each side writes first and then looks at what the other wrote. All four
 * operations are sequentially consistent [C1], so either the call sees that
 * the object closes, or the closing thread sees the call.
 *
 * Progress: enter and exit are wait-free. A thread that is stopped inside
 * holds back the thread that closes, nobody else.
 *
 * Nothing of the object may be touched after fw_calls_exit(), not even by the
 * same call: it may be freed by then.
 */

/**
 * struct fw_call_shard - what some of the threads count
 * @inside: written by them
 */
struct fw_call_shard {
	_Atomic uint64_t inside;
} FW_LINE_ALIGNED;

/**
 * struct fw_calls - all shards
 * @shards: @num of them, a power of two
 * @num: how many
 * @allocator: of @shards
 */
struct fw_calls {
	struct fw_call_shard *shards;
	uint32_t num;
	const struct fw_allocator *allocator;
};

/**
 * fw_calls_init() - nobody is inside
 * @calls: left alone on failure
 * @shards: a power of two
 * @allocator: must outlive it
 *
 * Return: 0, -ENOMEM.
 */
static inline int fw_calls_init(struct fw_calls *calls, uint32_t shards,
				const struct fw_allocator *allocator)
{
	struct fw_call_shard *made =
		fw_alloc_lines(allocator, shards, sizeof(*made));

	if (!made)
		return -ENOMEM;
	for (uint32_t i = 0; i < shards; i++)
		atomic_init(&made[i].inside, 0);
	*calls = (struct fw_calls){made, shards, allocator};
	return 0;
}

static inline void fw_calls_destroy(struct fw_calls *calls)
{
	fw_free_lines(calls->allocator, calls->shards, calls->num,
		      sizeof(*calls->shards));
}

static inline struct fw_call_shard *fw_calls_shard(const struct fw_calls *calls)
{
	return &calls->shards[fw_thread_number() & (calls->num - 1)];
}

/*
 * From here to fw_calls_exit() nothing is freed, if the call then finds that
 * the object does not close. Calls nest. Context: Any thread.
 */
static inline void fw_calls_enter(const struct fw_calls *calls)
{
	/* [C1] Comes before this call's look whether the object closes. */
	atomic_fetch_add_explicit(&fw_calls_shard(calls)->inside, 1,
				  memory_order_seq_cst);
}

static inline void fw_calls_exit(const struct fw_calls *calls)
{
	/*
	 * [C2] Release: all that this call did comes before what the closing
	 * thread does after fw_calls_left(), whose load acquires.
	 */
	atomic_fetch_sub_explicit(&fw_calls_shard(calls)->inside, 1,
				  memory_order_release);
}

/**
 * fw_calls_left() - has every call ended that began before the close?
 * @calls: the calls
 * @from: 0 at first; keeps how many shards were found empty, in and out
 *
 * A shard counts once it was empty once. So calls that come later, see the
 * close and leave do not hold this back for ever.
 *
 * Context: One thread, after the sequentially consistent store that says that
 * the object closes. Never waits.
 */
static inline bool fw_calls_left(const struct fw_calls *calls, uint32_t *from)
{
	/*
	 * [C1] Comes after that store. [C2] It acquires as well: what the calls
	 * of an empty shard did comes before what follows.
	 */
	while (*from < calls->num &&
	       !atomic_load_explicit(&calls->shards[*from].inside,
				     memory_order_seq_cst))
		++*from;
	return *from == calls->num;
}

#endif
