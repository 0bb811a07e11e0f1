/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_LOOP_H
#define TOOLS_NODE_LOOP_H

#include <stdatomic.h>

#include "tools/base/diag.h"
#include "tools/policy/ops.h"
#include "tools/trace/trace.h"
#include "feed.h"
#include "result.h"

/*
 * A node in virtual time: requests arrive, wait in a policy, and are served
 * step by step. What a step does, and what is known of the cache, is its
 * owner's: the simulator has a pool of blocks, the analysis of a log has hits
 * that were measured.
 *
 * Single owner, takes no lock.
 */

struct node;

/**
 * struct node_ops - what the owner of a node does
 * @arrive: request @id of the trace is there: queue it, or end it
 * @running: have requests begun that are not done?
 * @step: plan a step, take its time by node_stepped(), end what is done
 *
 * @arrive and @step return 0 or -errno, which ends the loop.
 */
struct node_ops {
	int (*arrive)(struct node *node, size_t id);
	bool (*running)(const struct node *node);
	int (*step)(struct node *node);
};

/**
 * struct node - one run
 * @ops: of its owner
 * @trace: the requests, read only
 * @config: the node, read only
 * @device: step times
 * @cost: predicted prefill times
 * @policy: which order
 * @order: who waits
 * @now: virtual seconds since the trace's begin
 * @feed: the requests that have not arrived
 * @progress: requests that ended, for an observer, or NULL
 * @result: filled as the run goes on
 */
struct node {
	const struct node_ops *ops;
	const struct trace *trace;
	const struct sim_config *config;
	const struct fw_device *device;
	struct fw_cost cost;
	const struct policy *policy;
	void *order;
	double now;
	struct feed feed;
	_Atomic uint64_t *progress;
	struct sim_result result;
};

/**
 * node_init() - a node at which nothing arrived
 * @node: its ops, trace, config and progress are set; the rest is written
 * @spec: the policy
 *
 * Return: 0, -ENOMEM, -ENODEV when there is no such device; then there is
 * nothing to destroy.
 */
int node_init(struct node *node, const struct policy_spec *spec);

/* All but the result, which is its reader's. */
void node_destroy(struct node *node);

/* Take out all that wait, which a run that failed leaves behind. */
void node_drain(struct node *node, void (*drop)(struct fw_request *req));

/* Queue request @id as @req, with @hit tokens cached. Return: 0, -ENOMEM. */
int node_queue(struct node *node, size_t id, struct fw_request *req,
	       uint32_t hit);

/* Serve until nothing runs, waits or is to arrive. Return: 0 or -errno. */
int node_loop(struct node *node, struct diag *diag);

/* A step computed @tokens tokens with @pairs pairs: its time passes. */
void node_stepped(struct node *node, uint32_t tokens, double pairs);

/* Request @id got its first token now; @hit tokens of it were cached. */
void node_done(struct node *node, size_t id, uint32_t hit);

/* Request @id was turned away on arrival. */
void node_rejected(struct node *node, size_t id);

/* Why a run failed, in a line. Return: @err. */
int node_failed(struct diag *diag, const struct sim_config *config,
		const struct policy_spec *spec, int err);

#endif
