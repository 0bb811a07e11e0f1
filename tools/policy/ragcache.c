/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "lib/base/alloc.h"
#include "tools/base/options.h"
#include "keyed.h"
#include "pgdsf.h"

/*
 * RAGCache's order (arXiv 2404.12457): most cached tokens for each token to
 * compute first, ties by age. With a window a request goes first once so many
 * later arrivals were admitted before it. Its cache, PGDSF, is pgdsf.c.
 *
 * Whoever arrived after a waiting request and was admitted was admitted before
 * it. So those that were passed by W later arrivals are those that are older
 * than the W-th youngest of all that were ever admitted: one number.
 */

/**
 * struct ragcache_args - its flags
 * @window: later arrivals that may go before one; 0 any number
 * @pgdsf: evict by frequency and cost, not by age
 */
struct ragcache_args {
	uint32_t window;
	bool pgdsf;
};

struct ragcache {
	struct keyed keyed;
	struct fw_heap youngest; /* the W youngest admitted, oldest first */
	struct fw_heap_node *nodes; /* of @youngest, @window of them */
	uint32_t window; /* 0: none */
	uint64_t passed; /* older ones go first; as the merge began */
	bool own_cache;
	struct pgdsf pgdsf; /* where it has one */
};

static double key(struct keyed *keyed, const struct waiter *waiter)
{
	(void)keyed;
	return -((double)waiter->hit / keyed_cost(waiter));
}

static bool oldest(struct keyed *keyed, const struct waiter *waiter)
{
	return waiter->seq <
	       container_of(keyed, struct ragcache, keyed)->passed;
}

static void destroy(void *policy)
{
	struct ragcache *p = policy;

	fw_free_array(p->keyed.env.allocator, p->nodes, p->window,
		      sizeof(*p->nodes));
	fw_heap_destroy(&p->youngest);
	pgdsf_destroy(&p->pgdsf);
	keyed_destroy(policy);
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {key, NULL};
	static const struct keyed_rule windowed = {key, oldest};
	const struct ragcache_args *args = policy_args_const(spec);
	struct ragcache *p =
		keyed_create(sizeof(*p), args->window ? &windowed : &rule, env);

	if (!p)
		return -ENOMEM;
	fw_heap_init(&p->youngest, env->allocator);
	p->window = args->window;
	p->own_cache = args->pgdsf;
	p->nodes = fw_alloc_array(env->allocator, p->window, sizeof(*p->nodes));
	if (p->window &&
	    (!p->nodes || fw_heap_reserve(&p->youngest, p->window))) {
		destroy(p);
		return -ENOMEM;
	}
	*policy = p;
	return 0;
}

static void begin(void *policy, double now, uint32_t budget)
{
	struct ragcache *p = policy;

	keyed_begin(policy, now, budget);
	if (p->window && p->youngest.num == p->window)
		p->passed = p->youngest.items[0].tie;
}

/* Keep the W youngest: a younger one takes the place of the oldest of them. */
static void note(struct ragcache *p, uint64_t seq)
{
	struct fw_heap_node *node;

	if (p->youngest.num < p->window) {
		node = &p->nodes[p->youngest.num];
	} else {
		if (seq < p->youngest.items[0].tie)
			return;
		node = fw_heap_first(&p->youngest);
		fw_heap_remove(&p->youngest, node);
	}
	fw_heap_insert(&p->youngest, node, 0.0, seq);
}

static void admit(void *policy, uint32_t tokens)
{
	struct ragcache *p = policy;

	if (p->window)
		note(p, waiter_of(keyed_peek(policy))->seq);
	keyed_admit(policy, tokens);
}

static const struct fw_order_ops order = {
	.waiting = keyed_waiting,
	.add = keyed_add,
	.remove = keyed_remove,
	.set_hit = keyed_set_hit,
	.begin = begin,
	.peek = keyed_peek,
	.admit = admit,
	.end = keyed_end,
};

static int evict(void *policy, struct fw_kv_pool *pool)
{
	struct ragcache *p = policy;
	const struct policy_env *env = &p->keyed.env;

	return p->own_cache ? pgdsf_init(&p->pgdsf, pool, env->device,
					 env->allocator)
			    : 0;
}

static int set_window(struct policy_spec *spec, const char *what,
		      const char *value, struct diag *diag)
{
	struct ragcache_args *args = policy_args(spec);

	return opt_u32(what, value, 1, 1000000, &args->window, diag);
}

static int set_pgdsf(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	struct ragcache_args *args = policy_args(spec);

	(void)what;
	(void)value;
	(void)diag;
	args->pgdsf = true;
	return 0;
}

static const struct policy_flag flags[] = {
	{"window", VALUE_NEEDED, set_window, "window=W",
	 "first once W later arrivals went before it"},
	{"pgdsf", VALUE_NONE, set_pgdsf, "pgdsf",
	 "evict by frequency and cost"},
	POLICY_FLAGS_END,
};

static const struct ragcache_args defaults;

const struct policy policy_ragcache = {
	.name = "ragcache",
	.help = "most cached tokens for each one to compute",
	.flags = flags,
	.defaults = &defaults,
	.size = sizeof(defaults),
	.order = &order,
	.create = create,
	.destroy = destroy,
	.evict = evict,
};
