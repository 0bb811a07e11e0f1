/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sync/rcu.h"

#include <errno.h>

/*
 * lib/sync/rcu.h for a process where one thread at a time uses an index. Order
 * mode never shares one, so the wheel needs no liburcu.
 */

int fw_rcu_open(void)
{
	return -ENOSYS;
}

bool fw_rcu_forked(void)
{
	return false;
}

void fw_rcu_attach(void)
{
}

void fw_rcu_read_lock(void)
{
}

void fw_rcu_read_unlock(void)
{
}

void fw_rcu_grace_start(struct fw_rcu_grace *grace)
{
	(void)grace;
}

bool fw_rcu_grace_over(const struct fw_rcu_grace *grace)
{
	(void)grace;
	return true;
}
