/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_POLICY_H
#define FAIRWAY_POLICY_H

#include <stddef.h>
#include <stdint.h>

/*
 * A policy of your own, for trials: the command loads it from a shared object,
 * as in "fairway sim --policy fcfs,./mine.so", and compares it with all others.
 * Nothing of Fairway is built anew. An engine does not need this header.
 *
 * The shared object defines one variable, fairway_policy. Whoever waits gets a
 * number from it, and the smallest goes first; of equal ones the oldest.
 *
 *	static double key(void *ctx, const struct fw_policy_waiter *waiter,
 *			  double now)
 *	{
 *		return waiter->len - waiter->hit;
 *	}
 *
 *	const struct fw_policy fairway_policy = {
 *		.size = sizeof(fairway_policy),
 *		.help = "fewest tokens to compute first",
 *		.key = key,
 *	};
 *
 * Several runs of one policy may go on at once, each on a thread of its own and
 * with a context of its own.
 */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct fw_policy_node - the node that a policy serves
 * @size: sizeof(struct fw_policy_node) as the command was compiled
 * @budget: tokens of a step
 * @block_tokens: tokens of a block
 * @prefill: seconds that the idle device takes for a prompt of so many tokens
 * @ctx: handed to @prefill
 *
 * It stays until the policy is destroyed.
 */
struct fw_policy_node {
	size_t size;
	uint32_t budget;
	uint32_t block_tokens;
	double (*prefill)(const void *ctx, uint32_t tokens);
	const void *ctx;
};

/**
 * struct fw_policy_waiter - a request that waits
 * @id: its place in the trace, from 0
 * @arrival: seconds since the trace's begin
 * @len: tokens of the prompt
 * @hit: how many of them are cached, as the step that begins has it
 */
struct fw_policy_waiter {
	uint64_t id;
	double arrival;
	uint32_t len;
	uint32_t hit;
};

/**
 * struct fw_policy - a policy
 * @size: sizeof(struct fw_policy) as the policy was compiled
 * @help: what it does, in a line; may be NULL
 * @create: makes a context for one run; @flags is what follows the first colon
 *	behind the file's name, "" for nothing. NULL ends the run: no memory, or
 *	flags that it does not take. May be NULL, then the context is NULL
 * @destroy: frees it; may be NULL
 * @key: the smallest goes first. Asked when a request comes, when its hit
 *	changed, and for all that wait in each step where @every_step is set.
 *	@now is the step's begin in seconds. What is not a number goes last
 * @every_step: 1 where keys change with time, or with what was admitted
 * @admitted: told that a request got @tokens tokens and waits no more; may be
 *	NULL
 * @wrong: asked in each step; what broke, in a line, which ends the run, or
 *	NULL for nothing. May be NULL
 *
 * A later version appends fields; a tail that the command does not know must
 * be 0.
 */
struct fw_policy {
	size_t size;
	const char *help;
	void *(*create)(const struct fw_policy_node *node, const char *flags);
	void (*destroy)(void *ctx);
	double (*key)(void *ctx, const struct fw_policy_waiter *waiter,
		      double now);
	uint32_t every_step;
	uint32_t reserved;
	void (*admitted)(void *ctx, const struct fw_policy_waiter *waiter,
			 uint32_t tokens);
	const char *(*wrong)(void *ctx);
};

#ifdef __cplusplus
}
#endif

#endif
