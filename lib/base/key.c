/* SPDX-License-Identifier: Apache-2.0 */
#include "key.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* One to one: xor-shifts and odd multipliers can both be undone. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return x;
}

struct fw_key fw_key_widen(uint64_t id)
{
	return (struct fw_key){
		.hi = mix(id + 0x9e3779b97f4a7c15u),
		.lo = mix(id ^ 0x5851f42d4c957f2du),
	};
}

static uint64_t read_be64(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	return value;
}

int fw_key_digest(struct fw_key *key, const void *digest, size_t size)
{
	const unsigned char *bytes = digest;

	if (size != 16 && size != 32)
		return -EINVAL;
	*key = (struct fw_key){
		.hi = read_be64(bytes),
		.lo = read_be64(bytes + 8),
	};
	return 0;
}

struct fw_key fw_key_salt(struct fw_key key, uint64_t salt)
{
	if (!salt)
		return key;
	/* A Feistel network of four rounds is one to one for each salt. */
	for (unsigned int round = 0; round < 4; round++) {
		uint64_t lo = key.lo;

		key.lo = key.hi ^ mix(lo + mix(salt + round));
		key.hi = lo;
	}
	return key;
}

void fw_key_seed(uint64_t seed[2])
{
	const size_t size = 2 * sizeof(*seed);
	struct timespec ts;

	if (getrandom(seed, size, GRND_NONBLOCK) == (ssize_t)size)
		return;
	/* Early in the boot, or no such call. Better than a constant. */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	seed[0] = mix((uint64_t)ts.tv_nsec ^ (uintptr_t)&ts);
	seed[1] = mix(seed[0] ^ (uint64_t)ts.tv_sec ^ (uintptr_t)fw_key_seed);
}
