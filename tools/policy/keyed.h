/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_KEYED_H
#define TOOLS_POLICY_KEYED_H

#include "lib/base/heap.h"
#include "lib/base/list.h"
#include "ages.h"
#include "policy_ops.h"

struct keyed;

/**
 * struct keyed_rule - what makes one order of another
 * @key: smallest first, ties by age; reads the entry's hit and cost, and
 *	changes with these, or keyed_touch() says so
 * @oldest: does the oldest that waits go first, whatever its key? NULL: no
 */
struct keyed_rule {
	double (*key)(struct keyed *keyed, const struct fw_entry *entry);
	bool (*oldest)(struct keyed *keyed, const struct fw_entry *oldest);
};

/**
 * struct keyed - an order by one key for each request, in a heap
 * @rule: which order
 * @heap: by key
 * @ages: by age; used where the rule asks for the oldest
 * @later: entries that are new or have another hit since the last merge began
 * @waiting: how many wait
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
	struct fw_list later;
	size_t waiting;
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

int keyed_add(void *policy, struct fw_request *req, uint32_t hit);
void keyed_set_hit(void *policy, struct fw_request *req, uint32_t hit);
size_t keyed_waiting(void *policy);
void keyed_begin(void *policy, double now, uint32_t budget);
struct fw_request *keyed_peek(void *policy);
void keyed_admit(void *policy, uint32_t tokens);
void keyed_end(void *policy);

/* As a policy's source, where none of these differs. */
#define KEYED_SOURCE                                                       \
	{                                                                  \
		.waiting = keyed_waiting, .begin = keyed_begin,            \
		.peek = keyed_peek, .admit = keyed_admit, .end = keyed_end \
	}

/* The key of @entry, or of all that wait, is another when a merge begins. */
void keyed_touch(struct keyed *keyed, struct fw_entry *entry);
void keyed_touch_all(struct keyed *keyed);

/* c of the specification: tokens left to compute, at least 1. */
static inline double keyed_cost(const struct fw_entry *entry)
{
	return (double)entry->cost;
}

#endif
