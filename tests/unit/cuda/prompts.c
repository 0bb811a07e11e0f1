/* SPDX-License-Identifier: Apache-2.0 */
#include "prompts.h"

#include <errno.h>
#include <string.h>

#include "tests/cuda_double/double.h"

struct prompt prompts[PROMPTS];

/**
 * struct work - a kernel's argument
 * @memory: where the KV stands
 * @plan: of the device
 * @host: or of the host
 */
struct work {
	struct prompt_memory memory;
	struct fw_cuda_plan plan;
	const struct fw_plan *host;
};

static uint64_t mix(uint64_t before, uint64_t key, uint32_t token)
{
	uint64_t z = (before ^ key * 0x9e3779b97f4a7c15) + token;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	return z ^ (z >> 31);
}

static uint64_t content(const struct prompt *p, uint32_t token)
{
	uint32_t block = token / PROMPT_BLOCK;

	return block < p->req.num_keys ? p->keys[block].lo : ~p->req.id;
}

void prompt_make(uint32_t i, uint32_t len, uint32_t group, uint64_t own)
{
	struct prompt *p = &prompts[i];

	memset(p, 0, sizeof(*p));
	for (uint32_t k = 0; k < PROMPT_KEYS; k++)
		p->keys[k] = fw_key_widen(k <= group ? group * 64 + k
						     : (own + 64) * 64 + k);
	p->req.id = i;
	p->req.len = len;
	p->req.keys = p->keys;
	p->req.num_keys = len / PROMPT_BLOCK;
}

uint64_t prompt_expected(uint32_t i)
{
	uint64_t value = 0;

	for (uint32_t t = 0; t < prompts[i].req.len; t++)
		value = mix(value, content(&prompts[i], t), t);
	return value;
}

static const uint32_t *table(const struct work *work, uint32_t sequence)
{
	if (work->host)
		return work->host->tables[sequence];
	return work->plan.tables + sequence * work->plan.stride;
}

/* Does the double allow it? On the host all is allowed. */
static bool may(const struct work *work, const void *ptr, size_t size,
		bool writes)
{
	if (work->host)
		return true;
	return writes ? double_writes(ptr, size) : double_reads(ptr, size);
}

static uint64_t *token(const struct work *work, const uint32_t *blocks,
		       uint32_t t)
{
	uint32_t at =
		blocks[t / PROMPT_BLOCK] * PROMPT_BLOCK + t % PROMPT_BLOCK;

	if (at >= PROMPT_KV) {
		double_wrong("a block table with a number that is none");
		return NULL;
	}
	return &work->memory.kv[at];
}

static void compute_entry(const struct work *work,
			  const struct fw_plan_entry *entry)
{
	const uint32_t *blocks = table(work, entry->sequence);
	uint32_t end = entry->first + entry->count;
	uint64_t value = 0;
	uint64_t *at;

	if (!may(work, blocks, entry->num_blocks * sizeof(*blocks), false))
		return;
	if (entry->first) {
		at = token(work, blocks, entry->first - 1);
		if (!at || !may(work, at, sizeof(*at), false))
			return;
		value = *at;
	}
	for (uint32_t t = entry->first; t < end; t++) {
		at = token(work, blocks, t);
		if (!at || !may(work, at, sizeof(*at), true))
			return;
		value = mix(value, content(&prompts[entry->request], t), t);
		*at = value;
	}
	at = &work->memory.results[entry->request].value;
	if (entry->flags & FW_PLAN_LAST && may(work, at, sizeof(*at), true))
		*at = value;
}

static void kernel(const void *arg)
{
	const struct work *work = arg;
	const struct fw_plan_entry *entries = work->plan.entries;
	uint32_t num = work->plan.num_entries;

	if (!double_reads(entries, num * sizeof(*entries)))
		return;
	for (uint32_t i = 0; i < num; i++)
		compute_entry(work, &entries[i]);
}

int prompt_launch(const struct prompt_memory *memory,
		  struct CUstream_st *stream, const struct fw_cuda_plan *device)
{
	static const struct double_kernel k = {kernel, sizeof(struct work)};
	const dim3 one = {1, 1, 1};
	struct work work = {.memory = *memory, .plan = *device};
	void *args[] = {&work};

	return cudaLaunchKernel(&k, one, one, args, 0, stream) ? -EIO : 0;
}

void prompt_compute(const struct prompt_memory *memory,
		    const struct fw_plan *plan)
{
	const struct work work = {.memory = *memory, .host = plan};

	for (uint32_t i = 0; i < plan->num_entries; i++)
		compute_entry(&work, &plan->entries[i]);
}
