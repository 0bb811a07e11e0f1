/* SPDX-License-Identifier: Apache-2.0 */
#include <fairway/runtime.h>

#include <errno.h>

#include "lib/base/clock.h"
#include "lib/base/compiler.h"
#include "lib/base/probes.h"
#include "call.h"
#include "waiting.h"

static bool request_valid(const struct fw *fw, const struct fw_request *req)
{
	const uint64_t *r = req->reserved;
	uint64_t tail = r[0] | r[1] | r[2] | r[3] | r[4] | r[5] | r[6] |
			req->flags | req->reserved32;

	_Static_assert(ARRAY_SIZE(req->reserved) == 7, "all of them");
	return req->len && req->len <= INT32_MAX && !tail &&
	       req->max_wait >= 0 && req->priority < fw->config.num_classes &&
	       (uint64_t)req->num_keys * fw->config.block_tokens <= req->len &&
	       (req->keys || !req->num_keys);
}

static int64_t stamp(const struct fw *fw, const struct fw_request *req)
{
	if (fw->config.flags & FW_OWN_ARRIVAL)
		return req->arrival;
	/* Of an executor's own clock: the step that takes it over says. */
	if (fw->executor.ops->now)
		return 0;
	return fw_clock_now();
}

static uint64_t bytes_of(const struct fw_request *req)
{
	return sizeof(*req) + req->num_keys * sizeof(*req->keys);
}

/* Reserve a place in the queue and a slot. Return: slot, FW_SLOT_NONE. */
static uint32_t reserve(struct fw *fw, const struct fw_request *req,
			uint64_t bytes)
{
	uint32_t slot;

	if (!fw_reserve_place(fw, req))
		return FW_SLOT_NONE;
	if (bytes && !fw_bound_reserve(&fw->num_bytes, bytes))
		goto err_waiting;
	slot = fw_slot_take(&fw->slots);
	if (slot == FW_SLOT_NONE)
		goto err_bytes;
	return slot;

err_bytes:
	/* Relaxed: a figure. The bounds count all other refusals themselves. */
	atomic_fetch_add_explicit(&fw->num_waiting.refused, 1,
				  memory_order_relaxed);
	fw_bound_release(&fw->num_bytes, bytes);
err_waiting:
	fw_unreserve_place(fw, req);
	return FW_SLOT_NONE;
}

/* Look up the prefix here, so that the scheduler need not. */
static uint32_t match(const struct fw *fw, const struct fw_request *req)
{
	if (!(fw->config.flags & FW_MATCH_AT_SUBMIT))
		return FW_HINT_NONE;
	return fw_index_match(fw->index, req->keys, req->num_keys);
}

/* From here on nothing fails. */
static void hand_over(struct fw *fw, uint32_t slot, uint64_t bytes,
		      struct fw_request *req, uint64_t *handle)
{
	struct fw_ticket *ticket = &fw->tickets[slot];
	int64_t arrival;
	uint64_t name;

	/* Reading the clock takes about as long as fetching that line. */
	__builtin_prefetch(ticket, 1);
	arrival = stamp(fw, req);
	ticket->req = req;
	ticket->bytes = bytes;
	ticket->hint = match(fw, req);
	ticket->retries = 0;
	ticket->admitted = 0;
	ticket->queued = true;
	ticket->arrival = arrival;
	req->arrival = arrival;
	fw_entry(req)->ticket = slot + 1;
	name = fw_slot_submit(&fw->slots, slot, ticket);
	if (handle)
		*handle = name;
	/* From the push on the request is the scheduler's. */
	fw_probe_submit(name, req->id, req->len);
	/* [I1] publishes the ticket, the request and its handle. */
	fw_inbox_push(&fw->inbox, &ticket->arrived);
	fw_gate_wake(&fw->gate);
}

/*
 * Does this runtime have the request already? Its ticket is 0 unless it does,
 * or its priv holds anything, which the ticket itself tells apart.
 */
static bool is_ours(const struct fw *fw, const struct fw_request *req)
{
	uint32_t ticket = fw_entry_const(req)->ticket;

	return ticket && ticket <= fw->slots.num &&
	       fw->tickets[ticket - 1].req == req;
}

static int submit(struct fw *fw, struct fw_request *req, uint64_t *handle)
{
	uint64_t bytes = fw->config.max_bytes ? bytes_of(req) : 0;
	uint32_t slot;

	if (!request_valid(fw, req))
		return -EINVAL;
	if (fw_state(fw) != FW_STATE_OPEN)
		return -ESHUTDOWN;
	if (is_ours(fw, req))
		return -EBUSY;
	slot = reserve(fw, req, bytes);
	if (slot == FW_SLOT_NONE)
		return -EAGAIN;
	hand_over(fw, slot, bytes, req, handle);
	return 0;
}

int fw_submit(struct fw *fw, struct fw_request *req, uint64_t *handle)
{
	int ret;

	if (fw_rcu_forked())
		return -ECHILD;
	fw_calls_enter(&fw->submits);
	ret = submit(fw, req, handle);
	fw_calls_exit(&fw->submits);
	return ret;
}

int fw_cancel(struct fw *fw, uint64_t handle)
{
	int ret = fw_call_enter(fw);

	if (ret)
		return ret;
	ret = fw_slot_cancel(&fw->slots, handle);
	if (!ret)
		fw_gate_wake(&fw->gate);
	fw_probe_cancel(handle, ret);
	return fw_call_exit(fw, ret);
}

void fw_thread_attach(void)
{
	fw_rcu_attach();
}
