/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_RUNTIME_H
#define FAIRWAY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/executor.h>
#include <fairway/order.h>
#include <fairway/request.h>

/*
 * The runtime: Fairway keeps the queue, the KV cache's blocks and the device's
 * plans, and ends every request exactly once.
 *
 * Any number of threads submit and cancel. They never take a lock and never
 * wait. One thread at a time schedules: it calls fw_step() from a loop of its
 * own, or fw_run(), which is that loop. All callbacks run on that thread. They
 * may submit and cancel, and free the request that ended, but not step or
 * close.
 *
 * A child of fork() can neither use what its parent opened nor open a runtime
 * of its own: every call there returns -ECHILD and changes nothing. Order mode
 * works in a child.
 */

#ifdef __cplusplus
extern "C" {
#endif

struct fw;

/**
 * enum fw_outcome - how a request ended
 * @FW_DONE: all of its prompt is computed
 * @FW_CANCELLED: by fw_cancel() or fw_close()
 * @FW_REJECTED: it can never be served
 * @FW_EXPIRED: it waited longer than it may
 * @FW_FAILED: the device or the machine failed it
 */
enum fw_outcome {
	FW_DONE,
	FW_CANCELLED,
	FW_REJECTED,
	FW_EXPIRED,
	FW_FAILED,
};

/**
 * enum fw_reason - why it ended so
 * @FW_REASON_NONE: done
 * @FW_REASON_CANCEL: cancelled by its handle
 * @FW_REASON_CLOSE: cancelled because the runtime was closed
 * @FW_REASON_TOO_LONG: rejected: longer than the whole cache
 * @FW_REASON_REFUSED: rejected by the embedder's admission callback
 * @FW_REASON_MAX_WAIT: expired: its max_wait was over
 * @FW_REASON_PLAN: failed: its plan failed, or the plan of a block that it
 *	hit, and it had no retry left
 * @FW_REASON_DEVICE: failed: the executor is gone for good
 * @FW_REASON_MEMORY: failed: no memory to queue or to run it
 */
enum fw_reason {
	FW_REASON_NONE,
	FW_REASON_CANCEL,
	FW_REASON_CLOSE,
	FW_REASON_TOO_LONG,
	FW_REASON_REFUSED,
	FW_REASON_MAX_WAIT,
	FW_REASON_PLAN,
	FW_REASON_DEVICE,
	FW_REASON_MEMORY,
};

/**
 * struct fw_result - the end of one request
 * @outcome: one of enum fw_outcome
 * @reason: one of enum fw_reason
 * @status: 0, or the -errno of the plan that failed it
 * @cached: tokens that were cached when it was admitted last
 * @computed: tokens that were computed for it since then
 * @retries: times that it went back to the queue
 * @admitted: when it was admitted last, nanoseconds; 0 if it never was
 * @ended: when it ended, nanoseconds
 *
 * Both times are of the runtime's clock, as the request's arrival is.
 */
struct fw_result {
	enum fw_outcome outcome;
	enum fw_reason reason;
	int32_t status;
	uint32_t cached;
	uint32_t computed;
	uint32_t retries;
	int64_t admitted;
	int64_t ended;
};

/**
 * enum fw_admit - the embedder's answer when a request is next
 * @FW_ADMIT_FITS: the engine takes it: it is in the next plan
 * @FW_ADMIT_FULL: it does not fit now, and this step admits nobody else
 * @FW_ADMIT_SKIP: not now, but this step may admit others before it
 * @FW_ADMIT_NEVER: it can never be served: it ends as rejected
 */
enum fw_admit {
	FW_ADMIT_FITS,
	FW_ADMIT_FULL,
	FW_ADMIT_SKIP,
	FW_ADMIT_NEVER,
};

/**
 * enum fw_lane_name - which lane released a request
 * @FW_LANE_NAME_FAST: the one by score
 * @FW_LANE_NAME_FAIR: the one by arrival
 */
enum fw_lane_name {
	FW_LANE_NAME_FAST,
	FW_LANE_NAME_FAIR,
};

/**
 * struct fw_decision - why a request was admitted when it was
 * @request: the request; only to be read
 * @lane: that released it
 * @position: its place among the admissions of this step, from 0
 * @step: number of the step, from 1
 * @score: at the time of the step
 * @wait: seconds since its arrival
 * @hit: h: cached tokens when the step began
 * @cost: c: tokens that its lane was charged
 * @cached: tokens that it really hits. More than @hit when an earlier
 *	admission of the same step planned a block of its prefix
 * @waiting: other requests that wait, of all classes
 */
struct fw_decision {
	const struct fw_request *request;
	enum fw_lane_name lane;
	uint32_t position;
	uint64_t step;
	double score;
	double wait;
	uint32_t hit;
	uint32_t cost;
	uint32_t cached;
	uint32_t reserved;
	uint64_t waiting;
};

/** FW_MATCH_AT_SUBMIT - producers look up the prefix, not the scheduler */
#define FW_MATCH_AT_SUBMIT 1u

/** FW_OWN_ARRIVAL - fw_submit() keeps the arrival that the request brings */
#define FW_OWN_ARRIVAL 2u

/**
 * struct fw_config - settings of one runtime
 * @size: sizeof(struct fw_config) as the caller was compiled
 * @order: how the queue is ordered, its budget, and the allocator; defaults
 *	when NULL. Its @open is not used: all times are those of
 *	CLOCK_MONOTONIC, or of the executor's own clock where it has one
 * @executor: what computes; owned by the runtime once fw_open() returned 0
 * @done: called when a request ended, which is the caller's again and may be
 *	freed. Never NULL
 * @admit: asked before a request is admitted and before it takes a block.
 *	May be NULL only with @num_blocks
 * @decided: told of every admission; may be NULL
 * @ctx: handed to @done, @admit and @decided
 * @num_blocks: blocks of the KV cache. 0 when the engine keeps its own cache
 *	and reports it by fw_block_stored() and its kin
 * @block_tokens: tokens of one block; 16 when 0
 * @protect: 1 spares blocks that a waiting request would hit
 * @max_running: sequences that run at once; 256 when 0
 * @max_waiting: requests that are submitted and not admitted; 65536 when 0.
 *	The sum with @max_running is below 2^24
 * @max_bytes: bytes of these requests, structs and keys; no limit when 0
 * @max_events: cache events that no step has taken over yet, below 2^24;
 *	65536 when 0
 * @max_cached: without @num_blocks: keys that the index may hold; 2^20 when 0
 * @num_classes: priorities, at most 64; 1 when 0
 * @max_retries: how often a request may go back to the queue, with its old
 *	arrival, after its plan failed. 0: it fails at once
 * @shards: of the inbox; when 0, one for each processor, at most 16
 * @flags: FW_MATCH_AT_SUBMIT, FW_OWN_ARRIVAL
 * @max_rescored: how many waiting requests one step scores anew because a
 *	block that they lacked was stored, or one that they hit was removed.
 *	Those that waited longest are first, the others follow in the next
 *	steps. Whoever is admitted has its real hit. 0: all in one step, so
 *	that the order is exact
 * @class_max_waiting: for each of the @num_classes how many of the
 *	@max_waiting places it may hold, 0 for all; copied. So a class that
 *	floods leaves the rest to the others. No such bounds when NULL
 * @class_max_wait: nanoseconds of waiting after which a request rises to the
 *	next higher class, and again after as many, so that the lowest class is
 *	served in the end. With @pausing so does one that has begun, until it
 *	is done. 0: it stays in its class
 * @pausing: 1 lets a request that has begun pause while others are computed.
 *	In each step all that is unfinished then competes in the order; whoever
 *	pauses keeps its blocks and its place among the @max_running. So a long
 *	prompt does not hold up a short one for longer than a step. 0: a request
 *	that has begun gets tokens in each step until it is done
 * @tenant_max_waiting: places of max_waiting that one tenant may hold in one
 *	class, and, for a moment, one more for each thread that submits; 0 for
 *	no such bound. Any number of tenants share a fixed amount of memory for
 *	it, so one that holds few places is, rarely, refused because of others
 *
 * Start from a struct of zeros with @size set. A later version appends
 * fields; a tail that this version does not know must be 0.
 */
struct fw_config {
	size_t size;
	const struct fw_order_config *order;
	const struct fw_executor *executor;
	void (*done)(void *ctx, struct fw_request *req,
		     const struct fw_result *result);
	enum fw_admit (*admit)(void *ctx, struct fw_request *req,
			       uint32_t cached);
	void (*decided)(void *ctx, const struct fw_decision *decision);
	void *ctx;
	uint32_t num_blocks;
	uint32_t block_tokens;
	uint32_t protect;
	uint32_t max_running;
	uint32_t max_waiting;
	uint32_t max_events;
	uint64_t max_bytes;
	uint32_t max_cached;
	uint32_t num_classes;
	uint32_t max_retries;
	uint32_t shards;
	uint32_t flags;
	uint32_t max_rescored;
	const uint32_t *class_max_waiting;
	int64_t class_max_wait;
	uint32_t pausing;
	uint32_t tenant_max_waiting;
};

/**
 * fw_open() - make a runtime
 * @out: written only on success
 * @config: settings; copied. Only what a ctx in it points to must live on
 *
 * Context: Any thread. Allocates all that submitting needs.
 * Return: 0, -EINVAL for a size or value out of range, -E2BIG for an unknown
 * tail, -ENODEV for an unknown device, -ENOMEM, -ECHILD.
 */
int fw_open(struct fw **out, const struct fw_config *config);

/**
 * fw_thread_attach() - prepare the calling thread
 *
 * The first call of a thread may register it with the reclamation of memory,
 * under a lock. This call does that ahead of time, so that no later call of
 * the thread takes a lock. It is undone when the thread ends.
 *
 * Context: Any thread, any number of times.
 */
void fw_thread_attach(void);

/**
 * fw_submit() - hand one request to the runtime
 * @fw: the runtime
 * @req: the runtime owns it and its keys from a 0 return until its callback
 *	runs; untouched on an error. Its arrival is stamped here, or, where
 *	the executor has a clock of its own, by the step that takes it over
 * @handle: to cancel it by, never 0; may be NULL. Written before the callback
 *	can run
 *
 * Context: Any thread, callbacks too. Lock-free, never allocates.
 * Return: 0. -EAGAIN when a bound on what waits is reached. -ESHUTDOWN
 * after fw_quiesce(), after fw_close() or when the executor is gone. -EINVAL
 * for a request that no runtime can take; -EBUSY for one that this runtime
 * still has; -ECHILD.
 */
int fw_submit(struct fw *fw, struct fw_request *req, uint64_t *handle);

/**
 * fw_cancel() - end a request early
 * @fw: the runtime
 * @handle: what fw_submit() gave; may be of a request that ended
 *
 * A waiting request ends at the next step and never reaches the executor. One
 * that runs, or that a step is just admitting, ends after its current chunk.
 * After a 0 return it ends as cancelled and in no other way.
 *
 * Context: Any thread, callbacks too. Lock-free, never allocates, and never
 * touches the caller's struct.
 * Return: 0; -EALREADY when it was cancelled before or is ending; -ENOENT when
 * it has ended or never was; -ECHILD.
 */
int fw_cancel(struct fw *fw, uint64_t handle);

/**
 * fw_step() - schedule once
 * @fw: the runtime
 *
 * Takes over what was submitted, cancelled, computed and reported since,
 * plans the next step if the executor has room for it, and calls back.
 *
 * Context: The scheduler's thread. Never waits for a device or a producer.
 * Return: 1 when a plan was submitted or ended: call again. 0 when there is
 * nothing to do: call fw_wait(). -ESHUTDOWN when fw_quiesce() was called and
 * nothing is left; -ENODEV when the executor is gone and nothing is left.
 * -EDEADLK in a callback; -EBUSY while another thread schedules; -ECHILD.
 */
int fw_step(struct fw *fw);

/**
 * fw_wait() - sleep until there is something to schedule
 * @fw: the runtime
 * @timeout: nanoseconds at most; below 0 for no limit
 *
 * Takes no processor time. Returns when a request is submitted or cancelled, a
 * cache event comes, a plan ends, or a max_wait is over. What happened since
 * the last fw_step() counts, so it may return at once.
 *
 * Context: The scheduler's thread.
 * Return: 1; 0 after the time-out; -EDEADLK, -EBUSY and -ECHILD as fw_step().
 */
int fw_wait(struct fw *fw, int64_t timeout);

/**
 * fw_run() - fw_step() and fw_wait() until all is over
 * @fw: the runtime
 *
 * Context: The scheduler's thread until it returns.
 * Return: 0 when fw_quiesce() was called and everything ended; -EINTR after
 * fw_stop() or when fw_close() takes over; -ENODEV when the executor is gone;
 * -EDEADLK, -EBUSY and -ECHILD as fw_step().
 */
int fw_run(struct fw *fw);

/**
 * fw_stop() - let fw_run() and fw_wait() return soon
 * @fw: the runtime; what waits or runs in it stays as it is
 *
 * One call makes one of them return. If none is running, it is the next one.
 *
 * Context: Any thread, callbacks too. Return: 0, -ECHILD.
 */
int fw_stop(struct fw *fw);

/**
 * fw_poke() - let the scheduler look again
 * @fw: the runtime
 *
 * For an embedder whose admission callback said FW_ADMIT_FULL or
 * FW_ADMIT_SKIP and would answer otherwise now. The callback sees all that
 * this thread did before. Everything else wakes the scheduler by itself.
 *
 * Context: Any thread, callbacks too. Return: 0, -ECHILD.
 */
int fw_poke(struct fw *fw);

/**
 * fw_quiesce() - take no more submissions
 * @fw: the runtime; what waits or runs in it goes on to its end
 *
 * Context: Any thread, callbacks too. Return: 0, -ECHILD.
 */
int fw_quiesce(struct fw *fw);

/**
 * fw_close() - end all requests and free the runtime
 * @fw: the runtime; may be NULL
 * @timeout: nanoseconds that it may wait for the executor, for another
 *	thread's fw_run(), and for threads that are inside a call; below 0 for
 *	no limit
 *
 * Takes no more submissions. Cancels what waits at once and what runs after
 * its current chunk, and calls back for each. After -EBUSY the runtime is
 * valid, and may have stopped taking submissions; call again to go on.
 *
 * It waits for the calls that other threads are in. It does not wait for calls
 * that begin while it runs, so all threads that could make one must stop
 * first. fw_quiesce() tells those that submit: they get -ESHUTDOWN.
 *
 * Context: Any thread.
 * Return: 0; -EBUSY after the time-out, with @fw still valid; -EDEADLK in a
 * callback; -ECHILD.
 */
int fw_close(struct fw *fw, int64_t timeout);

/** FW_PARENT_UNKNOWN - for a block that is reported without its parent */
#define FW_PARENT_UNKNOWN ((const struct fw_key *)~(uintptr_t)0)

/**
 * fw_block_stored() - the engine's own cache holds a block now
 * @fw: a runtime without blocks of its own
 * @key: of the block; a second copy counts as one more
 * @parent: the block before it in its prompt, NULL for a prompt's first;
 *	FW_PARENT_UNKNOWN when it is not known
 *
 * The next step takes the events over, those of one thread in their order.
 *
 * Context: Any thread, callbacks too. Lock-free, never allocates.
 * Return: 0; -EAGAIN when max_events are on their way: nothing was noted;
 * -EINVAL for a runtime with blocks of its own; -ESHUTDOWN after fw_close();
 * -ECHILD.
 */
int fw_block_stored(struct fw *fw, const struct fw_key *key,
		    const struct fw_key *parent);

/**
 * fw_block_removed() - one copy of a block is gone
 * @fw: a runtime without blocks of its own
 * @key: of the block
 *
 * Context and Return: as fw_block_stored().
 */
int fw_block_removed(struct fw *fw, const struct fw_key *key);

/**
 * fw_block_cleared() - the whole cache is gone
 * @fw: a runtime without blocks of its own
 *
 * Context and Return: as fw_block_stored().
 */
int fw_block_cleared(struct fw *fw);

/**
 * fw_block_present() - so many copies of a block are in the engine's own cache
 * @fw: a runtime without blocks of its own
 * @key: of the block
 * @parent: as fw_block_stored() takes it; not used when @copies is 0
 * @copies: how many there are now, whatever was known before; 0 for none
 *
 * fw_block_stored() counts one copy more, so a stream of events that is sent
 * again makes a block outlive its eviction. This event may come twice. An
 * engine that only knows whether it holds a block says 1 and 0. It may be mixed
 * with fw_block_removed(), which takes one copy away.
 *
 * Context and Return: as fw_block_stored().
 */
int fw_block_present(struct fw *fw, const struct fw_key *key,
		     const struct fw_key *parent, uint32_t copies);

/**
 * fw_snapshot_begin() - the engine is about to name all blocks that it holds
 * @fw: a runtime without blocks of its own
 *
 * The same thread then reports each block, by fw_block_stored() for each copy
 * or by fw_block_present(), and calls fw_snapshot_end(). That replaces all that
 * was known. The first report of a block in the snapshot counts from 0, and at
 * the end the blocks that were not named are gone. Until then they count, so an
 * engine whose cache was lost calls fw_block_cleared() instead. A second begin
 * starts again.
 *
 * Every report is one of max_events, and must be made again after -EAGAIN: a
 * block that is missing is taken for gone. Other threads report nothing
 * meanwhile. The end costs one pass over all known blocks.
 *
 * Context and Return: as fw_block_stored().
 */
int fw_snapshot_begin(struct fw *fw);

/**
 * fw_snapshot_end() - all blocks have been named
 * @fw: the runtime of fw_snapshot_begin()
 *
 * Context and Return: as fw_block_stored().
 */
int fw_snapshot_end(struct fw *fw);

#ifdef __cplusplus
}
#endif

#endif
