/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "naive_node.h"

static int64_t nanoseconds(double seconds)
{
	return (int64_t)floor(seconds * 1e9 + 0.5);
}

static double pairs(const struct naive_job *job)
{
	double c = job->c;

	return c * (job->h + (c + 1) / 2);
}

int64_t naive_rest(const struct naive_node *node, const struct naive_job *job)
{
	const struct naive_device *device = node->device;

	return nanoseconds(device->token * job->c + device->pair * pairs(job));
}

int64_t naive_work(const struct naive_node *node, const struct naive_job *job)
{
	const struct naive_device *device = node->device;
	double token = device->token + device->base / node->config.budget;

	return nanoseconds(token * job->c + device->pair * pairs(job));
}

static void look_first(const struct naive_node *node, struct naive_job *job,
		       int64_t end)
{
	int64_t wait = end - (int64_t)(job->in->arrival * 1e9);

	if (wait < 0)
		wait = 0;
	job->due = end + (int64_t)((__int128)wait * node->policy.guard / 1000);
	job->looked = true;
}

void naive_guard_look(struct naive_node *node)
{
	int64_t end = (int64_t)(node->now * 1e9) + node->begun_work;

	node->late = false;
	if (!node->policy.guard)
		return;
	for (size_t i = 0; i < node->num_waiting; i++) {
		struct naive_job *job = &node->jobs[node->waiting[i]];

		end += naive_work(node, job);
		if (!job->looked)
			look_first(node, job, end);
		else if (end > job->due)
			node->late = true;
	}
}
