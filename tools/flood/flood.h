/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FLOOD_FLOOD_H
#define TOOLS_FLOOD_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/histogram.h"
#include "tools/base/diag.h"
#include "run.h"

/*
 * Stress of the runtime. Producers submit, cancel and take back requests as
 * fast as they can, and a device that takes no time computes them. At the end
 * every request must have ended exactly once, and a cancelled one as its
 * cancel was told.
 */

/**
 * struct flood_result - what came of it
 * @submitted: requests that the runtime took
 * @outcomes: how they ended, by enum fw_outcome
 * @lost: requests that did not end
 * @twice: ends of requests that had ended
 * @out_of_order: requests that came to the queue before one that their
 *	producer had submitted earlier in the same class
 * @broken: requests that did not end as their cancels were told
 * @bound_broken: releases that broke the bound on overtaking
 * @refused: submissions that got -EAGAIN and were made again
 * @submit_ns: cost of a submission with its prefix match, clock included
 * @wait_ns: from arrival to admission, of the hostile tenant and of the others
 * @step_ns: cost of a scheduling step
 * @seconds: of the whole run
 * @peak_rss: most memory of this process, bytes
 * @stopped: a producer stood still while all others went on
 */
struct flood_result {
	uint64_t submitted;
	uint64_t outcomes[5];
	uint64_t lost;
	uint64_t twice;
	uint64_t out_of_order;
	uint64_t broken;
	uint64_t bound_broken;
	uint64_t refused;
	struct fw_histogram_view submit_ns;
	struct fw_histogram_view wait_ns[2];
	struct fw_distribution step_ns;
	double seconds;
	uint64_t peak_rss;
	bool stopped;
};

/**
 * flood_run() - flood a runtime and count what came of it
 * @flood: zeros but for its args
 * @result: written on success
 * @diag: says what went wrong
 *
 * Return: 0 or -errno with @diag set; -ETIME when nothing went on any more.
 */
int flood_run(struct flood *flood, struct flood_result *result,
	      struct diag *diag);

#endif
