/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda_double/double.h"
#include "tests/support/run.h"
#include "tests/support/torture.h"
#include "lockstep.h"
#include "prompts.h"

/*
 * Random histories of 10,000 plans, once on the host executor and once on the
 * CUDA executor and the double: the same requests end in the same order, in the
 * same way, at the same virtual time and with the same results. Some plans
 * fail, and what hit their blocks falls with them.
 */

#define PLANS 10000u
#define MAX_ENDS (PLANS * 16u)

/* One end, as either executor brings it about. */
struct end {
	uint64_t request;
	uint64_t value;
	struct fw_result result;
};

/**
 * struct history - one run
 * @memory: of the device, or of the host
 * @device: which of them
 * @seed: of all chances
 * @computed: plans that were launched
 * @own: for the next prompt's keys
 * @busy: whether each prompt is submitted
 * @ends: in order
 * @num_ends: how many
 * @wrong: results that the oracle does not have
 * @failed: plans that failed
 */
struct history {
	struct prompt_memory memory;
	bool device;
	uint64_t seed;
	uint64_t computed;
	uint64_t own;
	bool busy[PROMPTS];
	struct end *ends;
	uint32_t num_ends;
	uint32_t wrong;
	uint64_t failed;
};

static uint64_t seed;

/* By its number: the same plans fail in both runs. */
static int chance_fails(struct history *h)
{
	struct draw draw = {.state = h->seed ^ ++h->computed << 20};

	if (!one_in(&draw, 40))
		return 0;
	h->failed++;
	return one_in(&draw, 2) ? -EIO : -ETIMEDOUT;
}

static int launch(void *ctx, struct CUstream_st *stream,
		  const struct fw_cuda_plan *device, const struct fw_plan *host)
{
	struct history *h = ctx;
	int ret = chance_fails(h);

	(void)host;
	/* Those that fail may have been computed or not. */
	if (ret == -EIO)
		return ret;
	return prompt_launch(&h->memory, stream, device) ? -ENOEXEC : ret;
}

static int compute(void *ctx, const struct fw_plan *plan)
{
	struct history *h = ctx;
	int ret = chance_fails(h);

	if (ret != -EIO)
		prompt_compute(&h->memory, plan);
	return ret;
}

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct history *h = ctx;
	const uint64_t *at = &h->memory.results[req->id].value;
	struct end *end = &h->ends[h->num_ends++];

	*end = (struct end){.request = req->id, .result = *result};
	h->busy[req->id] = false;
	if (result->outcome != FW_DONE)
		return;
	if (h->device && !double_host_reads(at, sizeof(*at)))
		h->wrong++;
	end->value = *at;
	if (*at != prompt_expected((uint32_t)req->id))
		h->wrong++;
}

static void open_inner(struct history *h, uint32_t depth,
		       struct fw_executor *inner)
{
	const struct fw_cuda_config cuda = {
		.size = sizeof(cuda),
		.launch = launch,
		.ctx = h,
		.depth = depth,
		.max_sequences = PROMPT_RUNNING,
		.max_blocks = PROMPT_KEYS + 1,
		/* Loaded machines are slow, and no callback is lost here. */
		.lost_after = INT64_C(20000000000),
	};
	const struct fw_host_config host = {
		.size = sizeof(host),
		.compute = compute,
		.ctx = h,
		.depth = depth,
	};

	if (h->device)
		ck_assert_int_eq(fw_executor_cuda(inner, &cuda), 0);
	else
		ck_assert_int_eq(fw_executor_host(inner, &host), 0);
}

/* Some prompts, some of them cancelled soon. */
static void draw_prompts(struct history *h, struct draw *draw, struct fw *fw)
{
	uint32_t num = draw_below(draw, 5);

	for (uint32_t n = 0; n < num; n++) {
		uint32_t i = draw_below(draw, PROMPTS);
		uint32_t len = 1 + draw_below(draw, PROMPT_KEYS * PROMPT_BLOCK);
		uint32_t group = draw_below(draw, 12);
		uint64_t handle;

		if (h->busy[i])
			continue;
		prompt_make(i, len, group, h->own++);
		h->busy[i] = true;
		ck_assert_int_eq(fw_submit(fw, &prompts[i].req, &handle), 0);
		if (one_in(draw, 10))
			fw_cancel(fw, handle);
	}
}

static void run_history(struct history *h, uint32_t depth, uint32_t plans)
{
	const struct fw_order_config order = {.size = sizeof(order),
					      .budget = PROMPT_BUDGET};
	struct fw_executor inner, executor;
	const struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &executor,
		.done = on_done,
		.ctx = h,
		.num_blocks = PROMPT_BLOCKS,
		.block_tokens = PROMPT_BLOCK,
		.protect = depth % 2,
		.max_running = PROMPT_RUNNING,
		.max_waiting = PROMPTS,
		.max_retries = 1,
		.shards = 1,
	};
	struct draw draw = {.state = h->seed};
	struct lockstep *step;
	struct fw *fw;

	open_inner(h, depth, &inner);
	step = lockstep_open(&inner, &executor);
	ck_assert_int_eq(fw_open(&fw, &config), 0);
	while (lockstep_plans(step) < plans) {
		draw_prompts(h, &draw, fw);
		for (uint32_t n = draw_below(&draw, 4); n; n--)
			fw_step(fw);
	}
	while (fw_step(fw) > 0)
		;
	ck_assert_int_eq(fw_close(fw, -1), 0);
}

static void run_host(struct history *h, uint32_t depth, uint32_t plans)
{
	h->memory.kv = calloc(PROMPT_KV, sizeof(*h->memory.kv));
	h->memory.results = calloc(PROMPTS, sizeof(*h->memory.results));
	run_history(h, depth, plans);
	free(h->memory.kv);
	free(h->memory.results);
}

static void run_cuda(struct history *h, uint32_t depth, uint32_t plans)
{
	const struct double_faults slow = {.slow_ns = 2000, .seed = h->seed};
	const char *wrong;

	double_begin();
	cudaMalloc((void **)&h->memory.kv, PROMPT_KV * sizeof(*h->memory.kv));
	cudaMalloc((void **)&h->memory.results,
		   PROMPTS * sizeof(*h->memory.results));
	double_arm(&slow);
	run_history(h, depth, plans);
	cudaFree(h->memory.kv);
	cudaFree(h->memory.results);
	wrong = double_end();
	ck_assert_msg(!wrong, "depth %u: %s", depth, wrong);
}

static void check_same(const struct history *a, const struct history *b)
{
	ck_assert_uint_eq(a->wrong, 0);
	ck_assert_uint_eq(b->wrong, 0);
	ck_assert_uint_eq(a->num_ends, b->num_ends);
	ck_assert_uint_eq(a->failed, b->failed);
	ck_assert_uint_gt(a->failed, 0);
	for (uint32_t i = 0; i < a->num_ends; i++) {
		const struct end *x = &a->ends[i], *y = &b->ends[i];

		ck_assert_uint_eq(x->request, y->request);
		ck_assert_uint_eq(x->value, y->value);
		ck_assert_int_eq(x->result.outcome, y->result.outcome);
		ck_assert_int_eq(x->result.reason, y->result.reason);
		ck_assert_int_eq(x->result.status, y->result.status);
		ck_assert_uint_eq(x->result.cached, y->result.cached);
		ck_assert_uint_eq(x->result.computed, y->result.computed);
		ck_assert_int_eq(x->result.ended, y->result.ended);
	}
}

START_TEST(test_histories_end_as_on_the_host_executor)
{
	const uint32_t depth = (uint32_t)_i;
	const uint32_t plans = torture_rounds(PLANS);
	struct history host = {.seed = seed + depth};
	struct history cuda = {.seed = seed + depth, .device = true};

	host.ends = calloc(MAX_ENDS, sizeof(*host.ends));
	cuda.ends = calloc(MAX_ENDS, sizeof(*cuda.ends));
	run_host(&host, depth, plans);
	run_cuda(&cuda, depth, plans);
	check_same(&host, &cuda);
	printf("# depth %u: %u plans, %u of them failed, %u ends\n", depth,
	       (uint32_t)cuda.computed, (uint32_t)cuda.failed, cuda.num_ends);
	free(host.ends);
	free(cuda.ends);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("cuda_random");
	TCase *tcase = tcase_create("histories");

	tcase_set_timeout(tcase, 100);
	tcase_add_loop_test(tcase, test_histories_end_as_on_the_host_executor,
			    1, 5);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(make_suite());
}
