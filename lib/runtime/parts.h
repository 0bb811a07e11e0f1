/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_PARTS_H
#define LIB_RUNTIME_PARTS_H

/*
 * What struct fw consists of: made in one order, freed in the other.
 */

struct fw;
struct fw_order_ops;

/**
 * fw_parts_init() - make all parts of a runtime whose settings are in it
 * @fw: all 0 but for its settings; on failure nothing stays allocated
 * @queue: NULL for the classes of fw_open()
 * @queue_ctx: handed to @queue
 *
 * Return: 0, -ENOMEM, -ENODEV for an unknown device, -EINVAL.
 */
int fw_parts_init(struct fw *fw, const struct fw_order_ops *queue,
		  void *queue_ctx);

/* Free them. Nothing is in flight and nobody is inside of a call. */
void fw_parts_destroy(struct fw *fw);

#endif
