/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_ID_TEXT_H
#define TOOLS_TRACE_ID_TEXT_H

#include <stdint.h>

#include "tools/base/span.h"

/**
 * id_of_number() - a block id that is written as a number
 * @text: an integer of JSON
 *
 * One of 64 bits, signed or not, keeps its bits; a longer one is hashed.
 */
uint64_t id_of_number(struct span text);

/* An id that is a text, hashed to 64 bits, never to 0. */
uint64_t id_of_text(struct span text);

/* A tenant: a whole number of 64 bits is itself, any other text is hashed. */
uint64_t id_of_tenant(struct span text);

#endif
