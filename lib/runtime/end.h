/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_END_H
#define LIB_RUNTIME_END_H

#include <fairway/runtime.h>

/*
 * The end of a request: one place, so that each ends exactly once.
 */

struct fw_ticket;

/**
 * fw_end() - a request ends: give it back and call its owner
 * @fw: the runtime
 * @ticket: in no queue and no plan
 * @result: outcome, reason and what else is known; a cancel that was promised
 *	overrides it
 *
 * Context: The owner.
 */
void fw_end(struct fw *fw, struct fw_ticket *ticket, struct fw_result *result);

/* End all that wait. Context: The owner. */
void fw_end_waiting(struct fw *fw, enum fw_outcome outcome,
		    enum fw_reason reason);

#endif
