/* SPDX-License-Identifier: Apache-2.0 */
#include "by_cuda.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void by_cuda_wrong(struct by_cuda *run, const char *format, ...)
{
	va_list args;

	if (run->wrong[0])
		return;
	va_start(args, format);
	vsnprintf(run->wrong, sizeof(run->wrong), format, args);
	va_end(args);
}

void by_cuda_prompts(uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		prompt_make(i, 100 + i * 37 % 140, i % 4, i);
}

static int launch(void *ctx, struct CUstream_st *stream,
		  const struct fw_cuda_plan *device, const struct fw_plan *host)
{
	struct by_cuda *run = ctx;

	(void)host;
	if (++run->launches == run->launch_fails)
		return -EIO;
	return prompt_launch(&run->memory, stream, device);
}

static void timed(void *ctx, const struct fw_cuda_time *time)
{
	struct by_cuda *run = ctx;

	run->times++;
	if (time->device_ns < 0 || time->idle_ns < 0)
		by_cuda_wrong(run, "a time below 0");
}

struct fw_cuda_config by_cuda_config(struct by_cuda *run)
{
	return (struct fw_cuda_config){
		.size = sizeof(struct fw_cuda_config),
		.launch = launch,
		.ctx = run,
		.device = run->device,
		.depth = run->depth,
		.max_sequences = PROMPT_RUNNING,
		.max_blocks = PROMPT_KEYS + 1,
		.lost_after = run->lost_after ? run->lost_after : 2000000,
		.hang_after = run->hang_after,
		.timed = timed,
		.allocator = run->allocator,
	};
}

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct by_cuda *run = ctx;
	uint32_t i = (uint32_t)req->id;
	const uint64_t *at = &run->memory.results[i].value;

	prompts[i].times++;
	prompts[i].end = *result;
	if (result->outcome != FW_DONE)
		return;
	/* The host was told that the plan ended, and so it has. */
	if (!double_host_reads(at, sizeof(*at)))
		by_cuda_wrong(run, "prompt %u ended before its plan", i);
	else if (*at != prompt_expected(i))
		by_cuda_wrong(run, "prompt %u has a wrong result", i);
}

static void take_memory(struct by_cuda *run)
{
	int before;

	cudaGetDevice(&before);
	cudaSetDevice(run->device);
	cudaMalloc((void **)&run->memory.kv,
		   PROMPT_KV * sizeof(*run->memory.kv));
	cudaMalloc((void **)&run->memory.results,
		   PROMPTS * sizeof(*run->memory.results));
	cudaSetDevice(before);
}

/* A runtime that is opened while another runs shares the double with it. */
int by_cuda_open(struct by_cuda *run, const struct double_faults *faults)
{
	const struct fw_cuda_config config = by_cuda_config(run);
	const struct fw_order_config order = {.size = sizeof(order),
					      .budget = PROMPT_BUDGET};
	struct fw_config runtime = {
		.size = sizeof(runtime),
		.order = &order,
		.executor = &run->executor,
		.done = on_done,
		.ctx = run,
		.num_blocks = PROMPT_BLOCKS,
		.block_tokens = PROMPT_BLOCK,
		.max_running = PROMPT_RUNNING,
		.max_waiting = PROMPTS,
		.max_retries = run->retries,
		.shards = 1,
	};
	int ret;

	take_memory(run);
	if (faults)
		double_arm(faults);
	ret = fw_executor_cuda(&run->executor, &config);
	if (ret)
		return ret;
	ret = fw_open(&run->fw, &runtime);
	if (ret) {
		by_cuda_wrong(run, "fw_open: %d", ret);
		fw_executor_destroy(&run->executor);
	}
	return ret;
}

void by_cuda_serve(struct by_cuda *run)
{
	for (uint32_t i = 0; i < run->num; i++)
		if (fw_submit(run->fw, &prompts[i].req, NULL))
			by_cuda_wrong(run, "prompt %u was refused", i);
	fw_quiesce(run->fw);
	run->ran = fw_run(run->fw);
}

static void check_ends(struct by_cuda *run)
{
	for (uint32_t i = 0; i < run->num; i++) {
		const struct fw_result *end = &prompts[i].end;

		if (prompts[i].times != 1)
			by_cuda_wrong(run, "prompt %u ended %u times", i,
				      prompts[i].times);
		if (end->outcome == FW_FAILED &&
		    end->reason != FW_REASON_PLAN &&
		    end->reason != FW_REASON_DEVICE)
			by_cuda_wrong(run, "prompt %u failed without a reason",
				      i);
	}
}

/* What the executor counts is what the runtime saw of it. */
static void read_stats(struct by_cuda *run)
{
	run->runtime.size = sizeof(run->runtime);
	fw_read_stats(run->fw, &run->runtime);
	run->stats.size = sizeof(run->stats);
	fw_executor_cuda_stats(&run->executor, &run->stats);
	if (run->runtime.reports_ignored)
		by_cuda_wrong(run, "a plan was reported twice");
	if (run->runtime.plans != run->stats.plans + run->stats.refused)
		by_cuda_wrong(run, "plans are missing from the counters");
}

void by_cuda_close(struct by_cuda *run)
{
	const char *wrong;

	double_steady(false);
	if (run->fw) {
		read_stats(run);
		if (fw_close(run->fw, 10000000000))
			by_cuda_wrong(run, "it does not close");
		check_ends(run);
		run->fw = NULL;
	}
	run->faulty_calls = double_calls();
	double_arm(NULL);
	cudaFree(run->memory.kv);
	cudaFree(run->memory.results);
	wrong = double_end();
	if (wrong)
		by_cuda_wrong(run, "%s", wrong);
}

int by_cuda_run(struct by_cuda *run, const struct double_faults *faults)
{
	int ret;

	double_begin();
	by_cuda_prompts(run->num);
	ret = by_cuda_open(run, faults);
	if (!ret) {
		double_steady(true);
		by_cuda_serve(run);
	}
	by_cuda_close(run);
	return ret;
}

uint32_t by_cuda_ended(const struct by_cuda *run, enum fw_outcome outcome)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < run->num; i++)
		num += prompts[i].end.outcome == outcome;
	return num;
}
