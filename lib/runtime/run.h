/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_RUN_H
#define LIB_RUNTIME_RUN_H

#include <stdint.h>

struct fw;

/**
 * fw_wait_owned() - fw_wait() by whoever is the owner
 * @fw: the runtime
 * @timeout: nanoseconds; below 0 without an end. While fw_producers_gone()
 *	has to be asked again, 1 ms at most
 *
 * Return: as fw_wait().
 */
int fw_wait_owned(struct fw *fw, int64_t timeout);

#endif
