/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_CLASSES_H
#define LIB_QUEUE_CLASSES_H

#include "lanes.h"
#include "order_ops.h"
#include "tenants.h"

/*
 * Lanes by priority: a class is served when nobody waits in a higher one, and
 * each has ledgers of its own. Or tenants by priority: a class then holds the
 * lanes of each tenant, and a clock of its own. A request that does not fit
 * ends admission for all classes below it as well.
 *
 * Single owner, takes no lock. Both inits, fw_classes_raise() and add of
 * fw_classes_order allocate.
 */

/**
 * struct fw_classes - the classes
 * @lanes: one of each class, the highest priority last; NULL with tenants
 * @tenants: the same, if it is by tenant; NULL without
 * @inner: operations of one class: of its lanes or its tenants
 * @num: how many
 * @waiting: requests in all of them
 * @now: of the open merge, seconds since open
 * @budget: that it began with
 * @begun: classes whose pass is open, one bit each
 * @peeked: class of the request that was given last
 * @allocator: of the array
 */
struct fw_classes {
	struct fw_lanes *lanes;
	struct fw_tenants *tenants;
	const struct fw_order_ops *inner;
	uint32_t num;
	size_t waiting;
	double now;
	uint32_t budget;
	uint64_t begun;
	uint32_t peeked;
	const struct fw_allocator *allocator;
};

#define FW_CLASSES_MAX 64u

/**
 * fw_classes_init() - classes without requests
 * @classes: written only on success
 * @num: 1 to FW_CLASSES_MAX
 * @config: of each class's lanes
 * @allocator: kept
 *
 * Return: 0, -ENOMEM.
 */
int fw_classes_init(struct fw_classes *classes, uint32_t num,
		    const struct fw_lanes_config *config,
		    const struct fw_allocator *allocator);
void fw_classes_destroy(struct fw_classes *classes);

/**
 * fw_classes_init_tenants() - classes of tenants, without requests
 * @classes: written only on success
 * @num: 1 to FW_CLASSES_MAX
 * @config: of each class's tenants
 * @allocator: kept
 *
 * Return: 0, -ENOMEM.
 */
int fw_classes_init_tenants(struct fw_classes *classes, uint32_t num,
			    const struct fw_tenants_config *config,
			    const struct fw_allocator *allocator);

/**
 * fw_classes_raise() - a waiting request goes to the next higher class
 * @classes: the classes, with no pass open
 * @req: waits in another than the highest
 * @more: whether there is a class above the one that it is in now
 *
 * It keeps its arrival, its unit of wait and its hit; among equal arrivals of
 * its new class it comes last.
 *
 * Return: 0, -ENOMEM: it stays where it is.
 */
int fw_classes_raise(struct fw_classes *classes, struct fw_request *req,
		     bool *more);

/* The order that is a struct fw_classes. */
extern const struct fw_order_ops fw_classes_order;

#endif
