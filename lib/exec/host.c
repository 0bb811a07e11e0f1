/* SPDX-License-Identifier: Apache-2.0 */
#include <fairway/executor.h>

#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/settings.h"
#include "worker.h"

/**
 * struct host - the embedder's function as an executor
 * @worker: on which it runs
 * @config: of the embedder
 * @allocator: of this struct
 */
struct host {
	struct fw_worker worker;
	struct fw_host_config config;
	struct fw_allocator allocator;
};

static int run(void *ctx, const struct fw_work *work)
{
	struct host *host = ctx;

	return host->config.compute(host->config.ctx, work->plan);
}

static int submit(void *ctx, const struct fw_plan *plan,
		  struct fw_flight *flight)
{
	struct host *host = ctx;

	fw_worker_push(&host->worker, plan, flight);
	return 0;
}

static void destroy(void *ctx)
{
	struct host *host = ctx;
	const struct fw_allocator allocator = host->allocator;

	fw_worker_stop(&host->worker);
	fw_free_array(&allocator, host, 1, sizeof(*host));
}

static const struct fw_executor_ops host_ops = {
	.size = sizeof(host_ops),
	.submit = submit,
	.destroy = destroy,
};

int fw_executor_host(struct fw_executor *out,
		     const struct fw_host_config *given)
{
	const struct fw_allocator *allocator = &fw_allocator_default;
	struct fw_host_config config;
	struct host *host;
	int ret;

	ret = fw_settings_read(&config, sizeof(config), given,
			       offsetof(struct fw_host_config, depth));
	if (ret)
		return ret;
	if (!config.compute || config.depth > FW_DEPTH_MAX || config.reserved)
		return -EINVAL;
	if (config.allocator)
		allocator = config.allocator;
	if (!allocator->alloc || !allocator->free)
		return -EINVAL;
	host = fw_alloc_array(allocator, 1, sizeof(*host));
	if (!host)
		return -ENOMEM;
	host->config = config;
	host->allocator = *allocator;
	ret = fw_worker_start(&host->worker, run, host);
	if (ret) {
		fw_free_array(allocator, host, 1, sizeof(*host));
		return ret;
	}
	*out = (struct fw_executor){
		.ops = &host_ops,
		.ctx = host,
		.depth = config.depth,
	};
	return 0;
}

void fw_executor_destroy(struct fw_executor *executor)
{
	executor->ops->destroy(executor->ctx);
	executor->ops = NULL;
}
