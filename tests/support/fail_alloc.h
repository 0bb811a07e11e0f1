/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_FAIL_ALLOC_H
#define TESTS_SUPPORT_FAIL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include <fairway/config.h>

/**
 * struct fail_alloc - an allocator that counts, and fails when told to
 * @allocator: hand this to what is tested
 * @calls: allocations asked for, the failed ones counted
 * @failed: how many of them failed
 * @live: allocations that were not given back
 * @bad_frees: frees of another size than was asked for
 * @armed: will one fail?
 * @left: allocations that succeed before it
 *
 * Memory comes dirty and is dirtied again before it goes, so that reading it
 * too early or too late shows. Must not move once @allocator was handed out.
 */
struct fail_alloc {
	struct fw_allocator allocator;
	size_t calls;
	size_t failed;
	size_t live;
	size_t bad_frees;
	bool armed;
	size_t left;
};

/* Never fails before fail_alloc_after(). */
void fail_alloc_init(struct fail_alloc *fail);

/* Let @num allocations succeed and fail the next one, once. */
void fail_alloc_after(struct fail_alloc *fail, size_t num);

/* Fail no more. */
void fail_alloc_disarm(struct fail_alloc *fail);

/* Was all given back, and in the size that was asked for? */
bool fail_alloc_clean(const struct fail_alloc *fail);

#endif
