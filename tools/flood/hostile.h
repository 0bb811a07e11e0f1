/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FLOOD_HOSTILE_H
#define TOOLS_FLOOD_HOSTILE_H

#include <fairway/request.h>

#include "tools/base/rng.h"

/* A tenant that means harm: its number, the first among equals. */
#define HOSTILE_TENANT 0u

/* It cancels this share of what it submits. */
#define HOSTILE_CANCEL 0.5

/**
 * hostile_prompt() - draw what it asks for next
 * @rng: of its producer
 * @req: gets tokens, keys, class and tenant
 *
 * Cheap hits that overtake; prompts of 60,000 tokens that take whole steps and
 * much of the cache; single tokens that take sequences; and keys of the others'
 * documents behind prefixes that are not theirs. Half of it is of the higher
 * class.
 */
void hostile_prompt(struct rng *rng, struct fw_request *req);

#endif
