/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/progress.h"
#include "paper.h"

/**
 * struct work - what the threads of one stage share
 * @paper: each thread writes the scenarios or runs that it took
 * @what: the stage, for the progress line
 * @num: items of the stage
 * @item: does one; 0 or -errno with the diagnosis set
 * @next: the item that the next free thread takes
 * @done: items that are over
 * @failed: take no more
 * @lock: protects @err and @diag
 * @err: of the first item that failed
 * @diag: the same
 */
struct work {
	struct paper *paper;
	const char *what;
	size_t num;
	int (*item)(struct paper *paper, size_t i, struct diag *diag);
	atomic_size_t next;
	atomic_size_t done;
	atomic_bool failed;
	pthread_mutex_t lock;
	int err;
	struct diag diag;
};

static void note_failure(struct work *work, int err, const struct diag *diag)
{
	pthread_mutex_lock(&work->lock);
	if (!work->err) {
		work->err = err;
		work->diag = *diag;
	}
	pthread_mutex_unlock(&work->lock);
	/* Relaxed: later is early enough. */
	atomic_store_explicit(&work->failed, true, memory_order_relaxed);
}

static void *work_on(void *arg)
{
	struct work *work = arg;
	size_t i;

	/*
	 * Relaxed: the counter hands out numbers; what an item wrote is read
	 * after its thread was joined.
	 */
	while ((i = atomic_fetch_add_explicit(&work->next, 1,
					      memory_order_relaxed)) <
	       work->num) {
		struct diag diag = {.text = ""};
		int err;

		if (atomic_load_explicit(&work->failed, memory_order_relaxed))
			break;
		err = work->item(work->paper, i, &diag);
		if (err)
			note_failure(work, err, &diag);
		/* Relaxed: for the progress line only. */
		atomic_fetch_add_explicit(&work->done, 1, memory_order_relaxed);
	}
	return NULL;
}

static void line(const void *ctx, double seconds, char *buf, size_t size)
{
	const struct work *work = ctx;
	size_t done = atomic_load_explicit(&work->done, memory_order_relaxed);

	snprintf(buf, size, "%s: %zu / %zu  %d%%  %.0f s", work->what, done,
		 work->num, work->num ? (int)(done * 100 / work->num) : 100,
		 seconds);
}

/* The calling thread works too, so that no thread at all is needed. */
static unsigned int start(struct work *work, pthread_t *threads,
			  unsigned int num)
{
	unsigned int started = 0;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (started < num &&
	       !pthread_create(&threads[started], NULL, work_on, work))
		started++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}

static int run_stage(struct work *work, struct diag *diag)
{
	const struct paper_args *args = work->paper->args;
	pthread_t *threads = calloc(args->jobs, sizeof(*threads));
	struct progress progress;
	unsigned int started;

	if (!threads)
		return diag_set(diag, -ENOMEM, "out of memory");
	pthread_mutex_init(&work->lock, NULL);
	progress_start(&progress, args->quiet, line, work);
	started = start(work, threads, args->jobs - 1);
	work_on(work);
	while (started)
		pthread_join(threads[--started], NULL);
	progress_stop(&progress);
	pthread_mutex_destroy(&work->lock);
	free(threads);
	if (work->err)
		diag_set(diag, work->err, "%s", work->diag.text);
	return work->err;
}

static int load_one(struct paper *paper, size_t i, struct diag *diag)
{
	return paper_scenario_load(paper->scenarios[i], diag);
}

static void add_group(struct paper_figures *figures, const char *name,
		      const struct quantiles *ttft)
{
	struct paper_group *group = &figures->groups[figures->num_groups];

	if (figures->num_groups == PAPER_MAX_GROUPS || !ttft->num)
		return;
	snprintf(group->name, sizeof(group->name), "%s", name);
	group->ttft = *ttft;
	figures->num_groups++;
}

/* TTFTs of the prompts from @least to @most tokens. */
static int add_lengths(struct paper_figures *figures, const char *name,
		       const struct trace *trace,
		       const struct sim_result *result, uint32_t least,
		       uint32_t most)
{
	double *ttft = calloc(result->num_reqs + 1, sizeof(*ttft));
	struct quantiles quantiles;
	uint64_t num = 0;

	if (!ttft)
		return -ENOMEM;
	for (size_t i = 0; i < result->num_reqs; i++)
		if (result->reqs[i].outcome == SIM_DONE &&
		    trace->reqs[i].len >= least && trace->reqs[i].len <= most)
			ttft[num++] = result->reqs[i].ttft_s;
	quantiles_init(&quantiles, ttft, num);
	add_group(figures, name, &quantiles);
	free(ttft);
	return 0;
}

static int by_length(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The quarter of the shortest prompts, and that of the longest ones. */
static int add_quarters(struct paper_figures *figures,
			const struct trace *trace,
			const struct sim_result *result)
{
	size_t num = trace->num_reqs;
	uint32_t *lens = calloc(num + 1, sizeof(*lens));
	int err;

	if (!lens)
		return -ENOMEM;
	for (size_t i = 0; i < num; i++)
		lens[i] = trace->reqs[i].len;
	qsort(lens, num, sizeof(*lens), by_length);
	err = add_lengths(figures, "short", trace, result, 1, lens[num / 4]);
	if (!err)
		err = add_lengths(figures, "long", trace, result,
				  lens[num - 1 - num / 4], UINT32_MAX);
	free(lens);
	return err;
}

static int reckon(struct paper_figures *figures, const struct trace *trace,
		  const struct sim_result *result)
{
	struct summary sum;
	int err = summary_init(&sum, trace, result, NULL);

	if (err)
		return err;
	*figures = (struct paper_figures){
		.requests = sum.requests,
		.rejected = sum.rejected,
		.starved = sum.starved,
		.steps = result->steps,
		.busy_s = result->busy_s,
		.hit_rate = sum.hit_rate,
		.worst_miss = sum.worst_miss,
		.worst_hit = sum.worst_hit,
		.ttft = sum.ttft,
	};
	for (uint32_t i = 0; sum.num_phases > 1 && i < sum.num_phases; i++)
		add_group(figures, trace->phases[i], &sum.phases[i].ttft);
	summary_destroy(&sum);
	return add_quarters(figures, trace, result);
}

static int simulate(struct paper_run *run, struct diag *diag)
{
	const struct sim_input *input = &run->scenario->input;
	struct policy_list list = {0};
	struct sim_result result;
	int err = policy_parse(&list, run->policy, diag);

	if (err)
		return err;
	err = sim_run(&input->trace, &input->config, &list.specs[0], NULL,
		      &result, diag);
	policy_list_destroy(&list);
	if (err)
		return err;
	err = reckon(&run->figures, &input->trace, &result);
	sim_result_destroy(&result);
	return err ? diag_set(diag, err, "out of memory") : 0;
}

static int make_one(struct paper *paper, size_t i, struct diag *diag)
{
	struct paper_run *run = paper->runs[i];
	const char *folder = paper->args->resume;
	int err;

	if (folder && paper_store_take(run, folder)) {
		run->kept = true;
		return 0;
	}
	err = simulate(run, diag);
	if (!err && folder)
		err = paper_store_put(run, folder, diag);
	return err;
}

/* Long runs first: the last ones to end are then short. */
static int by_size(const void *a, const void *b)
{
	const struct paper_scenario *x =
		(*(struct paper_run *const *)a)->scenario;
	const struct paper_scenario *y =
		(*(struct paper_run *const *)b)->scenario;
	size_t m = x->input.trace.num_reqs, n = y->input.trace.num_reqs;

	return (m < n) - (m > n);
}

int paper_make(struct paper *paper, struct diag *diag)
{
	struct work load = {
		.paper = paper,
		.what = "loading",
		.num = paper->num_scenarios,
		.item = load_one,
	};
	struct work make = {
		.paper = paper,
		.what = "runs",
		.num = paper->num_runs,
		.item = make_one,
	};
	int err = run_stage(&load, diag);

	if (err)
		return err;
	paper->loaded = true;
	if (paper->num_runs)
		qsort(paper->runs, paper->num_runs, sizeof(*paper->runs),
		      by_size);
	return run_stage(&make, diag);
}
