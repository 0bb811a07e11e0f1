/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_SETTINGS_H
#define LIB_BASE_SETTINGS_H

#include <stddef.h>

/**
 * fw_settings_read() - copy as much of a caller's settings as both sides know
 * @to: of @known bytes, its size first; zeroed where the caller knows less
 * @known: size of the struct in this version
 * @from: the caller's, its size first; NULL for all defaults
 * @least: size that any caller has
 *
 * Return: 0, -EINVAL when the caller's size is below @least, -E2BIG when it
 * has a tail that is not 0 and this version does not know.
 */
int fw_settings_read(void *to, size_t known, const void *from, size_t least);

#endif
