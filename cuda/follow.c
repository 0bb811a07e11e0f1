/* SPDX-License-Identifier: Apache-2.0 */
#include "follow.h"

#include <errno.h>

#include "lib/base/clock.h"
#include "errors.h"

void fw_cuda_end(struct fw_cuda *cuda, uint64_t turn, bool dead)
{
	struct fw_cuda_slot *slot = fw_cuda_slot_of(cuda, turn);
	struct fw_flight *flight;
	uint64_t expected = turn;
	int status;

	/*
	 * [D2] Acquire: what submit wrote into the slot. Release: a later
	 * submit that finds the turn 0 may write it anew. Only one gets it.
	 */
	if (!atomic_compare_exchange_strong_explicit(&slot->turn, &expected, 0,
						     memory_order_acq_rel,
						     memory_order_relaxed))
		return;
	flight = slot->flight;
	status = dead ? -ENODEV : slot->status;
	if (status)
		fw_cuda_count(&cuda->counters.failed, 1);
	fw_plan_done(flight, status);
	/*
	 * [D1] Release: destroy frees the executor when it sees the last of
	 * these, so nothing is touched afterwards.
	 */
	atomic_fetch_add_explicit(&cuda->reported, 1, memory_order_release);
}

/* By CUDA's own thread; calls nothing of CUDA. */
static void CUDART_CB on_end(void *arg)
{
	struct fw_cuda_ticket *ticket = arg;
	struct fw_cuda *cuda = ticket->cuda;
	uint64_t turn = ticket->turn;

	/* [D3] Release: the ticket was read, and names another plan next. */
	atomic_store_explicit(&ticket->armed, false, memory_order_release);
	fw_cuda_end(cuda, turn, false);
}

/* A ticket whose callback came; NULL when all of them are late. */
static struct fw_cuda_ticket *take_ticket(struct fw_cuda *cuda)
{
	for (uint32_t i = 0; i < FW_CUDA_TICKETS; i++) {
		struct fw_cuda_ticket *ticket =
			&cuda->tickets[cuda->next_ticket];

		cuda->next_ticket = (cuda->next_ticket + 1) % FW_CUDA_TICKETS;
		/* [D3] Acquire: pairs with the release in on_end(). */
		if (!atomic_load_explicit(&ticket->armed, memory_order_acquire))
			return ticket;
	}
	return NULL;
}

static cudaError_t call_back(struct fw_cuda *cuda, uint64_t turn)
{
	struct fw_cuda_ticket *ticket = take_ticket(cuda);
	cudaError_t err;

	/* Which ends the executor: nothing that it is told arrives. */
	if (!ticket)
		return cudaErrorUnknown;
	ticket->turn = turn;
	/* Relaxed: CUDA hands the ticket on by its own means. */
	atomic_store_explicit(&ticket->armed, true, memory_order_relaxed);
	err = cudaLaunchHostFunc(cuda->side, on_end, ticket);
	if (err != cudaSuccess)
		atomic_store_explicit(&ticket->armed, false,
				      memory_order_relaxed);
	return err;
}

void fw_cuda_follow(struct fw_cuda *cuda, struct fw_cuda_slot *slot,
		    uint64_t turn, bool waits)
{
	cudaError_t err = cudaSuccess;

	/* Relaxed, both: the turn below publishes them. */
	atomic_store_explicit(&slot->submitted, fw_clock_now(),
			      memory_order_relaxed);
	atomic_store_explicit(&slot->silent, !waits, memory_order_relaxed);
	/* [D2] Release: the slot is filled. */
	atomic_store_explicit(&slot->turn, turn, memory_order_release);
	/* [D2] Release: who goes through the plans up to this sees the turn. */
	atomic_store_explicit(&cuda->submitted, turn, memory_order_release);
	if (waits)
		err = call_back(cuda, turn);
	if (err != cudaSuccess) {
		fw_cuda_note(cuda, err);
		/* Relaxed: nothing else was written. */
		atomic_store_explicit(&slot->silent, true,
				      memory_order_relaxed);
	}
}
