/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WORKLOAD_WORKLOAD_PHASES_H
#define TOOLS_WORKLOAD_WORKLOAD_PHASES_H

#include "workload_build.h"

/**
 * workload_phases() - arrivals of a day with a burst and a spike
 * @spec: has the keys rate and seconds at their places, the burst's rate at
 *	KEY_COUNT
 * @spike: the key of the spike's rate
 * @ask: adds a request to @build
 * @ctx: for @ask
 *
 * The phases are steady, burst, steady, spike and after: 120, 30, 60, 60 and
 * 130 of 400 seconds. Other spans keep the shares.
 */
void workload_phases(struct build *build, const struct workload_spec *spec,
		     int spike,
		     void (*ask)(const void *ctx, struct build *build,
				 double seconds, uint32_t phase),
		     const void *ctx);

#endif
