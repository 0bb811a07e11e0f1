/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BENCH_LFHT_H
#define TOOLS_BENCH_LFHT_H

#include <stdbool.h>
#include <stddef.h>

#include <fairway/request.h>

/*
 * liburcu's own hash table instead of the library's, for comparison. Keys, hash
 * and flavour of RCU are the same.
 */
struct bench_lfht;

/* An empty one for @num keys, or NULL. */
struct bench_lfht *bench_lfht_open(size_t num);
void bench_lfht_close(struct bench_lfht *lfht);

/* Add a key that is not there, for which there is room. */
void bench_lfht_add(struct bench_lfht *lfht, const struct fw_key *key);

/* Is it there? Inside a read lock. */
bool bench_lfht_has(struct bench_lfht *lfht, const struct fw_key *key);

#endif
