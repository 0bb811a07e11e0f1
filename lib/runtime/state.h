/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_STATE_H
#define LIB_RUNTIME_STATE_H

#include <stdbool.h>

/*
 * Does the runtime take submissions, what was the scheduler asked to do, and
 * who may still be inside of a call?
 */

struct fw;

/**
 * enum fw_state - does the runtime take submissions?
 * @FW_STATE_OPEN: yes
 * @FW_STATE_QUIESCED: no; what it has goes on to its end
 * @FW_STATE_BROKEN: no; the executor is gone and every request fails
 * @FW_STATE_CLOSING: no; every request is cancelled
 */
enum fw_state {
	FW_STATE_OPEN,
	FW_STATE_QUIESCED,
	FW_STATE_BROKEN,
	FW_STATE_CLOSING,
};

/* Let the state rise to @state. Context: Any thread. */
void fw_raise_state(struct fw *fw, enum fw_state state);

/**
 * fw_producers_gone() - has every call ended that saw an older state?
 * @fw: the runtime, in a state other than OPEN
 *
 * The first time that this is asked in a state, it begins to look; so ask
 * again while the answer is no. In CLOSING the index's readers count too.
 *
 * Context: The owner. Never waits.
 */
bool fw_producers_gone(struct fw *fw);

#endif
