/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include <stdarg.h>
#include <string.h>

struct double_state double_state = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.num_actors = 1,
};
_Thread_local int double_device;
_Thread_local cudaError_t double_error;
_Thread_local bool double_in_host_fn;
_Thread_local struct CUstream_st *double_in_stream;

__attribute__((format(printf, 1, 0))) static void note(const char *format,
						       va_list args)
{
	struct double_state *d = &double_state;

	if (d->wrong)
		return;
	d->wrong = true;
	vsnprintf(d->text, sizeof(d->text), format, args);
}

void double_wrong_locked(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(format, args);
	va_end(args);
}

void double_wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pthread_mutex_lock(&double_state.lock);
	note(format, args);
	pthread_mutex_unlock(&double_state.lock);
	va_end(args);
}

/* The error that the fault plan has for this call. */
static cudaError_t injected(const char *name)
{
	struct double_state *d = &double_state;

	if (!d->faults.fail_at || d->calls != d->faults.fail_at)
		return cudaSuccess;
	d->failed = name;
	if (d->faults.sticky)
		double_break(double_device, d->faults.fail_with);
	return d->faults.fail_with;
}

cudaError_t double_enter(const char *name, enum double_call call)
{
	struct double_state *d = &double_state;
	cudaError_t err;

	pthread_mutex_lock(&d->lock);
	d->calls++;
	if (double_in_host_fn) {
		double_wrong_locked("%s in a host function", name);
		return cudaErrorNotPermitted;
	}
	if (d->steady && call == DOUBLE_SLOW)
		double_wrong_locked("%s while plans run", name);
	err = injected(name);
	return err != cudaSuccess ? err : d->dead[double_device];
}

cudaError_t double_leave(cudaError_t err)
{
	if (err != cudaSuccess && err != cudaErrorNotReady)
		double_error = err;
	pthread_mutex_unlock(&double_state.lock);
	return err;
}

void double_begin(void)
{
	struct double_state *d = &double_state;

	pthread_mutex_lock(&d->lock);
	memset(d->dead, 0, sizeof(d->dead));
	memset(&d->host, 0, sizeof(d->host));
	d->num_actors = 1;
	d->failed = "no call";
	d->steady = d->forgive = d->released = d->ended = d->wrong = false;
	pthread_mutex_unlock(&d->lock);
	double_device = 0;
	double_error = cudaSuccess;
	double_arm(NULL);
}

void double_arm(const struct double_faults *faults)
{
	struct double_state *d = &double_state;

	pthread_mutex_lock(&d->lock);
	d->faults = faults ? *faults : (struct double_faults){0};
	d->draw.state = d->faults.seed;
	d->calls = d->kernels = d->host_fns = 0;
	pthread_mutex_unlock(&d->lock);
}

const char *double_end(void)
{
	struct double_state *d = &double_state;

	pthread_mutex_lock(&d->lock);
	d->ended = true;
	pthread_cond_broadcast(&d->changed);
	double_streams_end();
	double_memory_end();
	pthread_mutex_unlock(&d->lock);
	return d->wrong ? d->text : NULL;
}

void double_steady(bool steady)
{
	pthread_mutex_lock(&double_state.lock);
	double_state.steady = steady;
	pthread_mutex_unlock(&double_state.lock);
}

void double_forgive(void)
{
	pthread_mutex_lock(&double_state.lock);
	double_state.forgive = true;
	pthread_mutex_unlock(&double_state.lock);
}

void double_release(void)
{
	pthread_mutex_lock(&double_state.lock);
	double_state.released = true;
	pthread_cond_broadcast(&double_state.changed);
	pthread_mutex_unlock(&double_state.lock);
}

uint64_t double_calls(void)
{
	uint64_t calls;

	pthread_mutex_lock(&double_state.lock);
	calls = double_state.calls;
	pthread_mutex_unlock(&double_state.lock);
	return calls;
}

const char *double_failed_call(void)
{
	return double_state.failed;
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);
	cudaError_t last = double_error;

	double_leave(cudaSuccess);
	double_error = cudaSuccess;
	return err != cudaSuccess ? err : last;
}

cudaError_t cudaGetDevice(int *device)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);

	if (err == cudaSuccess)
		*device = double_device;
	return double_leave(err);
}

cudaError_t cudaSetDevice(int device)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);

	if (err == cudaSuccess && (device < 0 || device >= DOUBLE_DEVICES))
		err = cudaErrorInvalidDevice;
	if (err == cudaSuccess)
		double_device = device;
	return double_leave(err);
}
