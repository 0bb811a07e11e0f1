/* SPDX-License-Identifier: Apache-2.0 */
#include "waiters.h"

void waiters_init(struct waiters *waiters)
{
	*waiters = (struct waiters){.next_seq = 1};
	fw_list_init(&waiters->later);
}

void waiters_touch(struct waiters *waiters, struct waiter *waiter)
{
	if (!fw_list_linked(&waiter->later))
		fw_list_add_tail(&waiters->later, &waiter->later);
}

void waiters_set_hit(struct waiters *waiters, struct fw_request *req,
		     uint32_t hit)
{
	struct waiter *waiter = waiter_of(req);

	waiter->new_hit = hit;
	waiters_touch(waiters, waiter);
}

void waiters_add(struct waiters *waiters, struct fw_request *req,
		 double arrival, uint32_t hit)
{
	struct waiter *waiter = waiter_of(req);

	waiter->arrival = arrival;
	if (!waiter->seq)
		waiter->seq = waiters->next_seq++;
	waiters_set_hit(waiters, req, hit);
	waiters->num++;
}

void waiters_leave(struct waiters *waiters, struct fw_request *req)
{
	struct waiter *waiter = waiter_of(req);

	if (fw_list_linked(&waiter->later))
		fw_list_del(&waiter->later);
	waiters->num--;
}

struct waiter *waiters_settle(struct waiters *waiters)
{
	struct waiter *waiter;

	if (fw_list_empty(&waiters->later))
		return NULL;
	waiter = fw_list_entry(waiters->later.next, struct waiter, later);
	fw_list_del(&waiter->later);
	waiter->hit = waiter->new_hit;
	return waiter;
}
