/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <stdlib.h>

static cudaError_t check_event(const char *name, cudaEvent_t e)
{
	if (!e || !e->live) {
		double_wrong_locked("%s of an event that is gone", name);
		return cudaErrorInvalidResourceHandle;
	}
	return double_state.dead[e->device];
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned int flags)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);
	cudaEvent_t e;

	(void)flags;
	if (err != cudaSuccess)
		return double_leave(err);
	e = calloc(1, sizeof(*e));
	if (!e)
		abort();
	e->device = double_device;
	e->live = true;
	e->next = double_state.events;
	double_state.events = e;
	*out = e;
	return double_leave(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);
	cudaError_t own = check_event(__func__, e);

	if (own != cudaErrorInvalidResourceHandle) {
		if (own == cudaSuccess && e->done != e->recorded)
			double_wrong_locked("%s of an event in use", __func__);
		e->live = false;
	}
	return double_leave(err != cudaSuccess ? err : own);
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);
	struct double_op *op;

	if (err == cudaSuccess)
		err = check_event(__func__, e);
	if (err == cudaSuccess)
		err = double_check_stream(__func__, s);
	if (err != cudaSuccess)
		return double_leave(err);
	if (e->device != s->device) {
		double_wrong_locked("%s with a stream of another device",
				    __func__);
		return double_leave(cudaErrorInvalidResourceHandle);
	}
	op = double_new_op(DOUBLE_RECORD);
	op->event = e;
	op->number = ++e->recorded;
	double_queue(s, op);
	return double_leave(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);

	if (err == cudaSuccess)
		err = check_event(__func__, e);
	if (err == cudaSuccess && e->done != e->recorded)
		err = cudaErrorNotReady;
	if (err == cudaSuccess)
		double_join(&double_state.host, &e->clock);
	return double_leave(err);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);

	if (err == cudaSuccess)
		err = check_event(__func__, from);
	if (err == cudaSuccess)
		err = check_event(__func__, to);
	if (err == cudaSuccess && (!from->recorded || !to->recorded))
		err = cudaErrorInvalidResourceHandle;
	if (err == cudaSuccess &&
	    (from->done != from->recorded || to->done != to->recorded))
		err = cudaErrorNotReady;
	if (err == cudaSuccess)
		*ms = (float)((double)(to->time - from->time) / 1e6);
	return double_leave(err);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e,
				unsigned int flags)
{
	cudaError_t err = double_enter(__func__, DOUBLE_QUICK);
	struct double_op *op;

	(void)flags;
	if (err == cudaSuccess)
		err = double_check_stream(__func__, s);
	if (err == cudaSuccess)
		err = check_event(__func__, e);
	if (err != cudaSuccess)
		return double_leave(err);
	op = double_new_op(DOUBLE_WAIT);
	op->event = e;
	op->number = e->recorded;
	double_queue(s, op);
	return double_leave(cudaSuccess);
}
