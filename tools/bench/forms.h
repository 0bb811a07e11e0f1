/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BENCH_FORMS_H
#define TOOLS_BENCH_FORMS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/queue/queued.h"
#include "lib/queue/score_kinetic.h"
#include "tools/policy/score_sort.h"

/*
 * Other ways to find the waiting requests with the best scores. They are what
 * an engine would write without the kinetic heap, each as fast as a page of
 * code can be. The heap without the lanes is here too. All give the same
 * order. Single owner.
 */

struct bench_order;

/**
 * struct bench_order_ops - one way to order
 * @name: as the report names it
 * @init: from zeros; room for @cap requests; 0 or -ENOMEM
 * @destroy: harmless after @init failed
 * @insert: by rising (arrival, seq); the entry's fields are set
 * @advance: make the order that of this time
 * @first: best of those that are left, NULL without one; after @advance, and
 *	at most BENCH_BATCH removals later
 * @remove: any entry; bench_left() says so already
 */
struct bench_order_ops {
	const char *name;
	int (*init)(struct bench_order *order, size_t cap);
	void (*destroy)(struct bench_order *order);
	void (*insert)(struct bench_order *order, struct fw_rank *entry);
	void (*advance)(struct bench_order *order, double now);
	struct fw_rank *(*first)(struct bench_order *order);
	void (*remove)(struct bench_order *order, struct fw_rank *entry);
};

/* Was it released? An order may name it until its next advance. */
static inline bool bench_left(struct fw_rank *entry)
{
	return fw_queued_of(entry)->state == FW_QUEUED_FREE;
}

/**
 * struct bench_item - an entry and what it is ordered by
 * @key: the score's bits turned over, so that the best is the smallest
 * @entry: the request
 */
struct bench_item {
	uint64_t key;
	struct fw_rank *entry;
};

/**
 * struct bench_list - what the forms that order an array keep
 * @queue: entries by arrival, those that left still among them
 * @sorted: entries in order
 * @items: the same with their keys
 * @scratch: as long as @items
 * @num: entries in @queue
 * @live: entries in the order
 * @cursor: into the order
 * @cap: of each array
 */
struct bench_list {
	struct fw_rank **queue;
	struct fw_rank **sorted;
	struct bench_item *items;
	struct bench_item *scratch;
	size_t num;
	size_t live;
	size_t cursor;
	size_t cap;
};

/**
 * struct bench_scan - what the one-pass form keeps, in arrays by field
 * @ratio: h / c
 * @arrival: seconds since open
 * @unit: of the wait, seconds
 * @entries: whose they are
 * @best: the best few, best first
 * @num: entries
 * @num_best: of them
 * @cap: of each array
 */
struct bench_scan {
	double *ratio;
	double *arrival;
	double *unit;
	struct fw_rank **entries;
	struct bench_item best[8];
	size_t num;
	size_t num_best;
	size_t cap;
};

struct bench_order {
	const struct bench_order_ops *ops;
	union {
		struct fw_kinetic kinetic;
		struct score_sort merge;
		struct bench_list list;
		struct bench_scan scan;
	};
};

extern const struct bench_order_ops bench_kinetic; /* lib/queue/score_kinetic */
extern const struct bench_order_ops bench_merge; /* tools/policy/score_sort */
extern const struct bench_order_ops bench_sort; /* qsort of the queue */
extern const struct bench_order_ops bench_resort; /* qsort of the last order */
extern const struct bench_order_ops bench_radix; /* radix sort of the keys */
extern const struct bench_order_ops bench_rekey; /* a heap, built anew */
extern const struct bench_order_ops bench_best; /* one pass for the best 8 */

#endif
