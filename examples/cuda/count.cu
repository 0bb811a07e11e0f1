/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <fairway/cuda.h>
#include <fairway/fairway.h>

/*
 * The runtime with a kernel of one's own on a CUDA device. It counts what a
 * prefill would compute, and reads the block table as one would. The host
 * counts the same from its plans, and both must agree.
 *
 *	nvcc -o count count.cu $(pkg-config --cflags --libs fairway-cuda)
 */

#define PROMPTS 40
#define BLOCK 16
#define KEYS 24

/* The device's 64-bit atomics are spelt for this type. */
typedef unsigned long long sum_t;

/* What all plans were made of, by the device or by the host. */
struct count {
	sum_t tokens;
	sum_t twice_pairs;
	sum_t blocks;
};

struct engine {
	struct count *device;
	struct count host;
	unsigned int done;
};

/* One thread block for each chunk, one thread for some blocks of its table. */
static __global__ void count_plan(struct fw_cuda_plan plan,
				  struct count *count)
{
	const struct fw_plan_entry *entry = &plan.entries[blockIdx.x];
	const uint32_t *table = plan.tables + entry->sequence * plan.stride;
	sum_t q = entry->count;

	if (threadIdx.x == 0) {
		atomicAdd(&count->tokens, q);
		atomicAdd(&count->twice_pairs, q * (2 * entry->first + q + 1));
	}
	for (uint32_t i = threadIdx.x; i < entry->num_blocks; i += blockDim.x)
		atomicAdd(&count->blocks, (i + 1) * (sum_t)table[i]);
}

/* The same by the host, from the plan as the scheduler made it. */
static void count_host(struct count *count, const struct fw_plan *plan)
{
	for (uint32_t e = 0; e < plan->num_entries; e++) {
		const struct fw_plan_entry *entry = &plan->entries[e];
		sum_t q = entry->count;

		count->tokens += q;
		count->twice_pairs += q * (2 * entry->first + q + 1);
		for (uint32_t i = 0; i < entry->num_blocks; i++)
			count->blocks += (i + 1) *
				(sum_t)plan->tables[entry->sequence][i];
	}
}

/* Fairway calls this for each plan: launch and return. */
static int launch(void *ctx, struct CUstream_st *stream,
		  const struct fw_cuda_plan *device, const struct fw_plan *host)
{
	struct engine *engine = (struct engine *)ctx;

	count_host(&engine->host, host);
	count_plan<<<device->num_entries, 64, 0, stream>>>(*device,
							   engine->device);
	return cudaGetLastError() == cudaSuccess ? 0 : -5;
}

static void done(void *ctx, struct fw_request *req,
		 const struct fw_result *result)
{
	struct engine *engine = (struct engine *)ctx;

	(void)req;
	engine->done += result->outcome == FW_DONE;
}

/* Some of the prompts share their first blocks. */
static void make_prompts(struct fw_request *reqs, struct fw_key (*keys)[KEYS])
{
	for (uint32_t i = 0; i < PROMPTS; i++) {
		uint32_t shared = i % 4 * 4;

		memset(&reqs[i], 0, sizeof(reqs[i]));
		for (uint32_t k = 0; k < KEYS; k++)
			keys[i][k] = fw_key_widen(
				k < shared ? shared * KEYS + k
					   : (i + 100) * KEYS + k);
		reqs[i].id = i;
		reqs[i].len = BLOCK * KEYS - i;
		reqs[i].keys = keys[i];
		reqs[i].num_keys = reqs[i].len / BLOCK;
	}
}

static int serve(struct engine *engine, const struct fw_executor *executor)
{
	static struct fw_request reqs[PROMPTS];
	static struct fw_key keys[PROMPTS][KEYS];
	struct fw_order_config order;
	struct fw_config config;
	struct fw *fw;
	int err;

	memset(&order, 0, sizeof(order));
	order.size = sizeof(order);
	order.budget = 128;
	memset(&config, 0, sizeof(config));
	config.size = sizeof(config);
	config.order = &order;
	config.executor = executor;
	config.done = done;
	config.ctx = engine;
	config.num_blocks = 512;
	config.block_tokens = BLOCK;
	config.max_running = 16;
	err = fw_open(&fw, &config);
	if (err)
		return err;
	make_prompts(reqs, keys);
	for (uint32_t i = 0; i < PROMPTS && !err; i++)
		err = fw_submit(fw, &reqs[i], NULL);
	fw_quiesce(fw);
	if (!err)
		err = fw_run(fw);
	fw_close(fw, -1);
	return err;
}

static int compare(const struct engine *engine)
{
	struct count got;

	if (cudaMemcpy(&got, engine->device, sizeof(got),
		       cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	printf("%u of %d prompts are done\n", engine->done, PROMPTS);
	printf("device: %llu tokens, tables %llu\n", got.tokens, got.blocks);
	printf("host:   %llu tokens, tables %llu\n", engine->host.tokens,
	       engine->host.blocks);
	return engine->done != PROMPTS ||
	       memcmp(&got, &engine->host, sizeof(got)) != 0;
}

int main(void)
{
	struct fw_cuda_config config;
	struct fw_executor executor;
	struct engine engine;
	int err;

	memset(&engine, 0, sizeof(engine));
	if (cudaMalloc(&engine.device, sizeof(*engine.device)) !=
		    cudaSuccess ||
	    cudaMemset(engine.device, 0, sizeof(*engine.device)) !=
		    cudaSuccess) {
		puts("no CUDA device");
		return 77;
	}
	memset(&config, 0, sizeof(config));
	config.size = sizeof(config);
	config.launch = launch;
	config.ctx = &engine;
	config.max_sequences = 16;
	config.max_blocks = KEYS;
	err = fw_executor_cuda(&executor, &config);
	if (!err)
		err = serve(&engine, &executor);
	if (err) {
		printf("failed: %d\n", err);
		return 1;
	}
	err = compare(&engine);
	cudaFree(engine.device);
	return err;
}
