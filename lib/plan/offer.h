/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_PLAN_OFFER_H
#define LIB_PLAN_OFFER_H

#include "planner.h"

/**
 * fw_offer() - admit a waiting request, if it may be
 * @planner: has a token and a sequence left
 * @req: what the order gave; it has not begun
 *
 * It takes its blocks, becomes a sequence and gets its first chunk.
 *
 * Return: 0: the next one may be offered. -ENOSPC: no other that waits may.
 * -ENOMEM: there is no memory for its block table; @starved tells who it is.
 */
int fw_offer(struct fw_planner *planner, struct fw_request *req);

#endif
