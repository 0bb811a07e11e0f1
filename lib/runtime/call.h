/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_CALL_H
#define LIB_RUNTIME_CALL_H

#include <errno.h>

#include "runtime.h"

/*
 * The frame of a public call that any thread may make. What stands between the
 * two is counted, so that fw_close() waits for it; nothing of struct fw may be
 * touched outside of it. fw_submit() has a count of its own: fw_quiesce() waits
 * for submissions alone, and those who read figures without a pause must not
 * hold it back.
 */

/* Return: 0; -ECHILD in a child of fork(), which must not go on. */
static inline int fw_call_enter(const struct fw *fw)
{
	if (fw_rcu_forked())
		return -ECHILD;
	fw_calls_enter(&fw->calls);
	return 0;
}

/* Return: @ret, so that a call ends with this as its last look at @fw. */
static inline int fw_call_exit(const struct fw *fw, int ret)
{
	fw_calls_exit(&fw->calls);
	return ret;
}

#endif
