/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_PROBES_H
#define LIB_BASE_PROBES_H

/*
 * Probes between the stages, for bpftrace, perf and SystemTap. Each is one
 * no-op instruction, and a note that says where its arguments are. Without
 * <sys/sdt.h> a probe is nothing and its arguments are not evaluated, so an
 * argument must have no side effect.
 *
 *	submit(handle, id, len)		any thread: a request was pushed
 *	drain(count)			scheduler: requests taken from the inbox
 *	admit(handle, id, hit, cost)	scheduler: a lane released it for good
 *	plan(sequence, entries, tokens)	scheduler: handed to the executor
 *	done(handle, id, outcome)	scheduler: just before the callback
 *	cancel(handle, result)		any thread: what fw_cancel() returns
 *
 *	bpftrace -e 'usdt:/usr/lib/libfairway.so:fairway:plan
 *		{ @tokens = hist(arg2); }'
 *
 * Users rely on the names and the arguments: do not change them.
 */

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#ifdef HAVE_SDT
#include <sys/sdt.h>

#define fw_probe_submit(handle, id, len) \
	DTRACE_PROBE3(fairway, submit, handle, id, len)
#define fw_probe_drain(count) DTRACE_PROBE1(fairway, drain, count)
#define fw_probe_admit(handle, id, hit, cost) \
	DTRACE_PROBE4(fairway, admit, handle, id, hit, cost)
#define fw_probe_plan(sequence, entries, tokens) \
	DTRACE_PROBE3(fairway, plan, sequence, entries, tokens)
#define fw_probe_done(handle, id, outcome) \
	DTRACE_PROBE3(fairway, done, handle, id, outcome)
#define fw_probe_cancel(handle, result) \
	DTRACE_PROBE2(fairway, cancel, handle, result)
#else
/* Names the arguments, so the compiler warns of no unused variable. */
#define FW_NO_PROBE(...) ((void)sizeof((int[]){__VA_ARGS__}))

#define fw_probe_submit(handle, id, len) \
	FW_NO_PROBE((handle) != 0, (id) != 0, (len) != 0)
#define fw_probe_drain(count) FW_NO_PROBE((count) != 0)
#define fw_probe_admit(handle, id, hit, cost) \
	FW_NO_PROBE((handle) != 0, (id) != 0, (hit) != 0, (cost) != 0)
#define fw_probe_plan(sequence, entries, tokens) \
	FW_NO_PROBE((sequence) != 0, (entries) != 0, (tokens) != 0)
#define fw_probe_done(handle, id, outcome) \
	FW_NO_PROBE((handle) != 0, (id) != 0, (outcome) != 0)
#define fw_probe_cancel(handle, result) \
	FW_NO_PROBE((handle) != 0, (result) != 0)
#endif

#endif
