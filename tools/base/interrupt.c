/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <stdatomic.h>

enum {
	AT_ONCE = -1, /* signals are not noted */
	NONE = 0,
};

/* AT_ONCE, NONE, or the number of the signal that was noted. */
static atomic_int noted = AT_ONCE;

void interrupt_defer(void)
{
	/* Relaxed, here and below: nothing but the number is read by it. */
	atomic_store_explicit(&noted, NONE, memory_order_relaxed);
}

bool interrupt_note(int signo)
{
	int none = NONE;

	return atomic_compare_exchange_strong_explicit(&noted, &none, signo,
						       memory_order_relaxed,
						       memory_order_relaxed);
}

int interrupted(void)
{
	int signo = atomic_load_explicit(&noted, memory_order_relaxed);

	return signo > NONE ? signo : 0;
}
