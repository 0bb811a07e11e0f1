/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_SYNC_RCU_H
#define LIB_SYNC_RCU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Readers that never wait, and owners that never wait for readers.
 *
 * This file alone knows the flavour of liburcu: bp. The threads that read are
 * our callers'. They come and go and need not tell us: bp registers a thread at
 * its first read and forgets it when it ends. A read costs one load more than
 * with the flavour memb.
 *
 * Who may call what at once:
 *
 *	fw_rcu_read_lock, _unlock, fw_rcu_attach	any thread, at any time
 *	fw_rcu_open					any thread, at any time
 *	fw_rcu_grace_*					the grace period's owner
 *
 * Reading takes no lock and is wait-free, except for a thread's first read,
 * which takes liburcu's registry lock. Starting a grace period never waits: a
 * helper thread of liburcu, which fw_rcu_open() starts, waits for the readers.
 *
 * What readers follow is published by fw_rcu_publish() and read by
 * fw_rcu_read(): release and acquire, not liburcu's macros, which
 * ThreadSanitizer does not understand.
 *
 * fork(): a child does not have the helper thread, and liburcu still counts the
 * readers that were inside when it was forked. So in a child fw_rcu_open() is
 * refused, and no grace period that it starts is ever over. Code that never
 * calls fw_rcu_open() is not concerned.
 */

#define fw_rcu_publish(ptr, value) \
	atomic_store_explicit((ptr), (value), memory_order_release)
#define fw_rcu_read(ptr) atomic_load_explicit((ptr), memory_order_acquire)

/**
 * struct fw_rcu_grace - one grace period at a time
 * @head: liburcu's
 * @born: how many forks lay behind this process when it was started
 * @running: started and not yet over; set by the owner, cleared by the helper
 *
 * Must stay where it is until it is over.
 */
struct fw_rcu_grace {
	void *head[4];
	unsigned int born;
	_Atomic bool running;
};

/**
 * fw_rcu_open() - let there be grace periods in this process
 *
 * Starts liburcu's helper thread, unless it runs, with all signals blocked.
 *
 * Return: 0; -ECHILD in a child of a process that had called it.
 */
int fw_rcu_open(void);

/* Is this a child of a process that had called fw_rcu_open()? */
bool fw_rcu_forked(void);

/* Register this thread, so that its first read takes no lock. */
void fw_rcu_attach(void);

/* What is read between the two is not freed before the second. They nest. */
void fw_rcu_read_lock(void);
void fw_rcu_read_unlock(void);

/**
 * fw_rcu_grace_start() - wait for all who read now, in the background
 * @grace: not running
 *
 * Context: Its owner, after fw_rcu_open(). Never waits, allocates nothing.
 */
void fw_rcu_grace_start(struct fw_rcu_grace *grace);

/* Have all readers left who read when it started? True if it never did. */
bool fw_rcu_grace_over(const struct fw_rcu_grace *grace);

#endif
