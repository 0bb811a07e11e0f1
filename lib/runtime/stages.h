/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_STAGES_H
#define LIB_RUNTIME_STAGES_H

#include <stdint.h>

/*
 * The stages of a step, in their order; all by the owner. Those that take
 * something over say how many.
 */

struct fw;

/* Plans that ended. complete.c */
uint32_t fw_take_completions(struct fw *fw);

/* What the engine's cache stored and removed. events.c */
uint32_t fw_take_events(struct fw *fw);

/* Cancels, arrivals, limits on the wait. ingest.c */
uint32_t fw_take_cancels(struct fw *fw);
uint32_t fw_take_arrivals(struct fw *fw);
uint32_t fw_expire(struct fw *fw);

/* Give the plan that was just made to the executor. complete.c */
void fw_submit_plan(struct fw *fw);

/* Put into the counters what queue and pool count themselves. stats.c */
void fw_show_queue(struct fw *fw);

#endif
