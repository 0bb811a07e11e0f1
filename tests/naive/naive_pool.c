/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>

#include "naive_node.h"

/*
 * A block of the pool is free, in the cache (held or not), or a running
 * request's own. Only the cache is kept by name; the others are counted.
 */

static int compare_ids(const void *left, const void *right)
{
	const struct naive_block *a = left;
	const struct naive_block *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static void *zeroed(size_t num, size_t size)
{
	void *memory = calloc(num + 1, size);

	if (!memory)
		abort();
	return memory;
}

static void list_ids(struct naive_node *node)
{
	size_t total = 0;
	size_t num = 0;

	for (size_t i = 0; i < node->num_jobs; i++)
		total += node->jobs[i].in->num_ids;
	node->blocks = zeroed(total, sizeof(*node->blocks));
	for (size_t i = 0; i < node->num_jobs; i++) {
		for (uint32_t j = 0; j < node->jobs[i].in->num_ids; j++)
			node->blocks[num++].id = node->jobs[i].in->ids[j];
	}
	qsort(node->blocks, num, sizeof(*node->blocks), compare_ids);
	for (size_t i = 0; i < num; i++) {
		if (i == 0 ||
		    node->blocks[i].id != node->blocks[node->num_blocks - 1].id)
			node->blocks[node->num_blocks++] = node->blocks[i];
	}
}

static void find_blocks(struct naive_node *node, struct naive_job *job)
{
	job->blocks = zeroed(job->in->num_ids, sizeof(*job->blocks));
	job->held = zeroed(job->in->num_ids, sizeof(*job->held));
	for (uint32_t i = 0; i < job->in->num_ids; i++) {
		struct naive_block key = {.id = job->in->ids[i]};
		struct naive_block *block =
			bsearch(&key, node->blocks, node->num_blocks,
				sizeof(key), compare_ids);

		job->blocks[i] = (size_t)(block - node->blocks);
		block->parent = i > 0 ? job->blocks[i - 1] : NAIVE_NONE;
	}
}

void naive_pool_init(struct naive_node *node)
{
	list_ids(node);
	for (size_t i = 0; i < node->num_jobs; i++)
		find_blocks(node, &node->jobs[i]);
}

void naive_pool_destroy(struct naive_node *node)
{
	for (size_t i = 0; i < node->num_jobs; i++) {
		free(node->jobs[i].blocks);
		free(node->jobs[i].held);
	}
	free(node->blocks);
}

uint32_t naive_pool_hit(const struct naive_node *node,
			const struct naive_job *job)
{
	uint32_t size = node->config.block_size;
	uint32_t num = 0;

	while (num < job->in->num_ids && node->blocks[job->blocks[num]].cached)
		num++;
	while (num * size > job->in->len - 1)
		num--;
	return num * size;
}

static uint32_t count_cached(const struct naive_node *node, bool unheld_only)
{
	uint32_t num = 0;

	for (size_t i = 0; i < node->num_blocks; i++) {
		if (node->blocks[i].cached &&
		    (!unheld_only || node->blocks[i].refs == 0))
			num++;
	}
	return num;
}

static uint32_t count_free(const struct naive_node *node)
{
	uint32_t used = count_cached(node, false) + node->own_blocks;

	assert(used <= node->config.pool_blocks);
	return node->config.pool_blocks - used;
}

/* Marks what the requests that wait now would hit now. */
static bool *mark_wanted(const struct naive_node *node)
{
	bool *wanted = zeroed(node->num_blocks, sizeof(*wanted));

	for (size_t i = 0; i < node->num_waiting; i++) {
		const struct naive_job *job = &node->jobs[node->waiting[i]];

		if (job->begun)
			continue;
		uint32_t num =
			naive_pool_hit(node, job) / node->config.block_size;

		for (uint32_t j = 0; j < num; j++)
			wanted[job->blocks[j]] = true;
	}
	return wanted;
}

static bool has_cached_child(const struct naive_node *node, size_t parent)
{
	for (size_t i = 0; i < node->num_blocks; i++) {
		if (node->blocks[i].cached && node->blocks[i].parent == parent)
			return true;
	}
	return false;
}

static bool goes_before(const struct naive_node *node, size_t left,
			size_t right)
{
	const struct naive_block *a = &node->blocks[left];
	const struct naive_block *b = &node->blocks[right];

	if (node->policy.pgdsf && a->prio != b->prio)
		return a->prio < b->prio;
	return a->released < b->released;
}

static size_t find_victim(const struct naive_node *node, const bool *spared)
{
	size_t victim = NAIVE_NONE;

	for (size_t i = 0; i < node->num_blocks; i++) {
		if (!node->blocks[i].cached || node->blocks[i].refs > 0)
			continue;
		if (spared && spared[i])
			continue;
		if (victim != NAIVE_NONE && !goes_before(node, i, victim))
			continue;
		if (node->policy.pgdsf && has_cached_child(node, i))
			continue;
		victim = i;
	}
	return victim;
}

static void evict_one(struct naive_node *node)
{
	size_t victim = NAIVE_NONE;

	if (node->policy.protect) {
		bool *wanted = mark_wanted(node);

		victim = find_victim(node, wanted);
		free(wanted);
	}
	if (victim == NAIVE_NONE)
		victim = find_victim(node, NULL);
	assert(victim != NAIVE_NONE);
	node->blocks[victim].cached = false;
	if (node->blocks[victim].prio > node->clock)
		node->clock = node->blocks[victim].prio;
}

static void hold_hit(struct naive_node *node, struct naive_job *job,
		     uint32_t hit)
{
	for (uint32_t i = 0; i < hit / node->config.block_size; i++) {
		struct naive_block *block = &node->blocks[job->blocks[i]];

		job->held[i] = true;
		block->refs++;
		block->freq += 1;
		block->prio = node->clock + block->freq * block->cost;
	}
}

bool naive_pool_take(struct naive_node *node, struct naive_job *job,
		     uint32_t hit)
{
	uint32_t hit_blocks = hit / node->config.block_size;
	uint32_t needed = job->num_blocks - hit_blocks;
	uint32_t usable = count_free(node) + count_cached(node, true);

	for (uint32_t i = 0; i < hit_blocks; i++) {
		if (node->blocks[job->blocks[i]].refs == 0)
			usable--;
	}
	if (usable < needed)
		return false;
	job->rate = naive_idle_time(node->device, hit, job->in->len) /
		    (job->in->len - hit);
	hold_hit(node, job, hit);
	while (count_free(node) < needed)
		evict_one(node);
	node->own_blocks += needed;
	return true;
}

static void store_block(struct naive_node *node, struct naive_job *job,
			uint32_t index)
{
	struct naive_block *block = &node->blocks[job->blocks[index]];

	if (block->cached)
		return; /* the copy that is computed again stays its own */
	block->cached = true;
	block->refs = 1;
	block->freq = 1;
	block->cost = job->rate;
	block->prio = node->clock + block->cost;
	job->held[index] = true;
	node->own_blocks--;
}

void naive_pool_store(struct naive_node *node, struct naive_job *job,
		      uint32_t before)
{
	uint32_t size = node->config.block_size;

	for (uint32_t i = 0; i < job->in->num_ids; i++) {
		uint32_t end = (i + 1) * size;

		if (end > before && end <= job->done)
			store_block(node, job, i);
	}
}

void naive_pool_release(struct naive_node *node, struct naive_job *job)
{
	for (uint32_t i = job->num_blocks; i-- > 0;) {
		struct naive_block *block;

		if (i >= job->in->num_ids || !job->held[i]) {
			node->own_blocks--;
			continue;
		}
		block = &node->blocks[job->blocks[i]];
		block->refs--;
		if (block->refs == 0)
			block->released = ++node->releases;
	}
}
