/* SPDX-License-Identifier: Apache-2.0 */
#include "open.h"

#include <errno.h>
#include <sched.h>

#include "lib/base/alloc.h"
#include "lib/base/settings.h"
#include "lib/queue/order_config.h"
#include "parts.h"
#include "runtime.h"

/* Defaults and limits of struct fw_config. */
#define DEFAULT_BLOCK_TOKENS 16u
#define DEFAULT_MAX_RUNNING 256u
#define DEFAULT_MAX_WAITING 65536u
#define DEFAULT_MAX_EVENTS 65536u
#define DEFAULT_MAX_CACHED (1u << 20)
#define DEFAULT_DEPTH 2u
#define MAX_SHARDS 16u
#define MAX_MAX_RUNNING (1u << 20)
#define MAX_BLOCKS (1u << 30)

static uint32_t processors(void)
{
	cpu_set_t set;
	int num;

	if (sched_getaffinity(0, sizeof(set), &set))
		return MAX_SHARDS;
	num = CPU_COUNT(&set);
	return num < (int)MAX_SHARDS ? (uint32_t)num : MAX_SHARDS;
}

static void default_to(uint32_t *value, uint32_t standard)
{
	if (!*value)
		*value = standard;
}

static void fill_defaults(struct fw_config *config)
{
	default_to(&config->block_tokens, DEFAULT_BLOCK_TOKENS);
	default_to(&config->max_running, DEFAULT_MAX_RUNNING);
	default_to(&config->max_waiting, DEFAULT_MAX_WAITING);
	default_to(&config->max_events, DEFAULT_MAX_EVENTS);
	default_to(&config->max_cached, DEFAULT_MAX_CACHED);
	default_to(&config->num_classes, 1);
	default_to(&config->shards, processors());
}

static int check_executor(const struct fw_executor *executor)
{
	uint64_t tail;

	if (!executor || !executor->ops)
		return -EINVAL;
	tail = executor->flags;
	for (size_t i = 0; i < ARRAY_SIZE(executor->reserved); i++)
		tail |= executor->reserved[i];
	if (executor->ops->size < sizeof(*executor->ops) ||
	    !executor->ops->submit || !executor->ops->destroy ||
	    executor->depth > FW_DEPTH_MAX || tail)
		return -EINVAL;
	/* Time of its own passes by idle alone. */
	if (!executor->ops->now != !executor->ops->idle)
		return -EINVAL;
	return 0;
}

static int check(const struct fw_config *config)
{
	const uint32_t flags = FW_MATCH_AT_SUBMIT | FW_OWN_ARRIVAL;

	if (!config->done || (!config->admit && !config->num_blocks))
		return -EINVAL;
	if (config->protect > 1 || (config->protect && !config->num_blocks))
		return -EINVAL;
	if (config->class_max_wait < 0 || config->pausing > 1)
		return -EINVAL;
	if (config->flags & ~flags || config->num_classes > FW_CLASSES_MAX)
		return -EINVAL;
	if (config->max_running > MAX_MAX_RUNNING ||
	    config->max_waiting > FW_SLOTS_MAX - config->max_running ||
	    config->max_events > FW_SLOTS_MAX || config->shards > 4096)
		return -EINVAL;
	if (config->num_blocks > MAX_BLOCKS || config->max_cached > MAX_BLOCKS)
		return -EINVAL;
	return check_executor(config->executor);
}

/**
 * struct settings - what a caller asks for, complete and checked
 * @config: of the runtime
 * @order: of its queue
 */
struct settings {
	struct fw_config config;
	struct fw_order_config order;
};

static int read_settings(struct settings *settings,
			 const struct fw_config *given)
{
	struct fw_config *config = &settings->config;
	int ret = fw_settings_read(config, sizeof(*config), given,
				   offsetof(struct fw_config, num_blocks));

	if (ret)
		return ret;
	fill_defaults(config);
	ret = check(config);
	if (ret)
		return ret;
	return fw_order_config_read(&settings->order, config->order);
}

/* A copy that points to nothing of the caller's but his ctx. */
static void keep_settings(struct fw *fw, const struct settings *settings)
{
	fw->config = settings->config;
	fw->order = settings->order;
	fw->executor = *settings->config.executor;
	fw->allocator = *settings->order.allocator;
	default_to(&fw->executor.depth, DEFAULT_DEPTH);
	fw->config.order = &fw->order;
	fw->config.executor = &fw->executor;
	fw->order.allocator = &fw->allocator;
}

int fw_open_queue(struct fw **out, const struct fw_config *given,
		  const struct fw_order_ops *queue, void *queue_ctx)
{
	struct settings settings;
	struct fw *fw;
	int ret;

	ret = read_settings(&settings, given);
	if (!ret)
		ret = fw_rcu_open();
	if (ret)
		return ret;
	fw = fw_alloc_lines(settings.order.allocator, 1, sizeof(*fw));
	if (!fw)
		return -ENOMEM;
	keep_settings(fw, &settings);
	ret = fw_parts_init(fw, queue, queue_ctx);
	if (ret) {
		fw_free_lines(settings.order.allocator, fw, 1, sizeof(*fw));
		return ret;
	}
	fw->order.device = NULL;
	fw->order.table = NULL;
	fw->order.tenant_weights = NULL;
	fw->config.class_max_waiting = NULL;
	*out = fw;
	return 0;
}

int fw_open(struct fw **out, const struct fw_config *config)
{
	return fw_open_queue(out, config, NULL, NULL);
}
