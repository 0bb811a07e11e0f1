/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#define POLICY_ADDRESS(name) &policy_##name,

const struct policy *const policy_registry[NUM_POLICIES] = {
	POLICIES(POLICY_ADDRESS)};
