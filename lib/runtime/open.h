/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_OPEN_H
#define LIB_RUNTIME_OPEN_H

#include <fairway/runtime.h>

struct fw_order_ops;

/**
 * fw_open_queue() - fw_open() with an order of the caller's own
 * @out: written only on success
 * @config: as there; its num_classes is not used
 * @queue: NULL for the classes of fw_open()
 * @queue_ctx: handed to @queue; must outlive the runtime
 *
 * Return: as fw_open().
 */
int fw_open_queue(struct fw **out, const struct fw_config *config,
		  const struct fw_order_ops *queue, void *queue_ctx);

#endif
