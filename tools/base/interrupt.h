/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_INTERRUPT_H
#define TOOLS_BASE_INTERRUPT_H

#include <stdbool.h>

/*
 * A command that measures for long ends early, not at once, when it is
 * interrupted: it stops measuring and reports what it has. A second signal
 * ends it at once.
 */

/* From now on the first signal is only noted. */
void interrupt_defer(void);

/**
 * interrupt_note() - a signal has come
 * @signo: its number
 *
 * Context: The handler. Async-signal-safe.
 * Return: Whether it is noted, so that the process goes on.
 */
bool interrupt_note(int signo);

/* The signal that was noted, 0 for none. Context: Any thread. */
int interrupted(void);

#endif
