/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>

#include "lib/base/clock.h"

/* The next plan; false when there is none and none will come. */
static bool next(struct fw_worker *worker, struct fw_work *work)
{
	bool found;

	pthread_mutex_lock(&worker->lock);
	while (!worker->num && !worker->stop)
		pthread_cond_wait(&worker->wake, &worker->lock);
	found = worker->num > 0;
	if (found) {
		*work = worker->queue[worker->first];
		worker->first = (worker->first + 1) % FW_DEPTH_MAX;
		worker->num--;
	}
	pthread_mutex_unlock(&worker->lock);
	return found;
}

static void *work_on(void *arg)
{
	struct fw_worker *worker = arg;
	struct fw_work work;

	while (next(worker, &work))
		fw_plan_done(work.flight, worker->run(worker->ctx, &work));
	return NULL;
}

int fw_worker_start(struct fw_worker *worker,
		    int (*run)(void *ctx, const struct fw_work *work),
		    void *ctx)
{
	sigset_t all, old;
	int ret;

	*worker = (struct fw_worker){.run = run, .ctx = ctx};
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->wake, NULL);
	/* Signals of the host process are for its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&worker->thread, NULL, work_on, worker);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!ret)
		return 0;
	pthread_cond_destroy(&worker->wake);
	pthread_mutex_destroy(&worker->lock);
	return -EAGAIN;
}

void fw_worker_push(struct fw_worker *worker, const struct fw_plan *plan,
		    struct fw_flight *flight)
{
	uint32_t last;

	pthread_mutex_lock(&worker->lock);
	assert(worker->num < FW_DEPTH_MAX);
	last = (worker->first + worker->num++) % FW_DEPTH_MAX;
	worker->queue[last] = (struct fw_work){
		.plan = plan,
		.flight = flight,
		.submitted = fw_clock_now(),
	};
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
}

void fw_worker_stop(struct fw_worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	worker->stop = true;
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	pthread_cond_destroy(&worker->wake);
	pthread_mutex_destroy(&worker->lock);
}
