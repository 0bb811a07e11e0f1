/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_WAITING_H
#define LIB_RUNTIME_WAITING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Entering and leaving the queue: a request that waits stands in the queue,
 * in the index, which tells of its hit, and, with a max_wait, among the
 * deadlines. All of it is the owner's.
 */

struct fw;
struct fw_request;
struct fw_ticket;

/* Queue a request that no lane holds. Return: 0, -ENOMEM. */
int fw_enqueue(struct fw *fw, struct fw_ticket *ticket);

/* Take a waiting one out of queue, index and deadlines. */
void fw_dequeue(struct fw *fw, struct fw_ticket *ticket);

/*
 * It was admitted: it cannot expire any more. It still rises to higher classes
 * where requests pause.
 */
void fw_waits_no_more(struct fw *fw, struct fw_ticket *ticket);

/* Nor does it rise to a higher class any more. */
void fw_rises_no_more(struct fw *fw, struct fw_ticket *ticket);

/* Raise each request that was in its class for class_max_wait. */
void fw_age(struct fw *fw);

/*
 * Reserve a place of max_waiting, and of the bounds of its tenant and its
 * class. Any thread.
 */
bool fw_reserve_place(struct fw *fw, const struct fw_request *req);
void fw_unreserve_place(struct fw *fw, const struct fw_request *req);

/* Give back its place of max_waiting and its bytes, unless it has. */
void fw_release_place(struct fw *fw, struct fw_ticket *ticket);

/* The index's callback: a waiting request's hit is now @blocks blocks. */
void fw_on_hit(void *ctx, struct fw_request *req, uint32_t blocks);

/* Who expires next? NULL when nobody does. */
struct fw_ticket *fw_first_to_expire(const struct fw *fw);

/* When is that? Nanoseconds of the runtime's clock, INT64_MAX for never. */
int64_t fw_next_deadline(const struct fw *fw);

#endif
