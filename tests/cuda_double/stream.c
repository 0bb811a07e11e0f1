/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

cudaError_t double_check_stream(const char *name, cudaStream_t s)
{
	if (!s || !s->live) {
		double_wrong_locked("%s on a stream that is gone", name);
		return cudaErrorInvalidResourceHandle;
	}
	return double_state.dead[s->device];
}

struct double_op *double_new_op(enum double_kind kind)
{
	struct double_op *op = calloc(1, sizeof(*op));

	if (!op)
		abort();
	op->kind = kind;
	return op;
}

void double_queue(cudaStream_t s, struct double_op *op)
{
	struct double_state *d = &double_state;

	d->host.at[0]++;
	op->clock = d->host;
	if (s->last)
		s->last->next = op;
	else
		s->first = op;
	s->last = op;
	pthread_cond_broadcast(&d->changed);
}

static bool idle(cudaStream_t s)
{
	return !s->first && !s->busy;
}

static void start(cudaStream_t s)
{
	struct double_state *d = &double_state;

	if (d->num_actors == DOUBLE_ACTORS ||
	    pthread_create(&s->thread, NULL, double_stream_thread, s))
		abort();
	s->actor = d->num_actors++;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);
	cudaStream_t s;

	(void)flags;
	if (err != cudaSuccess)
		return double_leave(err);
	s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	s->device = double_device;
	s->live = true;
	s->next = double_state.streams;
	double_state.streams = s;
	start(s);
	*out = s;
	return double_leave(cudaSuccess);
}

/* As for memory: a release that returns an error has released. */
cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);
	cudaError_t own = double_check_stream(__func__, s);

	if (own != cudaErrorInvalidResourceHandle) {
		if (own == cudaSuccess && !idle(s))
			double_wrong_locked("%s of a stream in use", __func__);
		s->live = false;
	}
	return double_leave(err != cudaSuccess ? err : own);
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);

	if (err == cudaSuccess)
		err = double_check_stream(__func__, s);
	if (err == cudaSuccess && !idle(s))
		err = cudaErrorNotReady;
	if (err == cudaSuccess)
		double_join(&double_state.host, &s->clock);
	return double_leave(err);
}

/* What runs on a device that is lost is over before anyone hears of it. */
static void settle(cudaStream_t s)
{
	struct double_state *d = &double_state;

	while (d->dead[s->device] != cudaSuccess && s->busy)
		pthread_cond_wait(&d->changed, &d->lock);
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);

	if (err == cudaSuccess)
		err = double_check_stream(__func__, s);
	while (err == cudaSuccess && !idle(s)) {
		pthread_cond_wait(&double_state.changed, &double_state.lock);
		err = double_state.dead[s->device];
	}
	if (err == cudaSuccess)
		double_join(&double_state.host, &s->clock);
	if (s && s->live)
		settle(s);
	return double_leave(err);
}

static cudaError_t check_copy(const void *host, const void *device, size_t size,
			      const struct CUstream_st *s)
{
	const struct double_memory *at = double_find(device, size);
	const struct double_memory *from = double_find(host, size);

	if (!at || !at->live || at->device < 0) {
		double_wrong_locked("a copy of what is no device's memory");
		return cudaErrorInvalidValue;
	}
	if (at->device != s->device)
		double_wrong_locked("a copy of memory of another device");
	if (!from || !from->live || from->device >= 0) {
		double_wrong_locked("a copy of host memory that is not pinned");
		return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size,
			    enum cudaMemcpyKind kind, cudaStream_t s)
{
	bool up = kind == cudaMemcpyHostToDevice;
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);
	struct double_op *op;

	if (err == cudaSuccess)
		err = double_check_stream(__func__, s);
	if (err == cudaSuccess)
		err = check_copy(up ? src : dst, up ? dst : src, size, s);
	if (err != cudaSuccess)
		return double_leave(err);
	op = double_new_op(DOUBLE_COPY);
	op->dst = dst;
	op->src = src;
	op->size = size;
	op->sum = up ? double_sum(src, size) : 0;
	s->computes = true;
	double_queue(s, op);
	return double_leave(cudaSuccess);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block,
			     void **args, size_t shared, cudaStream_t s)
{
	const struct double_kernel *kernel = func;
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);
	struct double_op *op;

	(void)shared;
	if (err == cudaSuccess)
		err = double_check_stream(__func__, s);
	if (err == cudaSuccess && (!grid.x || !block.x || block.x > 1024))
		err = cudaErrorInvalidValue;
	if (err != cudaSuccess)
		return double_leave(err);
	if (s->device != double_device) {
		double_wrong_locked("a kernel for a stream of another device");
		return double_leave(cudaErrorInvalidResourceHandle);
	}
	op = double_new_op(DOUBLE_KERNEL);
	op->kernel = kernel;
	memcpy(op->arg, args[0], kernel->size);
	s->computes = true;
	double_queue(s, op);
	return double_leave(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *arg)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);
	struct double_op *op;

	if (err == cudaSuccess)
		err = double_check_stream(__func__, s);
	if (err != cudaSuccess)
		return double_leave(err);
	if (s->computes)
		double_wrong_locked("a host function would stop a stream that "
				    "computes");
	op = double_new_op(DOUBLE_HOST);
	op->fn = fn;
	op->fn_arg = arg;
	double_queue(s, op);
	return double_leave(cudaSuccess);
}

static void stop(cudaStream_t s)
{
	struct double_op *op;

	s->stop = true;
	pthread_cond_broadcast(&double_state.changed);
	pthread_mutex_unlock(&double_state.lock);
	pthread_join(s->thread, NULL);
	pthread_mutex_lock(&double_state.lock);
	/* Waits for what never came. */
	while ((op = s->first)) {
		s->first = op->next;
		free(op);
	}
}

void double_streams_end(void)
{
	struct double_state *d = &double_state;
	cudaStream_t s;
	cudaEvent_t e;

	for (s = d->streams; s; s = s->next)
		stop(s);
	while ((s = d->streams)) {
		d->streams = s->next;
		if (s->live && !d->forgive)
			double_wrong_locked("a stream left");
		free(s);
	}
	while ((e = d->events)) {
		d->events = e->next;
		if (e->live && !d->forgive)
			double_wrong_locked("an event left");
		free(e);
	}
}
