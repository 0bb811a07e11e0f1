/* SPDX-License-Identifier: Apache-2.0 */
#include "thread_number.h"

#include <stdatomic.h>

_Thread_local uint32_t fw_own_number __attribute__((tls_model("initial-exec")));

/* Relaxed: nothing is published with a number. */
static _Atomic uint32_t last;

uint32_t fw_thread_number_draw(void)
{
	/* 0 means none yet, so it is skipped when the counter wraps. */
	while (!fw_own_number)
		fw_own_number =
			atomic_fetch_add_explicit(&last, 1,
						  memory_order_relaxed) +
			1;
	return fw_own_number;
}
