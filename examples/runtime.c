/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime: Fairway keeps the queue, the KV cache's blocks and the plans.
 * Any thread submits; one thread schedules; a function of the engine computes
 * the plans, here on a thread of its own.
 */
#include <stdio.h>

#include <fairway/fairway.h>

#define BLOCK 16
#define PROMPTS 3

/* Runs on the executor's thread, one plan after the other. */
static int compute(void *ctx, const struct fw_plan *plan)
{
	*(unsigned int *)ctx += plan->num_tokens;
	return 0;
}

/* Runs on the scheduler's thread, once for each request. */
static void done(void *ctx, struct fw_request *req,
		 const struct fw_result *result)
{
	(void)ctx;
	printf("prompt %u: %s, %u of %u tokens were cached\n",
	       (unsigned int)req->id,
	       result->outcome == FW_DONE ? "done" : "not done", result->cached,
	       req->len);
}

int main(void)
{
	struct fw_host_config host = {.size = sizeof(host)};
	struct fw_config config = {.size = sizeof(config)};
	struct fw_request reqs[PROMPTS] = {{0}};
	struct fw_key keys[PROMPTS][8];
	struct fw_executor executor;
	unsigned int tokens = 0;
	struct fw *fw;

	host.compute = compute;
	host.ctx = &tokens;
	config.executor = &executor;
	config.done = done;
	config.num_blocks = 1024;
	config.block_tokens = BLOCK;
	if (fw_executor_host(&executor, &host) || fw_open(&fw, &config))
		return 1;
	for (unsigned int i = 0; i < PROMPTS; i++) {
		/* The first six blocks of all prompts are the same. */
		for (unsigned int k = 0; k < 8; k++)
			keys[i][k] = fw_key_widen(k < 6 ? k : 100 * i + k);
		reqs[i].id = i;
		reqs[i].len = 8 * BLOCK + 5;
		reqs[i].keys = keys[i];
		reqs[i].num_keys = 8;
		if (fw_submit(fw, &reqs[i], NULL))
			return 1;
	}
	fw_quiesce(fw);
	fw_run(fw);
	if (fw_close(fw, -1))
		return 1;
	printf("%u tokens were computed\n", tokens);
	return 0;
}
