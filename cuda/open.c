/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <errno.h>
#include <limits.h>

#include "lib/base/alloc.h"
#include "lib/base/settings.h"
#include "errors.h"
#include "stats.h"
#include "times.h"
#include "watch.h"

enum {
	DEFAULT_DEPTH = 2,
	DEFAULT_SEQUENCES = 256,
	DEFAULT_BLOCKS = 8192,
	DEFAULT_LOST_NS = 100000000,
	SYNC_TRIES = 3,
};

static void destroy_events(struct fw_cuda *cuda)
{
	for (uint32_t i = 0; i < cuda->num_slots; i++) {
		if (cuda->slots[i].end)
			cudaEventDestroy(cuda->slots[i].end);
		if (cuda->slots[i].begin)
			cudaEventDestroy(cuda->slots[i].begin);
	}
}

/* What was taken so far; errors are those of a device that failed before. */
static void give_back(struct fw_cuda *cuda)
{
	destroy_events(cuda);
	if (cuda->side)
		cudaStreamDestroy(cuda->side);
	if (cuda->stream)
		cudaStreamDestroy(cuda->stream);
	if (cuda->tables)
		cudaFree(cuda->tables);
	if (cuda->device)
		cudaFree(cuda->device);
	if (cuda->host)
		cudaFreeHost(cuda->host);
}

static cudaError_t take_memory(struct fw_cuda *cuda)
{
	const struct fw_cuda_layout *layout = &cuda->layout;
	size_t slots = cuda->num_slots * layout->host_size;
	size_t tables = (size_t)layout->max_sequences * layout->max_blocks *
			sizeof(*cuda->tables);
	cudaError_t err;

	err = cudaHostAlloc((void **)&cuda->host, slots, cudaHostAllocDefault);
	if (err == cudaSuccess)
		err = cudaMalloc((void **)&cuda->device, slots);
	if (err == cudaSuccess)
		err = cudaMalloc((void **)&cuda->tables, tables);
	return err;
}

/* Neither stream waits for the device's default one. */
static cudaError_t take_streams(struct fw_cuda *cuda)
{
	cudaError_t err =
		cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking);

	if (err == cudaSuccess)
		err = cudaStreamCreateWithFlags(&cuda->side,
						cudaStreamNonBlocking);
	return err;
}

static cudaError_t take_events(struct fw_cuda *cuda)
{
	cudaError_t err = cudaSuccess;

	for (uint32_t i = 0; i < cuda->num_slots && err == cudaSuccess; i++) {
		struct fw_cuda_slot *slot = &cuda->slots[i];

		slot->host = cuda->host + i * cuda->layout.host_size;
		slot->device = cuda->device + i * cuda->layout.host_size;
		err = cudaEventCreateWithFlags(&slot->begin, cudaEventDefault);
		if (err == cudaSuccess)
			err = cudaEventCreateWithFlags(&slot->end,
						       cudaEventDefault);
	}
	return err;
}

static int take_current(struct fw_cuda *cuda)
{
	cudaError_t err = take_memory(cuda);

	if (err == cudaSuccess)
		err = take_streams(cuda);
	if (err == cudaSuccess)
		err = take_events(cuda);
	if (err != cudaSuccess)
		give_back(cuda);
	return fw_cuda_errno(err);
}

static int take(struct fw_cuda *cuda)
{
	int device = cuda->config.device;
	int before, ret;
	cudaError_t err = fw_cuda_enter(device, &before);

	if (err == cudaSuccess) {
		ret = take_current(cuda);
		fw_cuda_leave(device, before);
	} else {
		ret = fw_cuda_errno(err);
	}
	/* The runtime would show an error again to whoever asks next. */
	if (ret)
		cudaGetLastError();
	return ret;
}

static void free_arrays(struct fw_cuda *cuda)
{
	const struct fw_allocator allocator = cuda->allocator;

	fw_free_array(&allocator, cuda->layout.held, cuda->layout.max_sequences,
		      sizeof(*cuda->layout.held));
	fw_free_array(&allocator, cuda->tickets, FW_CUDA_TICKETS,
		      sizeof(*cuda->tickets));
	fw_free_array(&allocator, cuda->slots, cuda->num_slots,
		      sizeof(*cuda->slots));
	fw_free_array(&allocator, cuda, 1, sizeof(*cuda));
}

/* NULL when there is no memory. */
static struct fw_cuda *alloc_arrays(const struct fw_cuda_config *config,
				    const struct fw_allocator *allocator)
{
	struct fw_cuda *cuda = fw_alloc_array(allocator, 1, sizeof(*cuda));

	if (!cuda)
		return NULL;
	cuda->config = *config;
	cuda->allocator = *allocator;
	cuda->num_slots = config->depth + 1;
	fw_cuda_layout_init(&cuda->layout, config->max_sequences,
			    config->max_blocks);
	cuda->slots = fw_alloc_array(allocator, cuda->num_slots,
				     sizeof(*cuda->slots));
	cuda->tickets = fw_alloc_array(allocator, FW_CUDA_TICKETS,
				       sizeof(*cuda->tickets));
	cuda->layout.held = fw_alloc_array(allocator, config->max_sequences,
					   sizeof(*cuda->layout.held));
	if (!cuda->slots || !cuda->tickets || !cuda->layout.held) {
		free_arrays(cuda);
		return NULL;
	}
	for (uint32_t i = 0; i < FW_CUDA_TICKETS; i++)
		cuda->tickets[i].cuda = cuda;
	return cuda;
}

/*
 * A call that fails for a moment must not let memory go that a copy still
 * reads; one that goes on failing is that of a device that does nothing more.
 */
static void sync(cudaStream_t stream)
{
	for (int i = 0; i < SYNC_TRIES; i++)
		if (cudaStreamSynchronize(stream) == cudaSuccess)
			return;
}

/* A device that hangs may still write, and call back: all of it stays. */
static bool leave_behind(struct fw_cuda *cuda)
{
	return cuda->hung && cudaStreamQuery(cuda->stream) != cudaSuccess;
}

static void destroy(void *ctx)
{
	struct fw_cuda *cuda = ctx;
	int device = cuda->config.device;
	int before;
	bool entered;

	fw_cuda_watch_stop(cuda);
	entered = fw_cuda_enter(device, &before) == cudaSuccess;
	if (!leave_behind(cuda)) {
		sync(cuda->stream);
		sync(cuda->side);
		/* Relaxed: no thread writes it any more. */
		fw_cuda_collect(cuda,
				atomic_load_explicit(&cuda->submitted,
						     memory_order_relaxed));
		give_back(cuda);
		free_arrays(cuda);
	}
	if (entered)
		fw_cuda_leave(device, before);
	cudaGetLastError();
}

static const struct fw_executor_ops cuda_ops = {
	.size = sizeof(cuda_ops),
	.submit = fw_cuda_submit,
	.destroy = destroy,
};

static int read_config(struct fw_cuda_config *config,
		       const struct fw_cuda_config *given)
{
	int ret = fw_settings_read(config, sizeof(*config), given,
				   offsetof(struct fw_cuda_config, depth));

	if (ret)
		return ret;
	if (!config->depth)
		config->depth = DEFAULT_DEPTH;
	if (!config->max_sequences)
		config->max_sequences = DEFAULT_SEQUENCES;
	if (!config->max_blocks)
		config->max_blocks = DEFAULT_BLOCKS;
	if (!config->lost_after)
		config->lost_after = DEFAULT_LOST_NS;
	if (!config->launch || config->device < 0 ||
	    config->depth > FW_DEPTH_MAX || config->lost_after < 0 ||
	    config->hang_after < 0 || config->max_sequences >= 1u << 24)
		return -EINVAL;
	return 0;
}

static int open_with(struct fw_cuda **out, const struct fw_cuda_config *config)
{
	const struct fw_allocator *allocator = &fw_allocator_default;
	struct fw_cuda *cuda;
	int ret;

	if (config->allocator)
		allocator = config->allocator;
	if (!allocator->alloc || !allocator->free)
		return -EINVAL;
	cuda = alloc_arrays(config, allocator);
	if (!cuda)
		return -ENOMEM;
	ret = take(cuda);
	if (ret)
		goto err_arrays;
	ret = fw_cuda_watch(cuda);
	if (ret)
		goto err_give_back;
	*out = cuda;
	return 0;

err_give_back:
	give_back(cuda);
err_arrays:
	free_arrays(cuda);
	return ret;
}

int fw_executor_cuda(struct fw_executor *out,
		     const struct fw_cuda_config *given)
{
	struct fw_cuda_config config;
	struct fw_cuda *cuda;
	int ret = read_config(&config, given);

	if (!ret)
		ret = open_with(&cuda, &config);
	if (ret)
		return ret;
	*out = (struct fw_executor){
		.ops = &cuda_ops,
		.ctx = cuda,
		.depth = config.depth,
	};
	return 0;
}

int fw_executor_cuda_stats(const struct fw_executor *executor,
			   struct fw_cuda_stats *stats)
{
	if (executor->ops != &cuda_ops || !stats->size)
		return -EINVAL;
	fw_cuda_read_stats(executor->ctx, stats);
	return 0;
}
