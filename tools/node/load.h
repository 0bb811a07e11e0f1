/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_LOAD_H
#define TOOLS_NODE_LOAD_H

#include "tools/base/diag.h"
#include "tools/trace/trace.h"
#include "sim.h"

/**
 * load_scale() - the time scale at which a trace is a given load
 * @trace: not changed
 * @config: the node; its time scale does not count
 * @what: what asked for it, for messages
 * @load: busy time of a first-come-first-served run, as it is measured at the
 *	trace's own pace / span of the arrivals, as they are scaled
 * @progress: of that run; may be NULL
 * @scale: written only on success
 *
 * Return: 0 or -errno with @diag set; -EINVAL where the arrivals have no span.
 */
int load_scale(const struct trace *trace, const struct sim_config *config,
	       const char *what, double load, _Atomic uint64_t *progress,
	       double *scale, struct diag *diag);

/**
 * load_apply() - make the scale that of the trace's own times
 * @trace: its arrivals are multiplied and fall on whole milliseconds again
 */
void load_apply(struct trace *trace, double scale);

#endif
