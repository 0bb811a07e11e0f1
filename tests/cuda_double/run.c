/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void sleep_ns(int64_t ns)
{
	const struct timespec span = {.tv_sec = (time_t)(ns / 1000000000),
				      .tv_nsec = (long)(ns % 1000000000)};

	nanosleep(&span, NULL);
}

static bool dead(const struct CUstream_st *s)
{
	return double_state.dead[s->device] != cudaSuccess;
}

/* With the lock held; it is not while anything of the user's runs. */
static void unlocked_kernel(struct CUstream_st *s, const struct double_op *op)
{
	struct double_state *d = &double_state;
	uint64_t number = ++d->kernels;

	while (number == d->faults.hang_at && !d->released && !d->ended &&
	       !dead(s))
		pthread_cond_wait(&d->changed, &d->lock);
	if (number == d->faults.break_at) {
		double_break(s->device, cudaErrorLaunchFailure);
		return;
	}
	pthread_mutex_unlock(&d->lock);
	op->kernel->run(op->arg);
	pthread_mutex_lock(&d->lock);
}

static void unlocked_host(struct CUstream_st *s, const struct double_op *op)
{
	struct double_state *d = &double_state;
	const struct double_faults *f = &d->faults;
	uint64_t number = ++d->host_fns;

	if (f->lose_at && number >= f->lose_at &&
	    number < f->lose_at + f->lose_num)
		return;
	pthread_mutex_unlock(&d->lock);
	if (number == f->late_at)
		sleep_ns(f->late_ns);
	pthread_mutex_lock(&d->lock);
	double_join(&d->host, &s->clock);
	pthread_mutex_unlock(&d->lock);
	double_in_host_fn = true;
	op->fn(op->fn_arg);
	double_in_host_fn = false;
	pthread_mutex_lock(&d->lock);
}

static void copy(struct CUstream_st *s, const struct double_op *op)
{
	if (!double_access(op->src, op->size, false, &s->clock, s->actor) ||
	    !double_access(op->dst, op->size, true, &s->clock, s->actor))
		return;
	if (double_find(op->src, op->size)->device < 0 &&
	    double_sum(op->src, op->size) != op->sum)
		double_wrong_locked("a copy's source changed before it ran");
	memcpy(op->dst, op->src, op->size);
}

static void record(struct CUstream_st *s, const struct double_op *op)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	op->event->done = op->number;
	op->event->clock = s->clock;
	op->event->time = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void do_op(struct CUstream_st *s, const struct double_op *op)
{
	double_join(&s->clock, &op->clock);
	s->clock.at[s->actor]++;
	switch (op->kind) {
	case DOUBLE_COPY:
		copy(s, op);
		break;
	case DOUBLE_KERNEL:
		unlocked_kernel(s, op);
		break;
	case DOUBLE_HOST:
		unlocked_host(s, op);
		break;
	case DOUBLE_RECORD:
		record(s, op);
		break;
	case DOUBLE_WAIT:
		double_join(&s->clock, &op->event->clock);
		break;
	}
}

static bool can_run(const struct CUstream_st *s)
{
	const struct double_op *op = s->first;

	if (!op)
		return false;
	return op->kind != DOUBLE_WAIT || op->event->done >= op->number ||
	       dead(s);
}

/* On a real device, too, nothing begins at once. */
static void linger(void)
{
	struct double_state *d = &double_state;
	uint32_t ns;

	if (!d->faults.slow_ns)
		return;
	ns = draw_below(&d->draw, d->faults.slow_ns);
	pthread_mutex_unlock(&d->lock);
	sleep_ns(ns);
	pthread_mutex_lock(&d->lock);
}

/* The first operation; a lost device drops it. */
static void run_first(struct CUstream_st *s)
{
	struct double_op *op = s->first;

	s->busy = true;
	linger();
	if (!dead(s))
		do_op(s, op);
	s->first = op->next;
	if (!s->first)
		s->last = NULL;
	free(op);
	s->busy = false;
	pthread_cond_broadcast(&double_state.changed);
}

void *double_stream_thread(void *arg)
{
	struct double_state *d = &double_state;
	struct CUstream_st *s = arg;

	double_in_stream = s;
	double_device = s->device;
	pthread_mutex_lock(&d->lock);
	while (!s->stop || can_run(s)) {
		if (can_run(s))
			run_first(s);
		else
			pthread_cond_wait(&d->changed, &d->lock);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

void double_break(int device, cudaError_t err)
{
	if (double_state.dead[device] == cudaSuccess)
		double_state.dead[device] = err;
	pthread_cond_broadcast(&double_state.changed);
}
