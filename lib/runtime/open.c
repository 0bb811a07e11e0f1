/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "lib/base/alloc.h"
#include "lib/queue/order_config.h"

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
	int ret = fw_config_read(config, sizeof(*config), given,
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

/* What producers touch. */
static int init_arrival(struct fw *fw)
{
	const struct fw_config *c = &fw->config;
	uint32_t num = c->max_waiting + c->max_running;
	int ret;

	fw_bound_init(&fw->num_waiting, c->max_waiting);
	fw_bound_init(&fw->num_bytes, c->max_bytes ? c->max_bytes : UINT64_MAX);
	ret = fw_inbox_init(&fw->inbox, c->shards, &fw->allocator);
	if (ret)
		return ret;
	ret = fw_calls_init(&fw->calls, fw->inbox.num_shards, &fw->allocator);
	if (ret)
		goto err_inbox;
	ret = fw_slots_init(&fw->slots, num, c->shards, &fw->allocator);
	if (ret)
		goto err_calls;
	ret = -ENOMEM;
	fw->tickets = fw_alloc_lines(&fw->allocator, num, sizeof(*fw->tickets));
	if (!fw->tickets)
		goto err_slots;
	return 0;

err_slots:
	fw_slots_destroy(&fw->slots);
err_calls:
	fw_calls_destroy(&fw->calls);
err_inbox:
	fw_inbox_destroy(&fw->inbox);
	return ret;
}

static void destroy_arrival(struct fw *fw)
{
	fw_free_lines(&fw->allocator, fw->tickets, fw->slots.num,
		      sizeof(*fw->tickets));
	fw_slots_destroy(&fw->slots);
	fw_calls_destroy(&fw->calls);
	fw_inbox_destroy(&fw->inbox);
}

/* What tells of the engine's cache; with blocks of our own a single slot. */
static int init_events(struct fw *fw)
{
	uint32_t num = fw->config.num_blocks ? 1 : fw->config.max_events;
	uint32_t shards = fw->config.num_blocks ? 1 : fw->config.shards;
	int ret;

	ret = fw_inbox_init(&fw->events, shards, &fw->allocator);
	if (ret)
		return ret;
	ret = fw_slots_init(&fw->event_slots, num, shards, &fw->allocator);
	if (ret)
		goto err_inbox;
	ret = -ENOMEM;
	fw->event_room =
		fw_alloc_array(&fw->allocator, num, sizeof(*fw->event_room));
	if (!fw->event_room)
		goto err_slots;
	return 0;

err_slots:
	fw_slots_destroy(&fw->event_slots);
err_inbox:
	fw_inbox_destroy(&fw->events);
	return ret;
}

static void destroy_events(struct fw *fw)
{
	fw_free_array(&fw->allocator, fw->event_room, fw->event_slots.num,
		      sizeof(*fw->event_room));
	fw_slots_destroy(&fw->event_slots);
	fw_inbox_destroy(&fw->events);
}

static void on_pool_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	fw_on_hit(container_of((struct fw_kv_pool *)ctx, struct fw, pool), req,
		  blocks);
}

/* The cache's blocks, or the index of another's. */
static int init_cache(struct fw *fw)
{
	const struct fw_config *c = &fw->config;
	bool shared = c->flags & FW_MATCH_AT_SUBMIT;
	int ret;

	if (c->num_blocks) {
		ret = fw_kv_pool_init(&fw->pool, c->num_blocks, c->block_tokens,
				      c->protect, &fw->allocator);
		if (ret)
			return ret;
		fw->index = &fw->pool.index;
		fw->index->ops.hit = on_pool_hit;
	} else {
		ret = fw_index_init(&fw->own_index, c->max_cached,
				    c->block_tokens, &fw->allocator);
		if (ret)
			return ret;
		fw->index = &fw->own_index;
		fw->index->ops.hit = fw_on_hit;
		fw->index->ops_ctx = fw;
	}
	return shared ? fw_index_share(fw->index, 0) : 0;
}

static void destroy_cache(struct fw *fw)
{
	if (!fw->index)
		return;
	if (fw->config.num_blocks)
		fw_kv_pool_destroy(&fw->pool);
	else
		fw_index_destroy(&fw->own_index);
}

static int init_queue(struct fw *fw, const struct fw_queue_ops *queue,
		      void *queue_ctx)
{
	struct fw_lanes_config lanes = fw_order_config_lanes(&fw->order);

	fw->queue = queue;
	fw->queue_ctx = queue_ctx;
	if (queue)
		return 0;
	fw->queue = &fw_classes_queue;
	fw->queue_ctx = &fw->classes;
	return fw_classes_init(&fw->classes, fw->config.num_classes, &lanes,
			       &fw->allocator);
}

static void destroy_queue(struct fw *fw)
{
	if (fw->queue_ctx == &fw->classes)
		fw_classes_destroy(&fw->classes);
}

static enum fw_admit ask(void *ctx, struct fw_request *req, uint32_t cached)
{
	struct fw *fw = ctx;

	return fw->config.admit(fw->config.ctx, req, cached);
}

static int init_planner(struct fw *fw)
{
	const struct fw_planner_config config = {
		.pool = fw->config.num_blocks ? &fw->pool : NULL,
		.index = fw->index,
		.source = &fw->queue->source,
		.source_ctx = fw->queue_ctx,
		.budget = fw->order.budget,
		.max_running = fw->config.max_running,
		.depth = fw->executor.depth,
		.max_moved = fw->config.max_rescored,
		.ops =
			{
				.admit = fw->config.admit ? ask : NULL,
				.admitted = fw_on_admitted,
				.refused = fw_on_refused,
				.ended = fw_on_ended,
			},
		.ctx = fw,
		.allocator = &fw->allocator,
	};

	return fw_planner_init(&fw->planner, &config);
}

/* What the scheduler alone touches. */
static int init_schedule(struct fw *fw, const struct fw_queue_ops *queue,
			 void *queue_ctx)
{
	int ret;

	ret = fw_cost_init(&fw->cost, fw->order.device, fw->order.table,
			   fw->order.num_points, &fw->allocator);
	if (ret)
		return ret;
	ret = init_cache(fw);
	if (ret)
		goto err_cost;
	ret = init_queue(fw, queue, queue_ctx);
	if (ret)
		goto err_cost;
	fw_heap_init(&fw->deadlines, &fw->allocator);
	ret = fw_heap_reserve(&fw->deadlines, fw->slots.num);
	if (ret)
		goto err_queue;
	ret = init_planner(fw);
	if (ret)
		goto err_heap;
	return 0;

err_heap:
	fw_heap_destroy(&fw->deadlines);
err_queue:
	destroy_queue(fw);
err_cost:
	destroy_cache(fw);
	fw_cost_destroy(&fw->cost);
	return ret;
}

static void init_flights(struct fw *fw)
{
	for (uint32_t i = 0; i < FW_DEPTH_MAX; i++)
		fw->flights[i].fw = fw;
	for (uint32_t i = 0; i < FW_METRICS; i++)
		fw_histogram_init(&fw->counters.metrics[i]);
}

/* Time 0: now, or where the executor's own time begins. */
static void init_clock(struct fw *fw)
{
	fw->open = 0;
	fw_read_clock(fw);
	if (!fw->executor.ops->now)
		fw->open = fw->now;
	fw_read_clock(fw);
}

static int init(struct fw *fw, const struct fw_queue_ops *queue,
		void *queue_ctx)
{
	int ret;

	ret = fw_inbox_init(&fw->completions, 1, &fw->allocator);
	if (ret)
		return ret;
	ret = init_arrival(fw);
	if (ret)
		goto err_completions;
	ret = init_events(fw);
	if (ret)
		goto err_arrival;
	ret = init_schedule(fw, queue, queue_ctx);
	if (ret)
		goto err_events;
	fw_gate_init(&fw->gate);
	init_flights(fw);
	init_clock(fw);
	return 0;

err_events:
	destroy_events(fw);
err_arrival:
	destroy_arrival(fw);
err_completions:
	fw_inbox_destroy(&fw->completions);
	return ret;
}

int fw_open_queue(struct fw **out, const struct fw_config *given,
		  const struct fw_queue_ops *queue, void *queue_ctx)
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
	ret = init(fw, queue, queue_ctx);
	if (ret) {
		fw_free_lines(settings.order.allocator, fw, 1, sizeof(*fw));
		return ret;
	}
	fw->order.device = NULL;
	fw->order.table = NULL;
	*out = fw;
	return 0;
}

int fw_open(struct fw **out, const struct fw_config *config)
{
	return fw_open_queue(out, config, NULL, NULL);
}

void fw_free(struct fw *fw)
{
	const struct fw_allocator allocator = fw->allocator;

	fw_gate_destroy(&fw->gate);
	fw_planner_destroy(&fw->planner);
	fw_heap_destroy(&fw->deadlines);
	destroy_queue(fw);
	destroy_cache(fw);
	fw_cost_destroy(&fw->cost);
	destroy_events(fw);
	destroy_arrival(fw);
	fw_inbox_destroy(&fw->completions);
	fw_free_lines(&allocator, fw, 1, sizeof(*fw));
}
