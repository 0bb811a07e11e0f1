/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_LPM_H
#define TOOLS_POLICY_LPM_H

#include "ops.h"

/* Longest prefix match, in three forms behind one name. */

/* Tokens that make a hit, or a shared prefix, worth speaking of. */
#define LPM_DEDUPE_TOKENS 32u

/**
 * struct lpm_args - the flags of lpm
 * @limit: with more waiting the queue is not sorted; 0 off
 * @dedupe: all but the first of a cold shared prefix go last
 */
struct lpm_args {
	uint32_t limit;
	bool dedupe;
};

int lpm_create(void **policy, const struct policy_spec *spec,
	       const struct policy_env *env);

/* They stand for lpm with these flags. */
extern const struct policy policy_lpm_limit;
extern const struct policy policy_lpm_dedupe;

#endif
