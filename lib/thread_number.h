/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_THREAD_NUMBER_H
#define LIB_THREAD_NUMBER_H

#include <stdint.h>

/**
 * fw_thread_number() - a small number of the calling thread
 *
 * Numbers rise by one with every thread that asks for the first time, so a
 * number modulo the shards spreads threads evenly. Two threads of a process
 * share one only after 2^32 - 1 of them.
 *
 * Context: Any thread. Never allocates, takes no lock.
 * Return: The number, always the same for one thread.
 */
uint32_t fw_thread_number(void);

#endif
