/* SPDX-License-Identifier: Apache-2.0 */
#include "thread_number.h"

#include <stdatomic.h>

/*
 * Initial-exec: the general model of a shared library may allocate and lock
 * at a thread's first access when the library came by dlopen(). These four
 * bytes come out of the reserve that the loader keeps for such cases.
 */
static _Thread_local uint32_t number __attribute__((tls_model("initial-exec")));

/* Relaxed: a number is all that is drawn, nothing is published with it. */
static _Atomic uint32_t last;

uint32_t fw_thread_number(void)
{
	/* 0 means none yet; it is passed over when the counter wraps. */
	while (!number)
		number = atomic_fetch_add_explicit(&last, 1,
						   memory_order_relaxed) +
			 1;
	return number;
}
