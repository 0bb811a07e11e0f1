/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_STREAM_H
#define CUDA_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include <fairway/cuda.h>

#include "layout.h"

/*
 * The executor: one stream for the work, and one beside it for what tells the
 * host, since a host function on the work's own stream would stop it.
 *
 * A plan goes through these hands:
 *
 *	submit		scheduler	fills a slot, puts copy, tables, launch
 *					and event on the stream, then the
 *					callback behind that event on the side
 *	callback	CUDA's thread	reports; calls nothing of CUDA
 *	watcher		its own		reports what has no callback: one was
 *					lost or refused, or the device is dead
 *
 * Who takes the slot's turn by compare-and-swap reports the plan, so each is
 * reported once. Scheduler and watcher write apart; the lock is only for the
 * watcher's sleep.
 */

/* Callbacks that may be late at once. Then the device counts as dead. */
enum {
	FW_CUDA_TICKETS = 64
};

/**
 * struct fw_cuda_slot - room for one plan in flight
 * @turn: number of the plan in flight, 0 while there is none
 * @silent: no callback will come: the watcher reports
 * @recorded: @end is behind the plan on the stream; if not, the watcher sees
 *	to it
 * @timed: both events were recorded when the plan was submitted
 * @status: of what was put on the stream
 * @submitted: when, nanoseconds of CLOCK_MONOTONIC
 * @flight: to report by
 * @host: pinned, of layout.host_size bytes
 * @device: the same on the device
 * @begin: event before the plan's work
 * @end: event behind it
 */
struct fw_cuda_slot {
	_Atomic uint64_t turn;
	atomic_bool silent;
	atomic_bool recorded;
	bool timed;
	int status;
	_Atomic int64_t submitted;
	struct fw_flight *flight;
	unsigned char *host;
	unsigned char *device;
	cudaEvent_t begin;
	cudaEvent_t end;
};

/**
 * struct fw_cuda_ticket - what a callback is handed
 * @armed: it may still come, so the ticket names no other plan
 * @cuda: the executor
 * @turn: the plan
 *
 * A slot is used again when its plan ended. A late callback of the plan before
 * must not end the new one, so it does not go by the slot.
 */
struct fw_cuda_ticket {
	atomic_bool armed;
	struct fw_cuda *cuda;
	uint64_t turn;
};

/* Counters of struct fw_cuda_stats; relaxed, no number depends on another. */
struct fw_cuda_counters {
	_Atomic uint64_t refused;
	_Atomic uint64_t failed;
	_Atomic uint64_t timed;
	_Atomic uint64_t device_ns;
	_Atomic uint64_t device_max_ns;
	_Atomic uint64_t idle_ns;
	_Atomic uint64_t submit_ns;
	_Atomic uint64_t launch_ns;
	_Atomic uint64_t bytes;
	_Atomic uint64_t table_entries;
	_Atomic uint64_t lost;
	_Atomic uint64_t errors;
	_Atomic int last_error;
};

/**
 * struct fw_cuda - the executor
 * @config: settings, defaults filled in
 * @allocator: of the arrays and of this struct
 * @layout: of a slot, and what the device's tables hold
 * @stream: the work
 * @side: the callbacks
 * @slots: num_slots of them: one more than plans in flight, so that the times
 *	between a plan and the next can be read before either is used again
 * @num_slots: how many
 * @tickets: FW_CUDA_TICKETS of them
 * @next_ticket: where to look first
 * @host: pinned, all slots' parts
 * @device: the same on the device
 * @tables: on the device
 * @collected: plans whose times were read; the scheduler's
 * @idle_next: before the one behind them; the scheduler's
 * @submitted: plans taken; written by the scheduler
 * @reported: plans ended; fw_plan_done() has returned for each
 * @dead: the device will never compute again
 * @lock: protects the fields below
 * @wake: signalled for the watcher
 * @stop: the watcher ends when all is reported
 * @asleep: it waits for a plan
 * @watcher: the thread, which alone uses the fields below
 * @oldest: no plan before this one is in flight
 * @seen: when the oldest plan was first seen as ended, 0 before
 * @passed: when a plan was last seen to end
 * @misses: calls in a row that failed
 * @hung: the device did not end a plan in time, so it may still be at it
 */
struct fw_cuda {
	struct fw_cuda_config config;
	struct fw_allocator allocator;
	struct fw_cuda_layout layout;
	cudaStream_t stream;
	cudaStream_t side;
	struct fw_cuda_slot *slots;
	uint32_t num_slots;
	struct fw_cuda_ticket *tickets;
	uint32_t next_ticket;
	unsigned char *host;
	unsigned char *device;
	uint32_t *tables;
	uint64_t collected;
	int64_t idle_next;
	struct fw_cuda_counters counters;
	_Atomic uint64_t submitted;
	_Atomic uint64_t reported;
	atomic_bool dead;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
	bool asleep;
	pthread_t watcher;
	uint64_t oldest;
	int64_t seen;
	int64_t passed;
	uint32_t misses;
	bool hung;
};

static inline struct fw_cuda_slot *fw_cuda_slot_of(struct fw_cuda *cuda,
						   uint64_t turn)
{
	return &cuda->slots[turn % cuda->num_slots];
}

static inline void fw_cuda_count(_Atomic uint64_t *counter, uint64_t by)
{
	/* Relaxed: see struct fw_cuda_counters. */
	atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

/* The operation of the runtime. */
int fw_cuda_submit(void *ctx, const struct fw_plan *plan,
		   struct fw_flight *flight);

#endif
