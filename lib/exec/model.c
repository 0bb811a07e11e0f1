/* SPDX-License-Identifier: Apache-2.0 */
#include <fairway/executor.h>
#include <fairway/order.h>

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <time.h>

#include "lib/base/alloc.h"
#include "lib/base/clock.h"
#include "lib/base/settings.h"
#include "lib/cost/device.h"
#include "worker.h"

/* No step takes longer: settings may be absurd, times stay numbers. */
#define LONGEST_STEP_S 1e9

/**
 * struct waiting_end - a plan of the virtual device
 * @flight: to report its end by
 * @end: when that is, seconds
 */
struct waiting_end {
	struct fw_flight *flight;
	double end;
};

/**
 * struct model - a device that takes its time
 * @device: step times
 * @speed: divides them
 * @now: virtual seconds
 * @last_end: when the last plan submitted ends, virtual seconds
 * @ends: ring of plans in flight
 * @first: of @ends
 * @num: how many
 * @free_at: real time: when the device is free, nanoseconds; the worker's own
 * @worker: real time
 * @allocator: of this struct
 */
struct model {
	struct fw_device device;
	double speed;
	double now;
	double last_end;
	struct waiting_end ends[FW_DEPTH_MAX];
	uint32_t first;
	uint32_t num;
	int64_t free_at;
	struct fw_worker worker;
	struct fw_allocator allocator;
};

static double step_time(const struct model *model, const struct fw_plan *plan)
{
	double pairs = 0.0, time;

	for (uint32_t i = 0; i < plan->num_entries; i++)
		pairs += fw_device_pairs(plan->entries[i].first,
					 plan->entries[i].count);
	time = fw_device_step(&model->device, plan->num_tokens, pairs) /
	       model->speed;
	return time < LONGEST_STEP_S ? time : LONGEST_STEP_S;
}

static int submit_virtual(void *ctx, const struct fw_plan *plan,
			  struct fw_flight *flight)
{
	struct model *model = ctx;
	uint32_t last = (model->first + model->num) % FW_DEPTH_MAX;

	assert(model->num < FW_DEPTH_MAX);
	model->num++;
	if (model->last_end < model->now)
		model->last_end = model->now;
	model->last_end += step_time(model, plan);
	model->ends[last] = (struct waiting_end){flight, model->last_end};
	return 0;
}

static double now(void *ctx)
{
	return ((const struct model *)ctx)->now;
}

static void idle(void *ctx)
{
	struct model *model = ctx;
	const struct waiting_end *oldest = &model->ends[model->first];

	assert(model->num);
	model->now = oldest->end;
	model->first = (model->first + 1) % FW_DEPTH_MAX;
	model->num--;
	fw_plan_done(oldest->flight, 0);
}

static void free_model(struct model *model)
{
	const struct fw_allocator allocator = model->allocator;

	fw_free_array(&allocator, model, 1, sizeof(*model));
}

static void destroy_virtual(void *ctx)
{
	struct model *model = ctx;

	while (model->num)
		idle(model);
	free_model(model);
}

static const struct fw_executor_ops virtual_ops = {
	.size = sizeof(virtual_ops),
	.submit = submit_virtual,
	.destroy = destroy_virtual,
	.now = now,
	.idle = idle,
};

/* The worker: it is late at times, but the device's own clock is not. */
static int run(void *ctx, const struct fw_work *work)
{
	struct model *model = ctx;
	int64_t time = fw_clock_ns(step_time(model, work->plan));
	struct timespec end;

	if (model->free_at < work->submitted)
		model->free_at = work->submitted;
	if (__builtin_add_overflow(model->free_at, time, &model->free_at))
		model->free_at = INT64_MAX;
	end.tv_sec = model->free_at / 1000000000;
	end.tv_nsec = model->free_at % 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL))
		;
	return 0;
}

static int submit_real(void *ctx, const struct fw_plan *plan,
		       struct fw_flight *flight)
{
	struct model *model = ctx;

	fw_worker_push(&model->worker, plan, flight);
	return 0;
}

static void destroy_real(void *ctx)
{
	struct model *model = ctx;

	fw_worker_stop(&model->worker);
	free_model(model);
}

static const struct fw_executor_ops real_ops = {
	.size = sizeof(real_ops),
	.submit = submit_real,
	.destroy = destroy_real,
};

static int read_config(struct fw_model_config *config,
		       const struct fw_model_config *given)
{
	int ret = fw_settings_read(config, sizeof(*config), given,
				   offsetof(struct fw_model_config, allocator));

	if (ret)
		return ret;
	if (config->speed == 0.0)
		config->speed = 1.0;
	if (!config->device)
		config->device = fw_device_name(0);
	if (!config->allocator)
		config->allocator = &fw_allocator_default;
	if (!isfinite(config->speed) || config->speed <= 0.0 ||
	    config->wall_clock > 1 || config->depth > FW_DEPTH_MAX)
		return -EINVAL;
	if (!config->allocator->alloc || !config->allocator->free)
		return -EINVAL;
	return 0;
}

static int read_device(struct fw_device *device,
		       const struct fw_model_config *config)
{
	const struct fw_device *known = fw_device_find(config->device);
	const double *step = config->step;

	if (!step) {
		if (known)
			*device = *known;
		return known ? 0 : -ENODEV;
	}
	for (int i = 0; i < 4; i++)
		if (!isfinite(step[i]) || step[i] < 0.0)
			return -EINVAL;
	*device = (struct fw_device){"own", step[0], step[1], step[2], step[3]};
	return 0;
}

int fw_executor_model(struct fw_executor *out,
		      const struct fw_model_config *given)
{
	struct fw_model_config config;
	struct fw_device device;
	struct model *model;
	int ret;

	ret = read_config(&config, given);
	if (!ret)
		ret = read_device(&device, &config);
	if (ret)
		return ret;
	model = fw_alloc_array(config.allocator, 1, sizeof(*model));
	if (!model)
		return -ENOMEM;
	model->device = device;
	model->speed = config.speed;
	model->allocator = *config.allocator;
	if (config.wall_clock)
		ret = fw_worker_start(&model->worker, run, model);
	if (ret) {
		free_model(model);
		return ret;
	}
	*out = (struct fw_executor){
		.ops = config.wall_clock ? &real_ops : &virtual_ops,
		.ctx = model,
		.depth = config.depth,
	};
	return 0;
}

int fw_model_skip(struct fw_executor *executor, int64_t to)
{
	struct model *model = executor->ctx;
	double when = fw_clock_s(0, to);

	if (executor->ops != &virtual_ops)
		return -EINVAL;
	if (model->num)
		return -EBUSY;
	if (when > model->now)
		model->now = when;
	return 0;
}
