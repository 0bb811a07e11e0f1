/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "lib/base/clock.h"
#include "errors.h"
#include "follow.h"

enum {
	/* Between two looks at the oldest plan, while nobody waits for it. */
	PERIOD_NS = 5000000,
	/* The same while destroy waits. */
	STOPPING_NS = 500000,
	/* So many failed calls in a row are no passing fault. */
	MAX_MISSES = 3,
};

static uint64_t in_flight(struct fw_cuda *cuda)
{
	/* [D1] Acquire: all that whoever reported a plan did before that. */
	uint64_t reported =
		atomic_load_explicit(&cuda->reported, memory_order_acquire);

	/* Relaxed: a plan that comes meanwhile wakes the watcher. */
	return atomic_load_explicit(&cuda->submitted, memory_order_relaxed) -
	       reported;
}

void fw_cuda_wake_watcher(struct fw_cuda *cuda)
{
	pthread_mutex_lock(&cuda->lock);
	if (cuda->asleep)
		pthread_cond_signal(&cuda->wake);
	pthread_mutex_unlock(&cuda->lock);
}

/* The oldest plan in flight, or 0. Some before it may have ended late. */
static uint64_t oldest(struct fw_cuda *cuda)
{
	/* [D2] Acquire: the turns of the plans up to this. */
	uint64_t last =
		atomic_load_explicit(&cuda->submitted, memory_order_acquire);

	for (; cuda->oldest <= last; cuda->oldest++) {
		struct fw_cuda_slot *slot = fw_cuda_slot_of(cuda, cuda->oldest);

		/* [D2] Acquire: the slot is filled. */
		if (atomic_load_explicit(&slot->turn, memory_order_acquire) ==
		    cuda->oldest)
			return cuda->oldest;
		cuda->seen = 0;
		cuda->passed = fw_clock_now();
	}
	return 0;
}

static void end_all(struct fw_cuda *cuda)
{
	uint64_t turn;

	while ((turn = oldest(cuda)))
		fw_cuda_end(cuda, turn, true);
}

/* The device still computes the plan. */
static void not_ready(struct fw_cuda *cuda, const struct fw_cuda_slot *slot)
{
	/* Relaxed: a later plan's, at worst, which gives it more time. */
	int64_t since =
		atomic_load_explicit(&slot->submitted, memory_order_relaxed);

	if (since < cuda->passed)
		since = cuda->passed;
	if (!cuda->config.hang_after ||
	    fw_clock_now() - since < cuda->config.hang_after)
		return;
	cuda->hung = true;
	fw_cuda_set_dead(cuda);
}

/* Return: true when the plan has ended here. */
static bool ready(struct fw_cuda *cuda, struct fw_cuda_slot *slot,
		  uint64_t turn)
{
	/* Relaxed: when it is seen too late the time-out has the same end. */
	bool silent = atomic_load_explicit(&slot->silent, memory_order_relaxed);
	int64_t now = fw_clock_now();

	if (!silent && !cuda->seen) {
		cuda->seen = now;
		return false;
	}
	if (!silent && now - cuda->seen < cuda->config.lost_after)
		return false;
	if (!silent)
		fw_cuda_count(&cuda->counters.lost, 1);
	fw_cuda_end(cuda, turn, false);
	return true;
}

static void missed(struct fw_cuda *cuda, cudaError_t err)
{
	fw_cuda_note(cuda, err);
	if (++cuda->misses >= MAX_MISSES)
		fw_cuda_set_dead(cuda);
}

/*
 * Has the plan ended on the device? A callback may end it meanwhile, and its
 * slot have another plan: then the answer is that one's, and ends nothing.
 */
static cudaError_t ask(struct fw_cuda *cuda, struct fw_cuda_slot *slot,
		       uint64_t turn)
{
	/* [D4] Acquire: when it is another plan's, the turn is so, too. */
	bool recorded =
		atomic_load_explicit(&slot->recorded, memory_order_acquire);
	cudaError_t err;

	/* Without an event there is no callback: only this thread ends it. */
	if (!recorded &&
	    atomic_load_explicit(&slot->turn, memory_order_relaxed) == turn) {
		/* Behind later plans too, perhaps: late, but never early. */
		err = cudaEventRecord(slot->end, cuda->stream);
		if (err != cudaSuccess)
			return err;
		/* Relaxed: read by this thread alone. */
		atomic_store_explicit(&slot->recorded, true,
				      memory_order_relaxed);
	}
	return cudaEventQuery(slot->end);
}

/* Return: true when there may be more to do at once. */
static bool look_at(struct fw_cuda *cuda, uint64_t turn)
{
	struct fw_cuda_slot *slot = fw_cuda_slot_of(cuda, turn);
	cudaError_t err = ask(cuda, slot, turn);

	if (err == cudaSuccess || err == cudaErrorNotReady)
		cuda->misses = 0;
	if (err == cudaSuccess)
		return ready(cuda, slot, turn);
	if (err == cudaErrorNotReady)
		not_ready(cuda, slot);
	else
		missed(cuda, err);
	return false;
}

static void look(struct fw_cuda *cuda)
{
	uint64_t turn;
	bool more = true;

	while (more && !fw_cuda_is_dead(cuda)) {
		turn = oldest(cuda);
		more = turn && look_at(cuda, turn);
	}
	if (fw_cuda_is_dead(cuda))
		end_all(cuda);
}

static void nap(struct fw_cuda *cuda)
{
	int64_t until = fw_clock_now() + (cuda->stop ? STOPPING_NS : PERIOD_NS);
	const struct timespec at = {.tv_sec = (time_t)(until / 1000000000),
				    .tv_nsec = (long)(until % 1000000000)};

	pthread_cond_timedwait(&cuda->wake, &cuda->lock, &at);
}

static void wait_for_plan(struct fw_cuda *cuda)
{
	cuda->asleep = true;
	pthread_cond_wait(&cuda->wake, &cuda->lock);
	cuda->asleep = false;
}

static void *watch(void *arg)
{
	struct fw_cuda *cuda = arg;
	/* Else the first call here would open a context on device 0. */
	cudaError_t err = cudaSetDevice(cuda->config.device);
	uint64_t num;

	if (err != cudaSuccess)
		fw_cuda_note(cuda, err);
	pthread_mutex_lock(&cuda->lock);
	for (;;) {
		/* The last one may be reported at any time: asked once. */
		while (!(num = in_flight(cuda)) && !cuda->stop)
			wait_for_plan(cuda);
		if (!num)
			break;
		nap(cuda);
		pthread_mutex_unlock(&cuda->lock);
		look(cuda);
		pthread_mutex_lock(&cuda->lock);
	}
	pthread_mutex_unlock(&cuda->lock);
	return NULL;
}

static void init_wake(struct fw_cuda *cuda)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cuda->wake, &attr);
	pthread_condattr_destroy(&attr);
}

int fw_cuda_watch(struct fw_cuda *cuda)
{
	sigset_t all, old;
	int ret;

	pthread_mutex_init(&cuda->lock, NULL);
	init_wake(cuda);
	cuda->oldest = 1;
	/* Signals of the host process are for its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&cuda->watcher, NULL, watch, cuda);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!ret)
		return 0;
	pthread_cond_destroy(&cuda->wake);
	pthread_mutex_destroy(&cuda->lock);
	return -EAGAIN;
}

void fw_cuda_watch_stop(struct fw_cuda *cuda)
{
	pthread_mutex_lock(&cuda->lock);
	cuda->stop = true;
	pthread_cond_signal(&cuda->wake);
	pthread_mutex_unlock(&cuda->lock);
	pthread_join(cuda->watcher, NULL);
	pthread_cond_destroy(&cuda->wake);
	pthread_mutex_destroy(&cuda->lock);
}
