/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_KEY_H
#define LIB_BASE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include <fairway/request.h>

static inline bool fw_key_equal(const struct fw_key *a, const struct fw_key *b)
{
	return a->hi == b->hi && a->lo == b->lo;
}

/**
 * fw_key_hash() - hash of a key for one table
 * @key: the key
 * @seed: random and secret, one for each instance, so that crafted prompts
 *	cannot aim at one bucket
 *
 * Two multiplications of 64 x 64 to 128 bits, each folded to 64. Each operand
 * is masked by a half of the seed. Without the seed no two keys are known to
 * collide.
 *
 * Return: The hash. All of its bits are good.
 */
static inline uint64_t fw_key_hash(const struct fw_key *key,
				   const uint64_t seed[2])
{
	unsigned __int128 p;
	uint64_t a;

	p = (unsigned __int128)(key->hi ^ seed[0]) * (key->lo ^ seed[1]);
	a = (uint64_t)p ^ (uint64_t)(p >> 64) ^ key->lo;
	p = (unsigned __int128)(a ^ seed[1]) * 0x9e3779b97f4a7c15u;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* Fill a seed from the kernel, or else from addresses and the clock. */
void fw_key_seed(uint64_t seed[2]);

#endif
