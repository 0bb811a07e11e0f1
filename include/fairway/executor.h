/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_EXECUTOR_H
#define FAIRWAY_EXECUTOR_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/plan.h>

/*
 * An executor computes the runtime's plans. Two come with the library: a model
 * of a device, in virtual or real time, and the embedder's own function on a
 * thread of its own. A third, for CUDA devices, is a library of its own
 * (fairway/cuda.h). To write another, fill in struct fw_executor.
 *
 * An executor is one stream: it computes plans in the order in which they were
 * submitted, so that a plan may read what an earlier one writes. It may report
 * their ends in any order; the runtime sorts that out.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** FW_DEPTH_MAX - most plans that may be in flight at once */
#define FW_DEPTH_MAX 16u

/**
 * struct fw_flight - a plan in flight, as its executor names it
 *
 * The runtime owns it. It names one plan, from submit until fw_plan_done();
 * after that the runtime uses it for another plan.
 */
struct fw_flight;

/**
 * fw_plan_done() - a plan was computed, or failed
 * @flight: what submit was given; do not use it afterwards
 * @status: 0, or -errno when the plan failed: then nothing that it was to
 *	compute counts as computed. -ENODEV when the executor will never
 *	compute again
 *
 * To be called exactly once for every submit that returned 0. A call for a plan
 * that is not in flight is ignored and counted (reports_ignored of
 * struct fw_stats).
 *
 * Context: Any thread, also within submit. Never blocks, never allocates and
 * calls nothing back.
 */
void fw_plan_done(struct fw_flight *flight, int status);

/**
 * struct fw_executor_ops - an executor, as the runtime drives it
 * @size: sizeof(struct fw_executor_ops) as the executor was compiled
 * @submit: take a plan and return before it is computed; @plan stays as it is
 *	until fw_plan_done(). An error means that the plan failed and that
 *	fw_plan_done() will not be called; -ENODEV as for fw_plan_done()
 * @destroy: wait until fw_plan_done() has returned for every plan in flight,
 *	then free the executor
 * @now: NULL for real time. Else the executor's own clock, in seconds, which
 *	the runtime goes by. It moves in @idle only
 * @idle: NULL for real time. Else called when the scheduler has nothing to do
 *	before the next plan ends: move the clock there and call
 *	fw_plan_done()
 *
 * All run on the scheduler's thread, @destroy on the thread that closes.
 */
struct fw_executor_ops {
	size_t size;
	int (*submit)(void *ctx, const struct fw_plan *plan,
		      struct fw_flight *flight);
	void (*destroy)(void *ctx);
	double (*now)(void *ctx);
	void (*idle)(void *ctx);
};

/**
 * struct fw_executor - an executor
 * @ops: what it can do; lives as long as the executor
 * @ctx: handed to all of @ops
 * @depth: how many plans shall be in flight, so that the device never waits
 *	for the scheduler; 2 when 0, at most FW_DEPTH_MAX
 * @flags: must be 0
 * @reserved: must be 0
 *
 * Plain data, copied by fw_open(). When fw_open() returned 0 the runtime owns
 * the executor; before that and after an error the caller does.
 */
struct fw_executor {
	const struct fw_executor_ops *ops;
	void *ctx;
	uint32_t depth;
	uint32_t flags;
	uint64_t reserved[4];
};

/**
 * fw_executor_destroy() - destroy an executor that no runtime owns
 * @executor: as fw_executor_model(), fw_executor_host() or
 *	fw_executor_cuda() made it
 *
 * Context: Any thread. Waits for its plans in flight.
 */
void fw_executor_destroy(struct fw_executor *executor);

/**
 * struct fw_model_config - settings of a modelled device
 * @size: sizeof(struct fw_model_config) as the caller was compiled
 * @device: one of fw_device_name(); "a6000" when NULL. Not used with @step
 * @step: seconds of a step: t0, a, b and tw of T = max(tw, t0 + a * N) + b * P
 *	(fairway-sim(1)); NULL for @device
 * @speed: divides all step times; 1 when 0
 * @wall_clock: 0 for virtual time, which passes only when the runtime has
 *	nothing else to do; 1 for real time
 * @depth: as in struct fw_executor
 * @allocator: malloc and free when NULL; copied
 */
struct fw_model_config {
	size_t size;
	const char *device;
	const double *step;
	double speed;
	uint32_t wall_clock;
	uint32_t depth;
	const struct fw_allocator *allocator;
};

/**
 * fw_executor_model() - a device that takes its time and computes nothing
 * @out: written only on success
 * @config: settings; defaults when NULL
 *
 * Context: Any thread. In real time it starts a thread.
 * Return: 0, -EINVAL, -E2BIG for an unknown tail, -ENODEV for an unknown
 * device, -ENOMEM, -EAGAIN when no thread can be had.
 */
int fw_executor_model(struct fw_executor *out,
		      const struct fw_model_config *config);

/**
 * fw_model_skip() - let the virtual time of an idle model pass
 * @executor: made by fw_executor_model() in virtual time
 * @now: nanoseconds; the clock never goes back
 *
 * Context: The scheduler's thread, outside of fw_step().
 * Return: 0, -EINVAL for another executor, -EBUSY while a plan is in flight.
 */
int fw_model_skip(struct fw_executor *executor, int64_t now);

/**
 * struct fw_host_config - the embedder's own function as an executor
 * @size: sizeof(struct fw_host_config) as the caller was compiled
 * @compute: computes a plan; returns 0 or -errno as fw_plan_done() takes it
 * @ctx: handed to @compute
 * @depth: as in struct fw_executor
 * @allocator: malloc and free when NULL; copied
 */
struct fw_host_config {
	size_t size;
	int (*compute)(void *ctx, const struct fw_plan *plan);
	void *ctx;
	uint32_t depth;
	uint32_t reserved;
	const struct fw_allocator *allocator;
};

/**
 * fw_executor_host() - plans computed by a function on a thread of its own
 * @out: written only on success
 * @config: settings
 *
 * Context: Any thread. Starts a thread, on which @compute runs, one plan after
 * the other.
 * Return: 0, -EINVAL, -E2BIG for an unknown tail, -ENOMEM, -EAGAIN when no
 * thread can be had.
 */
int fw_executor_host(struct fw_executor *out,
		     const struct fw_host_config *config);

#ifdef __cplusplus
}
#endif

#endif
