/* SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/grid.h"
#include "tools/base/progress.h"

/**
 * struct run - one policy's run; touched by the thread that took it
 * @ended: requests ended so far, read by the progress line
 * @done: whether it is over, read by the progress line
 * @err: what sim_run() returned
 * @result: valid when @err is 0
 * @diag: of this run
 */
struct run {
	_Atomic uint64_t ended;
	atomic_bool done;
	int err;
	struct sim_result result;
	struct diag diag;
};

/**
 * struct runs - what the threads share
 * @trace: read only
 * @config: read only
 * @list: read only; a run for each
 * @runs: each is written by the thread that took it
 * @next: the run that the next free thread takes
 */
struct runs {
	const struct trace *trace;
	const struct sim_config *config;
	const struct policy_list *list;
	struct run *runs;
	atomic_uint next;
};

static void *work(void *arg)
{
	struct runs *runs = arg;
	unsigned int i;

	/*
	 * Relaxed: the counter hands out numbers; what a run wrote is read
	 * after its thread was joined.
	 */
	while ((i = atomic_fetch_add_explicit(&runs->next, 1,
					      memory_order_relaxed)) <
	       runs->list->num) {
		struct run *run = &runs->runs[i];

		run->err = sim_run(runs->trace, runs->config,
				   &runs->list->specs[i], &run->ended,
				   &run->result, &run->diag);
		/* Relaxed: for the progress line only. */
		atomic_store_explicit(&run->done, true, memory_order_relaxed);
	}
	return NULL;
}

/* Names of the runs that go on, as many as fit. */
static void running(const struct runs *runs, char *buf, size_t size)
{
	unsigned int taken =
		atomic_load_explicit(&runs->next, memory_order_relaxed);
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned int i = 0; i < runs->list->num && i < taken; i++) {
		if (atomic_load_explicit(&runs->runs[i].done,
					 memory_order_relaxed))
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 used ? ", " : "",
					 runs->list->specs[i].name);
		if (used >= size)
			return;
	}
}

static void line(const void *ctx, double seconds, char *buf, size_t size)
{
	const struct runs *runs = ctx;
	uint64_t all = (uint64_t)runs->trace->num_reqs * runs->list->num;
	uint64_t ended = 0;
	char names[28];
	char done[32], total[32], rate[32];

	/* Relaxed: figures for the eye. */
	for (unsigned int i = 0; i < runs->list->num; i++)
		ended += atomic_load_explicit(&runs->runs[i].ended,
					      memory_order_relaxed);
	running(runs, names, sizeof(names));
	format_count(done, sizeof(done), ended);
	format_count(total, sizeof(total), all);
	format_count(rate, sizeof(rate),
		     seconds > 0.0 ? (uint64_t)((double)ended / seconds) : 0);
	snprintf(buf, size, "%s: %s / %s requests  %d%%  %s/s",
		 names[0] ? names : "ending", done, total,
		 all ? (int)(ended * 100 / all) : 100, rate);
}

/* The calling thread works too, so that no thread at all is needed. */
static unsigned int start(struct runs *runs, pthread_t *threads,
			  unsigned int num)
{
	unsigned int started = 0;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (started < num &&
	       !pthread_create(&threads[started], NULL, work, runs))
		started++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

static int run_all(struct runs *runs, unsigned int jobs, bool quiet)
{
	unsigned int num = runs->list->num < jobs ? runs->list->num : jobs;
	pthread_t *threads = calloc(num + 1, sizeof(*threads));
	struct progress progress;
	unsigned int started;

	if (!threads)
		return -ENOMEM;
	progress_start(&progress, quiet, line, runs);
	started = start(runs, threads, num - 1);
	work(runs);
	while (started)
		pthread_join(threads[--started], NULL);
	progress_stop(&progress);
	free(threads);
	return 0;
}

static int collect(struct runs *runs, struct sim_result *results,
		   struct diag *diag)
{
	unsigned int num = runs->list->num;
	const struct run *failed = NULL;

	for (unsigned int i = 0; i < num && !failed; i++)
		if (runs->runs[i].err)
			failed = &runs->runs[i];
	for (unsigned int i = 0; i < num; i++) {
		if (!failed)
			results[i] = runs->runs[i].result;
		else if (!runs->runs[i].err)
			sim_result_destroy(&runs->runs[i].result);
	}
	if (!failed)
		return 0;
	return diag_set(diag, failed->err, "policy \"%s\": %s",
			runs->list->specs[failed - runs->runs].name,
			failed->diag.text[0] ? failed->diag.text
					     : strerror(-failed->err));
}

int runs_go(const struct trace *trace, const struct sim_config *config,
	    const struct policy_list *list, unsigned int jobs, bool quiet,
	    struct sim_result *results, struct diag *diag)
{
	struct runs runs = {.trace = trace, .config = config, .list = list};
	int err;

	runs.runs = calloc(list->num, sizeof(*runs.runs));
	if (!runs.runs)
		return diag_set(diag, -ENOMEM, "out of memory");
	err = run_all(&runs, jobs, quiet);
	if (err)
		diag_set(diag, err, "out of memory");
	else
		err = collect(&runs, results, diag);
	free(runs.runs);
	return err;
}
