/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CUDA_DOUBLE_STATE_H
#define TESTS_CUDA_DOUBLE_STATE_H

#include <pthread.h>

#include "tests/support/draw.h"
#include "double.h"

/*
 * All of the double, under one lock. Handles and memory that are gone stay
 * here until double_end(), so that a late use of them is told and harmless.
 */

enum {
	/* The host, and streams. */
	DOUBLE_ACTORS = 16,
	/* Bytes that share one note of who used them. */
	DOUBLE_CELL = 64,
};

/* A vector clock: what of each actor has happened before. */
struct double_clock {
	uint32_t at[DOUBLE_ACTORS];
};

/* Who used some bytes last. */
struct double_cell {
	uint32_t writer;
	uint32_t written;
	struct double_clock read;
};

/**
 * struct double_memory - one allocation
 * @next: of all
 * @ptr: the bytes
 * @size: how many
 * @device: whose, or -1 for pinned host memory
 * @live: not freed
 * @cells: who used what
 */
struct double_memory {
	struct double_memory *next;
	unsigned char *ptr;
	size_t size;
	int device;
	bool live;
	struct double_cell *cells;
};

enum double_kind {
	DOUBLE_COPY,
	DOUBLE_KERNEL,
	DOUBLE_HOST,
	DOUBLE_RECORD,
	DOUBLE_WAIT,
};

/**
 * struct double_op - one operation of a stream
 * @next: behind it
 * @kind: which of the following counts
 * @clock: of the host when it was queued
 * @dst: of a copy
 * @src: of a copy
 * @size: of a copy
 * @sum: of the source when it was queued
 * @kernel: a kernel
 * @arg: its argument
 * @fn: a host function
 * @fn_arg: its argument
 * @event: recorded or waited for
 * @number: which record of the event
 */
struct double_op {
	struct double_op *next;
	enum double_kind kind;
	struct double_clock clock;
	void *dst;
	const void *src;
	size_t size;
	uint64_t sum;
	const struct double_kernel *kernel;
	_Alignas(16) unsigned char arg[DOUBLE_ARG];
	cudaHostFn_t fn;
	void *fn_arg;
	cudaEvent_t event;
	uint64_t number;
};

/**
 * struct CUstream_st - a stream
 * @next: of all
 * @thread: runs its operations
 * @device: number
 * @actor: its place in clocks
 * @live: not destroyed
 * @stop: the thread ends
 * @busy: an operation runs
 * @computes: it was given copies or kernels
 * @clock: what happened before its next operation
 * @first: operations that wait
 * @last: the newest of them
 */
struct CUstream_st {
	struct CUstream_st *next;
	pthread_t thread;
	int device;
	uint32_t actor;
	bool live;
	bool stop;
	bool busy;
	bool computes;
	struct double_clock clock;
	struct double_op *first;
	struct double_op *last;
};

/**
 * struct CUevent_st - an event
 * @next: of all
 * @device: number
 * @live: not destroyed
 * @recorded: number of its last record
 * @done: number of the last record that the stream has passed
 * @clock: of the stream then
 * @time: when, nanoseconds
 */
struct CUevent_st {
	struct CUevent_st *next;
	int device;
	bool live;
	uint64_t recorded;
	uint64_t done;
	struct double_clock clock;
	int64_t time;
};

struct double_state {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct double_faults faults;
	struct draw draw;
	cudaError_t dead[DOUBLE_DEVICES];
	struct double_clock host;
	struct double_memory *memory;
	struct CUstream_st *streams;
	struct CUevent_st *events;
	uint32_t num_actors;
	uint64_t calls;
	const char *failed;
	uint64_t kernels;
	uint64_t host_fns;
	bool steady;
	bool forgive;
	bool released;
	bool ended;
	bool wrong;
	char text[256];
};

extern struct double_state double_state;

/* Of this thread. */
extern _Thread_local int double_device;
extern _Thread_local cudaError_t double_error;
extern _Thread_local bool double_in_host_fn;
extern _Thread_local struct CUstream_st *double_in_stream;

static inline void double_join(struct double_clock *to,
			       const struct double_clock *from)
{
	for (int i = 0; i < DOUBLE_ACTORS; i++)
		if (from->at[i] > to->at[i])
			to->at[i] = from->at[i];
}

/* How a call stands out: may it be made at any time? */
enum double_call {
	DOUBLE_QUICK,
	DOUBLE_SLOW,
};

/*
 * Every call begins and ends with these two, which take and release the lock.
 * The first returns the error that the call shall have, injected or of a lost
 * device. The second returns its own argument.
 */
cudaError_t double_enter(const char *name, enum double_call call);
cudaError_t double_leave(cudaError_t err);

/* With the lock held: as double_wrong(). */
void double_wrong_locked(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* memory.c, with the lock held */
struct double_memory *double_find(const void *ptr, size_t size);
bool double_access(const void *ptr, size_t size, bool writes,
		   const struct double_clock *clock, uint32_t actor);
uint64_t double_sum(const void *ptr, size_t size);
void double_memory_end(void);

/* stream.c, with the lock held */
void double_break(int device, cudaError_t err);
void double_streams_end(void);

#endif
