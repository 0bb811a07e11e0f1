/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_OWNER_H
#define LIB_RUNTIME_OWNER_H

/*
 * Which thread schedules, and what time it is for it.
 */

struct fw;

/**
 * fw_enter() - be the thread that schedules
 * @fw: the runtime
 *
 * Context: Any thread; fw_leave() after a 0 return.
 * Return: 0; -EDEADLK when this thread already is; -EBUSY when another one
 * is; -ECHILD.
 */
int fw_enter(struct fw *fw);

/* Let another thread schedule. Context: The owner. */
void fw_leave(struct fw *fw);

/* Read the clock into @now and @now_s. Context: The owner. */
void fw_read_clock(struct fw *fw);

#endif
