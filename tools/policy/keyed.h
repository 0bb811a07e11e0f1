/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_KEYED_H
#define TOOLS_POLICY_KEYED_H

#include "lib/base/heap.h"
#include "ages.h"
#include "ops.h"
#include "waiters.h"

struct keyed;

/**
 * struct keyed_item - what these orders keep of a request
 * @waiter: as all orders do
 * @by_key: place in the heap
 * @age: among those that wait, or that begin alike
 */
struct FW_MAY_ALIAS keyed_item {
	struct waiter waiter;
	struct fw_heap_node by_key;
	struct ages_node age;
};

_Static_assert(sizeof(struct keyed_item) <= FW_ENTRY_QUEUED, "its part");

/**
 * struct keyed_rule - what makes one order of another
 * @key: smallest first, ties by age; reads the waiter's arrival and hit, and
 *	changes with these, or keyed_touch_all() says so
 * @oldest: does the oldest that waits go first, whatever its key? NULL: no
 */
struct keyed_rule {
	double (*key)(struct keyed *keyed, const struct waiter *waiter);
	bool (*oldest)(struct keyed *keyed, const struct waiter *oldest);
};

/**
 * struct keyed - an order by one key for each request, in a heap
 * @rule: which order
 * @heap: by key
 * @ages: by age; used where the rule asks for the oldest
 * @waiters: who waits
 * @now: when the merge began
 * @env: of the node
 * @size: of the whole policy
 *
 * Begins the struct of each policy that is of this kind; the functions below
 * are its operations, or are called by them.
 */
struct keyed {
	const struct keyed_rule *rule;
	struct fw_heap heap;
	struct ages ages;
	struct waiters waiters;
	double now;
	struct policy_env env;
	size_t size;
};

/**
 * keyed_create() - a policy of zeros behind its struct keyed
 * @size: of the policy's own struct, which begins with a struct keyed
 *
 * Return: The policy, to be freed by keyed_destroy(), or NULL.
 */
void *keyed_create(size_t size, const struct keyed_rule *rule,
		   const struct policy_env *env);
void keyed_destroy(void *policy);

int keyed_add(void *policy, struct fw_request *req, double arrival, double slo,
	      uint32_t hit);
void keyed_remove(void *policy, struct fw_request *req);
void keyed_set_hit(void *policy, struct fw_request *req, uint32_t hit);
size_t keyed_waiting(const void *policy);
void keyed_begin(void *policy, double now, uint32_t budget);
struct fw_request *keyed_peek(void *policy);
void keyed_admit(void *policy, uint32_t tokens);
void keyed_end(void *policy);

/* As an order, where none of them differs. */
extern const struct fw_order_ops keyed_order;

/* A policy that has nothing but a rule. Return: 0, -ENOMEM. */
int keyed_create_plain(void **policy, const struct keyed_rule *rule,
		       const struct policy_env *env);

/* The key of all that wait is another when a merge begins. */
void keyed_touch_all(struct keyed *keyed);

/* The key of those that let the longest cached prefix go first. */
double keyed_most_cached(struct keyed *keyed, const struct waiter *waiter);

/* c of the specification: tokens left to compute, at least 1. */
static inline double keyed_cost(const struct waiter *waiter)
{
	return (double)waiter_cost(waiter);
}

static inline struct keyed_item *keyed_item(struct fw_request *req)
{
	return (struct keyed_item *)fw_entry(req)->queued;
}

#endif
