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
	node->waiting[node->num_waiting++] = index;
}

static void plan_chunk(struct naive_node *node, struct step *step,
		       struct naive_job *job)
{
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

	if (!naive_pool_take(node, job, hit))
		return false;
	remove_at(node->waiting, &node->num_waiting, place);
	naive_order_admitted(node, index);
	node->running[node->num_running++] = index;
	node->result->reqs[index].cached = hit;
	job->done = hit;
	plan_chunk(node, step, job);
	return true;
}

static bool may_admit(const struct naive_node *node, const struct step *step)
{
	return step->budget > 0 && node->num_waiting > 0 &&
	       node->num_running < node->config.max_running;
}

static void end_jobs(struct naive_node *node)
{
	size_t place = 0;

	while (place < node->num_running) {
		size_t index = node->running[place];
		struct naive_job *job = &node->jobs[index];
		double ttft = node->now - job->in->arrival;

		if (job->done < job->in->len) {
			place++;
			continue;
		}
		naive_pool_release(node, job);
		remove_at(node->running, &node->num_running, place);
		node->result->reqs[index].ttft = ttft;
		node->ttfts[node->num_ttfts++] = ttft;
		naive_order_ended(node);
	}
}

static void run_step(struct naive_node *node)
{
	struct step step = {.budget = node->config.budget};
	double seconds;

	for (size_t i = 0; i < node->num_running && step.budget > 0; i++)
		plan_chunk(node, &step, &node->jobs[node->running[i]]);
	if (may_admit(node, &step)) {
		naive_order_begin(node);
		while (may_admit(node, &step) && admit_one(node, &step))
			;
		naive_order_end(node);
	}
	assert(step.tokens > 0);
	seconds = naive_step_time(node->device, step.tokens, step.pairs);
	node->now += seconds;
	node->tokens += (uint64_t)step.tokens;
	node->result->busy += seconds;
	node->result->steps++;
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
	node->running = zeroed(num, sizeof(*node->running));
	node->ttfts = zeroed(num, sizeof(*node->ttfts));
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
	free(node->ttfts);
	free(node->running);
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
