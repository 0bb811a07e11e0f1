/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_SESSIONS_H
#define TOOLS_TRACE_SESSIONS_H

#include "arrivals.h"

/**
 * sessions_fill() - give turns without a time the earliest one they can have
 * @arrivals: in the order of the file, in which turns of a session follow each
 *	other; a time that is missing becomes that of the turn before and the
 *	delay
 *
 * Return: Times that are still missing, or -ENOMEM.
 */
int64_t sessions_fill(struct arrival_list *arrivals);

/**
 * sessions_link() - say of each request which one must end before it arrives
 * @arrivals: in the order of @trace, by rising time
 * @trace: its requests' @after and @delay_ms are set
 *
 * A delay that the file does not give is what passed since the end of the turn
 * before, or since its arrival where the end is not known.
 *
 * Return: 0, -ENOMEM.
 */
int sessions_link(const struct arrival_list *arrivals, struct trace *trace);

#endif
