/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_THREAD_NUMBER_H
#define LIB_BASE_THREAD_NUMBER_H

#include <stdint.h>

/*
 * The calling thread's number, 0 before it has one. Initial-exec: the general
 * model of a shared library may allocate and lock at a thread's first access
 * when the library came by dlopen(), and costs a call at every other. These
 * four bytes come out of the reserve that the loader keeps for such cases.
 */
extern _Thread_local uint32_t fw_own_number
	__attribute__((tls_model("initial-exec")));

/* Give the calling thread its number. */
uint32_t fw_thread_number_draw(void);

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
static inline uint32_t fw_thread_number(void)
{
	uint32_t number = fw_own_number;

	return number ? number : fw_thread_number_draw();
}

#endif
