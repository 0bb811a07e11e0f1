/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdio.h>

#include "tools/base/grid.h"
#include "tools/base/progress.h"
#include "fixed_hits.h"

/**
 * struct replaying - the runs of a log, one after the other
 * @ended: requests so far, of all runs
 * @num: of all runs
 */
struct replaying {
	_Atomic uint64_t ended;
	uint64_t num;
};

static void replaying_line(const void *ctx, double seconds, char *buf,
			   size_t size)
{
	const struct replaying *r = ctx;
	char ended[32], num[32];

	(void)seconds;
	/* Relaxed: a figure for the eye. */
	format_count(ended, sizeof(ended),
		     atomic_load_explicit(&r->ended, memory_order_relaxed));
	format_count(num, sizeof(num), r->num);
	snprintf(buf, size, "simulating: %s / %s requests", ended, num);
}

int fixed_hits_runs(const struct trace *trace, const uint32_t *hits,
		    const struct sim_config *config,
		    const struct policy_list *list, bool quiet,
		    struct sim_result *results, struct diag *diag)
{
	struct replaying r = {.num = list->num * (uint64_t)trace->num_reqs};
	struct progress progress;
	int ret = 0;

	progress_start(&progress, quiet, replaying_line, &r);
	for (unsigned int i = 0; !ret && i < list->num; i++)
		ret = fixed_hits_run(trace, hits, config, &list->specs[i],
				     &r.ended, &results[i], diag);
	progress_stop(&progress);
	return ret;
}
