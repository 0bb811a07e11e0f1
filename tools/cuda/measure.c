/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <errno.h>
#include <stdlib.h>

#include <fairway/runtime.h>

#include "lib/cost/device.h"
#include "tools/base/mem.h"
#include "load.h"

#define BUDGET 2048u
#define BLOCK 16u
#define LONGEST 16384u

/* Below the knee of most devices, around it, whole steps, and long prompts. */
static const uint32_t lengths[] = {
	1,   8,	  16,  32,  64,	  96,	128,  192,  256,  320,	384,  448,
	512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 4096, 8192, LONGEST,
};

enum {
	NUM_LENGTHS = sizeof(lengths) / sizeof(lengths[0])
};

/**
 * struct measure - one run
 * @library: the executor
 * @executor: made by it; in front of it this counts
 * @busy: the stand-in's times
 * @steps: in the order of the plans; seconds come with timed()
 * @num_timed: of them
 * @reqs: the prompts
 * @failed: a prompt was not computed, or no memory: -errno
 */
struct measure {
	struct cuda_library library;
	struct fw_executor executor;
	struct fw_cuda_busy busy;
	struct steps steps;
	size_t num_timed;
	struct fw_request reqs[NUM_LENGTHS];
	int failed;
};

/* The launch: note what the step is made of, then be busy for its time. */
static int launch(void *ctx, struct CUstream_st *stream,
		  const struct fw_cuda_plan *device, const struct fw_plan *host)
{
	struct measure *m = ctx;
	struct steps *steps = &m->steps;
	struct step *list = mem_grow(steps->list, &steps->cap, steps->num + 1,
				     sizeof(*list));
	struct step *step;

	if (!list)
		return -ENOMEM;
	steps->list = list;
	step = &list[steps->num++];
	*step = (struct step){.tokens = host->num_tokens, .line = steps->num};
	for (uint32_t i = 0; i < host->num_entries; i++)
		step->pairs += fw_device_pairs(host->entries[i].first,
					       host->entries[i].count);
	return m->library.busy(&m->busy, stream, device, host);
}

/* Plans are numbered from 1, and each has one launch. */
static void timed(void *ctx, const struct fw_cuda_time *time)
{
	struct measure *m = ctx;

	if (time->plan > m->steps.num)
		return;
	m->steps.list[time->plan - 1].seconds =
		(double)time->device_ns / 1e9 * m->busy.speed;
	m->num_timed++;
}

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct measure *m = ctx;

	(void)req;
	if (result->outcome != FW_DONE)
		m->failed = result->status ? result->status : -EIO;
}

static int open_runtime(struct measure *m, struct fw **fw)
{
	const struct fw_cuda_config cuda = {
		.size = sizeof(cuda),
		.launch = launch,
		.ctx = m,
		.max_sequences = 1,
		.max_blocks = LONGEST / BLOCK,
		.timed = timed,
	};
	const struct fw_order_config order = {.size = sizeof(order),
					      .budget = BUDGET};
	const struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &m->executor,
		.done = on_done,
		.ctx = m,
		.num_blocks = LONGEST / BLOCK,
		.block_tokens = BLOCK,
		.max_running = 1,
	};
	int ret = m->library.open(&m->executor, &cuda);

	if (ret)
		return ret;
	ret = fw_open(fw, &config);
	if (ret)
		fw_executor_destroy(&m->executor);
	return ret;
}

/* The last times come when the runtime is closed. */
static int serve(struct measure *m)
{
	struct fw *fw;
	int ret = open_runtime(m, &fw);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < NUM_LENGTHS && !ret; i++) {
		m->reqs[i] = (struct fw_request){.id = i, .len = lengths[i]};
		ret = fw_submit(fw, &m->reqs[i], NULL);
	}
	fw_quiesce(fw);
	if (!ret)
		ret = fw_run(fw);
	fw_close(fw, -1);
	if (!ret)
		ret = m->failed;
	return !ret && m->num_timed != m->steps.num ? -EIO : ret;
}

int cuda_measure(struct steps *steps, const char *device, double speed,
		 struct diag *diag)
{
	const struct fw_device *d = fw_device_find(device);
	struct measure m = {.failed = 0};
	int err;

	if (!d)
		return diag_set(diag, -EINVAL,
				"--device: unknown device \"%s\"", device);
	m.busy = (struct fw_cuda_busy){.step = {d->t0, d->a, d->b, d->tw},
				       .speed = speed};
	err = cuda_library_load(&m.library, diag);
	if (err)
		return err;
	err = serve(&m);
	if (err) {
		free(m.steps.list);
		return cuda_library_failed(err, diag);
	}
	*steps = m.steps;
	return 0;
}
