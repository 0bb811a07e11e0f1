/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "naive_sim.h"
#include "naive_node.h"

/**
 * struct step - what one step computes
 * @budget: tokens that it may still take
 * @tokens: N
 * @pairs: P
 */
struct step {
	uint32_t budget;
	double tokens;
	double pairs;
};

static void *zeroed(size_t num, size_t size)
{
	void *memory = calloc(num + 1, size);

	if (!memory)
		abort();
	return memory;
}

static void queue_job(struct naive_node *node, size_t index)
{
	struct naive_job *job = &node->jobs[index];

	if (job->num_blocks > node->config.pool_blocks) {
		node->result->reqs[index].ttft = -1;
		return;
	}
	job->unit = node->policy.multiplier *
		    naive_idle_time(node->device, 0, job->in->len);
	if (job->unit < node->policy.floor)
		job->unit = node->policy.floor;
	job->tokens_before = node->tokens;
	job->place = ++node->last_place;
	if (node->policy.tenants)
		naive_tenants_enter(node, index);
	node->waiting[node->num_waiting++] = index;
}

static void plan_chunk(struct naive_node *node, struct step *step,
		       struct naive_job *job)
{
	node->order[node->num_served++] = (size_t)(job - node->jobs);
	job->served = true;
	uint32_t before = job->done;
	uint32_t num = job->in->len - before;

	if (num > step->budget)
		num = step->budget;
	step->budget -= num;
	step->tokens += num;
	step->pairs += naive_pairs(before, num);
	job->done += num;
	naive_pool_store(node, job, before);
}

static void remove_at(size_t *list, size_t *num, size_t place)
{
	for (size_t i = place + 1; i < *num; i++)
		list[i - 1] = list[i];
	--*num;
}

static bool admit_one(struct naive_node *node, struct step *step)
{
	size_t place = naive_order_next(node);
	size_t index = node->waiting[place];
	struct naive_job *job = &node->jobs[index];
	uint32_t hit = naive_pool_hit(node, job);

	node->result->surprises += hit < job->h;
	if (!naive_pool_take(node, job, hit)) {
		node->result->surprises++;
		return false;
	}
	remove_at(node->waiting, &node->num_waiting, place);
	naive_order_admitted(node, index);
	node->running[node->num_running++] = index;
	node->result->reqs[index].cached = hit;
	job->done = hit;
	job->begun = true;
	plan_chunk(node, step, job);
	return true;
}

static bool may_admit(const struct naive_node *node, const struct step *step)
{
	return step->budget > 0 && node->num_waiting > 0 &&
	       node->num_running < node->config.max_running;
}

static size_t place_of(const size_t *list, size_t index)
{
	size_t place = 0;

	while (list[place] != index)
		place++;
	return place;
}

/* Everybody who is there sees a step of so many @seconds. */
static void note_step(struct naive_node *node, const size_t *list, size_t num,
		      double seconds)
{
	for (size_t i = 0; i < num; i++) {
		struct naive_job *job = &node->jobs[list[i]];

		if (job->step < seconds)
			job->step = seconds;
	}
}

/* In the order of service. */
static void end_jobs(struct naive_node *node)
{
	for (size_t i = 0; i < node->num_served; i++) {
		size_t index = node->order[i];
		struct naive_job *job = &node->jobs[index];
		double ttft = node->now - job->in->arrival;

		job->served = false;
		if (job->done < job->in->len)
			continue;
		naive_pool_release(node, job);
		remove_at(node->running, &node->num_running,
			  place_of(node->running, index));
		node->result->reqs[index].ttft = ttft;
		node->result->reqs[index].end = node->now;
		node->result->reqs[index].looked = job->looked;
		node->result->reqs[index].due = job->due;
		node->result->reqs[index].step = job->step;
		node->ttfts[node->num_ttfts++] = ttft;
		naive_order_ended(node);
	}
	node->num_served = 0;
}

/* The paper's step: what has begun runs on, then others are admitted. */
static void run_in_turn(struct naive_node *node, struct step *step)
{
	node->begun_work = 0;
	for (size_t i = 0; i < node->num_running; i++) {
		struct naive_job *job = &node->jobs[node->running[i]];

		job->h = job->done;
		job->c = job->in->len - job->h;
		node->begun_work += naive_work(node, job);
	}
	for (size_t i = 0; i < node->num_running && step->budget > 0; i++)
		plan_chunk(node, step, &node->jobs[node->running[i]]);
	if (may_admit(node, step)) {
		naive_order_begin(node);
		while (may_admit(node, step) && admit_one(node, step))
			;
		naive_order_end(node);
	}
}

static int by_number(const void *left, const void *right)
{
	size_t a = *(const size_t *)left;
	size_t b = *(const size_t *)right;

	return (a > b) - (a < b);
}

/* The one that is next gets tokens, if it may. */
static bool serve_one(struct naive_node *node, struct step *step)
{
	size_t place = naive_order_next(node);
	size_t index = node->waiting[place];

	if (!node->jobs[index].begun) {
		if (node->num_running < node->config.max_running)
			return admit_one(node, step);
		node->result->surprises++;
		return false;
	}
	remove_at(node->waiting, &node->num_waiting, place);
	naive_order_admitted(node, index);
	plan_chunk(node, step, &node->jobs[index]);
	return true;
}

/* What nobody else can use; its tenant pays for it. */
static void plan_rest(struct naive_node *node, struct step *step,
		      struct naive_job *job)
{
	if (node->policy.tenants)
		naive_tenants_pay(node, job);
	plan_chunk(node, step, job);
}

/* With pausing: all that is unfinished stands in the queue during a step. */
static void run_by_order(struct naive_node *node, struct step *step)
{
	size_t num = node->num_waiting;

	memcpy(node->waiting + num, node->running,
	       node->num_running * sizeof(*node->running));
	node->num_waiting += node->num_running;
	qsort(node->waiting, node->num_waiting, sizeof(*node->waiting),
	      by_number);
	naive_order_begin(node);
	while (step->budget > 0 && node->num_waiting > 0 &&
	       serve_one(node, step))
		;
	naive_order_end(node);
	num = node->num_waiting;
	node->num_waiting = 0;
	for (size_t i = 0; i < num; i++) {
		struct naive_job *job = &node->jobs[node->waiting[i]];

		if (!job->begun)
			node->waiting[node->num_waiting++] = node->waiting[i];
		else if (step->budget > 0)
			plan_rest(node, step, job);
	}
}

static void run_step(struct naive_node *node)
{
	struct step step = {.budget = node->config.budget};
	double seconds;

	if (node->policy.pause)
		run_by_order(node, &step);
	else
		run_in_turn(node, &step);
	assert(step.tokens > 0);
	seconds = naive_step_time(node->device, step.tokens, step.pairs);
	node->now += seconds;
	node->tokens += (uint64_t)step.tokens;
	node->result->busy += seconds;
	node->result->steps++;
	note_step(node, node->waiting, node->num_waiting, seconds);
	note_step(node, node->running, node->num_running, seconds);
	end_jobs(node);
}

static void run_all(struct naive_node *node)
{
	size_t next = 0;

	for (;;) {
		while (next < node->num_jobs &&
		       node->jobs[next].in->arrival <= node->now)
			queue_job(node, next++);
		if (node->num_waiting + node->num_running > 0)
			run_step(node);
		else if (next < node->num_jobs)
			node->now = node->jobs[next].in->arrival;
		else
			break;
	}
}

static void node_init(struct naive_node *node, const struct naive_request *reqs,
		      size_t num)
{
	uint32_t size = node->config.block_size;

	node->num_jobs = num;
	node->jobs = zeroed(num, sizeof(*node->jobs));
	node->waiting = zeroed(num, sizeof(*node->waiting));
	node->order = zeroed(num, sizeof(*node->order));
	node->running = zeroed(num, sizeof(*node->running));
	node->ttfts = zeroed(num, sizeof(*node->ttfts));
	node->tenants = zeroed(num, sizeof(*node->tenants));
	node->pointer = 9;
	node->gamma = node->policy.gamma;
	node->lanes.owner = NAIVE_NONE;
	for (size_t i = 0; i < num; i++) {
		assert(reqs[i].len > 0 &&
		       reqs[i].num_ids == reqs[i].len / size);
		assert(i == 0 || reqs[i].arrival >= reqs[i - 1].arrival);
		node->jobs[i].in = &reqs[i];
		node->jobs[i].num_blocks = (reqs[i].len + size - 1) / size;
	}
	naive_pool_init(node);
}

static void node_destroy(struct naive_node *node)
{
	naive_pool_destroy(node);
	free(node->tenants);
	free(node->ttfts);
	free(node->running);
	free(node->order);
	free(node->waiting);
	free(node->jobs);
}

int naive_run(const struct naive_request *reqs, size_t num,
	      const struct naive_config *config, const char *policy,
	      struct naive_result *result)
{
	struct naive_node node = {
		.config = *config,
		.device = naive_device_find(config->device),
		.result = result,
	};

	if (!node.device || naive_policy_parse(&node.policy, policy) < 0)
		return -EINVAL;
	memset(result, 0, sizeof(*result));
	result->reqs = zeroed(num, sizeof(*result->reqs));
	node_init(&node, reqs, num);
	run_all(&node);
	node_destroy(&node);
	return 0;
}

void naive_result_destroy(struct naive_result *result)
{
	free(result->reqs);
	result->reqs = NULL;
}
