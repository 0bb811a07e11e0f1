/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include "call.h"
#include "runtime.h"

void fw_raise_state(struct fw *fw, enum fw_state state)
{
	/* Relaxed: the exchange below decides. */
	uint32_t old = atomic_load_explicit(&fw->state, memory_order_relaxed);

	/*
	 * [G1] [C1] Sequentially consistent, since fw_gate_wake() or a look
	 * at the calls follows.
	 */
	while (old < state &&
	       !atomic_compare_exchange_weak_explicit(&fw->state, &old, state,
						      memory_order_seq_cst,
						      memory_order_relaxed))
		;
}

/* Set a flag that the scheduler looks at before it sleeps. */
static void ask(struct fw *fw, _Atomic bool *flag)
{
	/* [G1] Comes before the look at the gate. [P1] And it releases. */
	atomic_store_explicit(flag, true, memory_order_seq_cst);
	fw_gate_wake(&fw->gate);
}

int fw_stop(struct fw *fw)
{
	int ret = fw_call_enter(fw);

	if (ret)
		return ret;
	ask(fw, &fw->stopped);
	return fw_call_exit(fw, 0);
}

int fw_poke(struct fw *fw)
{
	int ret = fw_call_enter(fw);

	if (ret)
		return ret;
	ask(fw, &fw->poked);
	return fw_call_exit(fw, 0);
}

int fw_quiesce(struct fw *fw)
{
	int ret = fw_call_enter(fw);

	if (ret)
		return ret;
	fw_raise_state(fw, FW_STATE_QUIESCED);
	/* In the same call: once it is left, another thread may close. */
	ask(fw, &fw->poked);
	return fw_call_exit(fw, 0);
}

bool fw_producers_gone(struct fw *fw)
{
	enum fw_state state = fw_state(fw);

	/* A new state begins a new look. */
	if (fw->left_as != state)
		fw->left = fw->left_calls = 0;
	fw->left_as = state;
	fw->gone = fw_calls_left(&fw->submits, &fw->left);
	/* Only submissions bring requests. A close frees under all calls. */
	if (fw->gone && state == FW_STATE_CLOSING)
		fw->gone = fw_calls_left(&fw->calls, &fw->left_calls);
	/* The index is about to be freed: its readers must be gone as well. */
	if (fw->gone && state == FW_STATE_CLOSING)
		fw->gone = fw_index_settled(fw->index);
	return fw->gone;
}
