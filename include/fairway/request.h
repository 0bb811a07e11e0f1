/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_REQUEST_H
#define FAIRWAY_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct fw_key - name of one full KV block and of the whole prefix before it
 * @hi: high half of the chained hash
 * @lo: low half of the chained hash
 *
 * A chained hash: equal keys mean equal prefixes, from the first token to the
 * last token of the block. fw_key_widen() makes one from a shorter id.
 *
 * An engine whose hashes are not chained breaks that. Its blocks are still
 * never taken for another prefix: in the runtime a block is a hit only behind
 * the blocks that it was stored behind. It gets fewer hits.
 */
struct fw_key {
	uint64_t hi;
	uint64_t lo;
};

/**
 * fw_key_widen() - make a key from an id of 64 bits
 * @id: an id under which equal values mean equal prefixes, as the hash_ids of
 *	a Mooncake trace or the integer block hashes of KV events are
 *
 * A bijection on each half: two ids never share a key.
 *
 * Context: Any thread.
 * Return: The key.
 */
struct fw_key fw_key_widen(uint64_t id);

/**
 * fw_key_digest() - make a key from a longer hash of a block
 * @key: written only on success
 * @digest: bytes of a chained hash, such as the block hashes of vLLM: 32 bytes
 *	by its sha256 and sha256_cbor, 16 by its xxhash and xxhash_cbor
 * @size: 16 or 32. Of 32 bytes the first half is the key
 *
 * Context: Any thread.
 * Return: 0, -EINVAL for another size.
 */
int fw_key_digest(struct fw_key *key, const void *digest, size_t size);

/**
 * fw_key_salt() - separate the prefixes of one tenant from all others
 * @key: key of a block
 * @salt: the tenant's salt; 0 leaves the key as it is
 *
 * Context: Any thread.
 * Return: The salted key. Under one salt different keys stay different.
 */
struct fw_key fw_key_salt(struct fw_key key, uint64_t salt);

/**
 * struct fw_request - one prompt that waits for its prefill
 * @id: the caller's own number; the library carries it and never reads it
 * @keys: one key for each full block of the prompt, first block first
 * @num_keys: number of keys; floor(len / block size) at most
 * @len: tokens of the prompt, at least 1
 * @arrival: time of arrival, in nanoseconds of the caller's monotonic clock
 * @hit: tokens at the prompt's start whose KV is cached, as far as the caller
 *	knows; the library counts at most len - 1
 * @flags: must be 0
 * @user: the caller's own pointer; never read
 * @max_wait: for the runtime: the request ends as expired when it still waits
 *	so many nanoseconds after @arrival; 0 for no limit. It does not limit
 *	a retry after the request was admitted. 0 in order mode
 * @priority: for the runtime: the request's class, below the number of
 *	classes; a higher class goes first. 0 in order mode
 * @reserved32: must be 0
 * @tenant: whose it is, where the order is fair between tenants; any number,
 *	and nothing else reads it
 * @reserved: must be 0
 * @priv: the library's own; all 0 before the request is first handed over
 *
 * The caller owns the memory. From the call that queues a request until the
 * one that takes it back, the struct and its keys must stay where they are,
 * and the caller must not change them. The one exception is an update by
 * fw_order_add(). The size is part of the ABI: new fields come out of
 * @reserved, and the struct never grows within a SONAME.
 */
struct fw_request {
	uint64_t id;
	const struct fw_key *keys;
	uint32_t num_keys;
	uint32_t len;
	int64_t arrival;
	uint32_t hit;
	uint32_t flags;
	void *user;
	int64_t max_wait;
	uint32_t priority;
	uint32_t reserved32;
	uint64_t tenant;
	uint64_t reserved[7];
	uint64_t priv[16];
};

#ifdef __cplusplus
}
#endif

#endif
