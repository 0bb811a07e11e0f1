/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_SYNC_GATE_H
#define LIB_SYNC_GATE_H

#include <stdatomic.h>
#include <stdint.h>

#include "lib/base/compiler.h"

/*
 * Gate: where one consumer sleeps until a producer has something for it.
 *
 *	consumer			producer, any number
 *	fw_gate_prepare(gate);		fw_inbox_push(inbox, node);
 *	if (fw_inbox_empty(inbox))	fw_gate_wake(gate);
 *		fw_gate_wait(gate, ns);
 *	else
 *		fw_gate_cancel(gate);
 *
 * Each side writes first and then looks at what the other wrote. So one of them
 * sees the other: the consumer finds the node, or the producer finds the
 * sleeper. That needs one total order of all four operations [G1]; they are
 * sequentially consistent, and there is no fence. On x86 the producer's write
 * is the locked instruction of its push, which it pays for anyway. Its look is
 * a plain load of a line that nobody writes while the consumer is busy.
 *
 * Anything else that the consumer looks at before it sleeps, such as a flag
 * that says stop, must be written and read sequentially consistently as well.
 *
 * Progress: wake is wait-free. A producer that is stopped at any instruction
 * of it keeps nobody else from waking the consumer. Until the consumer itself
 * runs, the state is ASLEEP or WOKEN, and in both a producer calls the kernel.
 */

/**
 * enum fw_gate_state - what the consumer does, as producers see it
 * @FW_GATE_BUSY: runs, and will look at the inbox before it sleeps
 * @FW_GATE_ASLEEP: sleeps or is about to
 * @FW_GATE_WOKEN: a producer wants it to run, and may or may not have told
 *	the kernel yet
 */
enum fw_gate_state {
	FW_GATE_BUSY,
	FW_GATE_ASLEEP,
	FW_GATE_WOKEN,
};

/**
 * struct fw_gate - the gate
 * @state: one of enum fw_gate_state, and the futex. Written by the consumer;
 *	by producers from ASLEEP to WOKEN only
 */
struct fw_gate {
	_Atomic uint32_t state;
} FW_LINE_ALIGNED;

void fw_gate_init(struct fw_gate *gate);

/* Nobody may sleep or wake any more. */
void fw_gate_destroy(struct fw_gate *gate);

/**
 * fw_gate_prepare() - say that the consumer is about to sleep
 * @gate: the gate
 *
 * Look at what there is to do after this, then wait or cancel.
 *
 * Context: The consumer.
 */
void fw_gate_prepare(struct fw_gate *gate);

/* There was something to do after all. Context: The consumer. */
void fw_gate_cancel(struct fw_gate *gate);

/**
 * fw_gate_wait() - sleep until woken
 * @gate: prepared
 * @timeout_ns: at most so long; below 0 without end
 *
 * Signals do not end the sleep. The consumer is busy again on return.
 *
 * Context: The consumer.
 * Return: 0 when woken, -ETIMEDOUT.
 */
int fw_gate_wait(struct fw_gate *gate, int64_t timeout_ns);

/* The consumer was not busy: fw_gate_wake()'s way through the kernel. */
void fw_gate_wake_slow(struct fw_gate *gate);

/**
 * fw_gate_wake() - wake the consumer if it sleeps
 * @gate: the gate
 *
 * To be called after the sequentially consistent write of what there is to do.
 * While the consumer is busy this is one load. Between being woken and running,
 * every call goes to the kernel: the first caller may have been stopped on its
 * way there.
 *
 * Context: Any thread.
 */
static inline void fw_gate_wake(struct fw_gate *gate)
{
	/* [G1] Sequentially consistent: stands after the push. */
	if (atomic_load_explicit(&gate->state, memory_order_seq_cst) !=
	    FW_GATE_BUSY)
		fw_gate_wake_slow(gate);
}

#endif
