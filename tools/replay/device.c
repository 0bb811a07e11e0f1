/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <time.h>

#include "lib/cost/device.h"

static double step_time(const struct replay_device *self,
			const struct fw_plan *plan)
{
	const struct fw_device device = {"replay", self->step[0], self->step[1],
					 self->step[2], self->step[3]};
	double pairs = 0.0;

	for (uint32_t i = 0; i < plan->num_entries; i++)
		pairs += fw_device_pairs(plan->entries[i].first,
					 plan->entries[i].count);
	return fw_device_step(&device, plan->num_tokens, pairs);
}

/* What an embedder's function does, but for the work: on its own thread. */
static int compute(void *ctx, const struct fw_plan *plan)
{
	const struct replay_device *self = ctx;
	double seconds = step_time(self, plan) / self->speed;
	struct timespec left = {.tv_sec = (time_t)seconds};

	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left))
		;
	return 0;
}

/* The one before has been computed by now, or is about to be. */
static void tell_queue(struct replay_device *self)
{
	const struct replay_queue *queue = self->queue;

	if (queue->policy->stepped && self->tokens)
		queue->policy->stepped(queue->order, self->tokens);
	self->tokens = 0;
}

static int submit(void *ctx, const struct fw_plan *plan,
		  struct fw_flight *flight)
{
	struct replay_device *self = ctx;

	tell_queue(self);
	self->tokens = plan->num_tokens;
	self->busy_s += step_time(self, plan);
	return self->inner.ops->submit(self->inner.ctx, plan, flight);
}

static void destroy(void *ctx)
{
	struct replay_device *self = ctx;

	fw_executor_destroy(&self->inner);
}

static const struct fw_executor_ops replay_ops = {
	.size = sizeof(replay_ops),
	.submit = submit,
	.destroy = destroy,
};

static int open_cuda(struct replay_device *self,
		     const struct replay_config *replay,
		     const struct replay_size *size)
{
	const struct fw_cuda_config cuda = {
		.size = sizeof(cuda),
		.launch = replay->cuda->busy,
		.ctx = &self->busy,
		.depth = replay->depth,
		.max_sequences = size->sequences,
		.max_blocks = size->blocks,
	};

	for (int i = 0; i < 4; i++)
		self->busy.step[i] = self->step[i];
	self->busy.speed = self->speed;
	return replay->cuda->open(&self->inner, &cuda);
}

static int open_inner(struct replay_device *self,
		      const struct replay_config *replay,
		      const struct replay_size *size)
{
	const struct fw_model_config model = {
		.size = sizeof(model),
		.step = self->step,
		.speed = replay->speed,
		.wall_clock = 1,
		.depth = replay->depth,
	};
	const struct fw_host_config host = {
		.size = sizeof(host),
		.compute = compute,
		.ctx = self,
		.depth = replay->depth,
	};

	if (replay->executor == REPLAY_CUDA)
		return open_cuda(self, replay, size);
	if (replay->executor == REPLAY_HOST)
		return fw_executor_host(&self->inner, &host);
	return fw_executor_model(&self->inner, &model);
}

int replay_device_open(struct fw_executor *out, struct replay_device *self,
		       const struct fw_device *device,
		       const struct replay_config *replay,
		       const struct replay_size *size,
		       struct replay_queue *queue)
{
	int ret;

	*self = (struct replay_device){
		.step = {device->t0, device->a, device->b, device->tw},
		.speed = replay->speed,
		.queue = queue,
	};
	ret = open_inner(self, replay, size);
	if (ret)
		return ret;
	*out = (struct fw_executor){
		.ops = &replay_ops,
		.ctx = self,
		.depth = replay->depth,
	};
	return 0;
}
