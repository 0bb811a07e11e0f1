/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CUDA_LOCKSTEP_H
#define TESTS_UNIT_CUDA_LOCKSTEP_H

#include <fairway/executor.h>

/*
 * Another executor in virtual time: plans go to it at once, up to its depth,
 * and it computes them when it likes. Their ends are handed on one by one, when
 * the runtime has nothing else to do. So a run's course depends on what the
 * executor did, and not on when.
 */

struct lockstep;

/* Takes @inner over. */
struct lockstep *lockstep_open(const struct fw_executor *inner,
			       struct fw_executor *out);

/* Plans so far. */
uint64_t lockstep_plans(const struct lockstep *step);

#endif
