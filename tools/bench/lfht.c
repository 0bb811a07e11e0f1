/* SPDX-License-Identifier: Apache-2.0 */
#include "lfht.h"

#include <stdlib.h>
#include <urcu/urcu-bp.h>
#include <urcu/rculfhash.h>

#include "lib/base/compiler.h"
#include "lib/base/key.h"
#include "lib/sync/rcu.h"

/**
 * struct lfht_node - one key
 * @node: liburcu's
 * @key: its key
 */
struct lfht_node {
	struct cds_lfht_node node;
	struct fw_key key;
};

/**
 * struct bench_lfht - the table
 * @ht: liburcu's
 * @nodes: all keys
 * @num: of them
 * @seed: of the hash
 */
struct bench_lfht {
	struct cds_lfht *ht;
	struct lfht_node *nodes;
	size_t num;
	uint64_t seed[2];
};

struct bench_lfht *bench_lfht_open(size_t num)
{
	struct bench_lfht *lfht = calloc(1, sizeof(*lfht));
	unsigned long buckets = 1;

	if (!lfht)
		return NULL;
	while (buckets < num)
		buckets *= 2;
	fw_key_seed(lfht->seed);
	lfht->nodes = calloc(num, sizeof(*lfht->nodes));
	/* Of one size: nothing is added while it is measured. */
	lfht->ht = cds_lfht_new_flavor(buckets, buckets, buckets, 0,
				       &urcu_bp_flavor, NULL);
	if (!lfht->nodes || !lfht->ht) {
		bench_lfht_close(lfht);
		return NULL;
	}
	return lfht;
}

void bench_lfht_close(struct bench_lfht *lfht)
{
	if (!lfht)
		return;
	fw_rcu_read_lock();
	for (size_t i = 0; i < lfht->num; i++)
		cds_lfht_del(lfht->ht, &lfht->nodes[i].node);
	fw_rcu_read_unlock();
	if (lfht->ht)
		cds_lfht_destroy(lfht->ht, NULL);
	free(lfht->nodes);
	free(lfht);
}

void bench_lfht_add(struct bench_lfht *lfht, const struct fw_key *key)
{
	struct lfht_node *node = &lfht->nodes[lfht->num++];

	node->key = *key;
	cds_lfht_node_init(&node->node);
	fw_rcu_read_lock();
	cds_lfht_add(lfht->ht, fw_key_hash(key, lfht->seed), &node->node);
	fw_rcu_read_unlock();
}

static int is_key(struct cds_lfht_node *node, const void *key)
{
	return fw_key_equal(&container_of(node, struct lfht_node, node)->key,
			    key);
}

bool bench_lfht_has(struct bench_lfht *lfht, const struct fw_key *key)
{
	struct cds_lfht_iter iter;

	cds_lfht_lookup(lfht->ht, fw_key_hash(key, lfht->seed), is_key, key,
			&iter);
	return cds_lfht_iter_get_node(&iter) != NULL;
}
