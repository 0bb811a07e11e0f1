/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_ORDER_CONFIG_H
#define LIB_QUEUE_ORDER_CONFIG_H

#include <stddef.h>

#include <fairway/order.h>

#include "lanes.h"

/**
 * fw_config_read() - copy as much of a caller's settings as both sides know
 * @to: of @known bytes, its size first; zeroed where the caller knows less
 * @known: size of the struct in this version
 * @from: the caller's, its size first; NULL for all defaults
 * @least: size that any caller has
 *
 * Return: 0, -EINVAL when the caller's size is below @least, -E2BIG when it
 * has a tail that is not 0 and this version does not know.
 */
int fw_config_read(void *to, size_t known, const void *from, size_t least);

/**
 * fw_order_config_read() - the settings of an order, complete and checked
 * @to: written in any case
 * @from: the caller's, NULL for defaults
 *
 * Return: 0, -EINVAL, -E2BIG.
 */
int fw_order_config_read(struct fw_order_config *to,
			 const struct fw_order_config *from);

/* The lanes that it asks for. */
struct fw_lanes_config
fw_order_config_lanes(const struct fw_order_config *config);

#endif
