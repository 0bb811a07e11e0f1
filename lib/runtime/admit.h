/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_ADMIT_H
#define LIB_RUNTIME_ADMIT_H

/*
 * Admission and what follows it: the planner's callbacks, with the runtime as
 * their ctx.
 */

struct fw_request;
struct fw_sequence;

void fw_on_admitted(void *ctx, const struct fw_sequence *seq);
void fw_on_refused(void *ctx, struct fw_request *req);

/* A sequence ended; one that a plan failed may go back to the queue. */
void fw_on_ended(void *ctx, const struct fw_sequence *seq);

#endif
