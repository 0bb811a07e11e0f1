/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_THREAD_NUMBER_H
#define LIB_BASE_THREAD_NUMBER_H

#include <stdint.h>

/*
 * The calling thread's number, 0 before it has one.
 *
 * Why initial-exec: with the general model of a library that came by dlopen(),
 * a thread's first access may allocate and lock, and each other one costs a
 * call. The loader keeps a small reserve for such variables; this one takes
 * four bytes of it.
 */
extern _Thread_local uint32_t fw_own_number
	__attribute__((tls_model("initial-exec")));

/* Give the calling thread its number. */
uint32_t fw_thread_number_draw(void);

/**
 * fw_thread_number() - a small number of the calling thread
 *
 * Each thread that asks for the first time gets the next number. So a number
 * modulo the shards spreads threads evenly. Two threads of a process share a
 * number only after 2^32 - 1 threads.
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
