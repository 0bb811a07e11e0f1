/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FLOOD_RUN_H
#define TOOLS_FLOOD_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <fairway/fairway.h>

#include "lib/base/compiler.h"
#include "lib/base/histogram.h"

/* What all threads of a run share. */

/**
 * struct flood_args - what the user asked for
 * @producers: threads that submit
 * @requests: submitted by all of them together
 * @cancel: share that is cancelled at some moment after its submission
 * @expire: share that may wait a millisecond at most
 * @limit: max_waiting of the runtime
 * @seconds: submit no longer than this; 0 for no limit
 * @seed: of all draws
 * @hostile: producers of one tenant that means harm; 0 for one queue for all
 * @pausing: may prompts that have begun pause, by shortest rest first?
 * @stop_producer: stop one until all others are through
 */
struct flood_args {
	uint32_t producers;
	uint64_t requests;
	double cancel;
	double expire;
	uint32_t limit;
	double seconds;
	uint64_t seed;
	uint32_t hostile;
	bool pausing;
	bool stop_producer;
};

struct flood_producer;

/**
 * struct flood - the run
 * @args: what the user asked for
 * @fw: the runtime
 * @producers: args.producers of them
 * @outcomes: counted by the scheduler's thread
 * @twice: the same
 * @wait_ns: from arrival to admission, of the hostile tenant and of the others,
 *	where there is one; recorded by the scheduler's thread
 * @begin: when the run began, nanoseconds of fw_clock_now()
 * @running: producers that still submit
 * @ended: requests that ended; written by the scheduler, read by all
 */
struct flood {
	struct flood_args args;
	struct fw *fw;
	struct flood_producer *producers;
	uint64_t outcomes[5];
	uint64_t twice;
	struct fw_histogram wait_ns[2];
	int64_t begin;
	_Atomic uint32_t running;
	_Atomic uint64_t ended FW_LINE_ALIGNED;
};

#endif
