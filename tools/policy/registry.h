/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_REGISTRY_H
#define TOOLS_POLICY_REGISTRY_H

#include "policy.h"

/*
 * One line for each policy, in the order in which `all` takes them. Each is
 * the struct policy_NAME of a file of its own.
 */
#define POLICIES(policy)                                                      \
	policy(fcfs) policy(lpm) policy(klpm) policy(ragcache) policy(preble) \
		policy(peek) policy(hrrn) policy(spf) policy(rsjf)            \
			policy(uniboost) policy(fairway) policy(srpf)

#define POLICY_DECLARE(name) extern const struct policy policy_##name;
POLICIES(POLICY_DECLARE)

#define POLICY_COUNT(name) +1
enum {
	NUM_POLICIES = POLICIES(POLICY_COUNT)
};

/* All of them, in this order. */
extern const struct policy *const policy_registry[NUM_POLICIES];

#endif
