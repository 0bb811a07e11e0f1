/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_POLICY_H
#define TOOLS_POLICY_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <fairway/config.h>

#include "tools/base/diag.h"

/* The order of one simulated engine, as --policy names it. */
enum policy_kind {
	POLICY_FCFS,
	POLICY_LPM,
	POLICY_KLPM,
	POLICY_RAGCACHE,
	POLICY_PREBLE,
	POLICY_PEEK,
	POLICY_HRRN,
	POLICY_SPF,
	POLICY_RSJF,
	POLICY_UNIBOOST,
	POLICY_FAIRWAY,
};

/**
 * struct policy_spec - a policy with its flags
 * @name: as given, for the reports
 * @kind: which order
 * @protect: spare what waiting requests would hit, goes with every policy
 * @limit: lpm: with more waiting the queue is not sorted; 0 off
 * @dedupe: lpm: all but the first of a cold shared prefix go last
 * @k: klpm: one admission in so many takes the oldest
 * @window: ragcache: later arrivals that may go before one; 0 any number
 * @pgdsf: ragcache: evict by frequency and cost, not by age
 * @token_clock: hrrn: clock=tokens, waits count in computed tokens
 * @max_wait: rsjf: seconds after which a request goes first
 * @gamma: uniboost: a second
 * @ada: uniboost: fit gamma to the tail of the run
 * @weight: fairway: thousandths
 * @multiplier: fairway: SLO in prefill times
 * @floor: fairway: least SLO, seconds
 * @wait_constant: fairway: wait=absolute, seconds; 0 relative
 * @no_fair_lane: fairway: lane=off
 * @carry: fairway: ledgers over steps
 * @sort: fairway: order=sort, the naive form
 */
struct policy_spec {
	char *name;
	enum policy_kind kind;
	bool protect;
	uint32_t limit;
	bool dedupe;
	uint32_t k;
	uint32_t window;
	bool pgdsf;
	bool token_clock;
	double max_wait;
	double gamma;
	bool ada;
	int64_t weight;
	double multiplier;
	double floor;
	double wait_constant;
	bool no_fair_lane;
	enum fw_carry carry;
	bool sort;
};

/**
 * struct policy_list - every policy of one run; begins as zeros
 * @specs: the policies, in the order given
 * @num: how many
 */
struct policy_list {
	struct policy_spec *specs;
	unsigned int num;
};

/**
 * policy_parse() - add the policies of one --policy argument
 * @list: grown
 * @text: NAME[:FLAG[=VALUE]]..., several separated by commas; `all`
 * @diag: unknown words with the closest known one, values out of range
 *
 * Return: 0 or -errno; @list is as before on an error.
 */
int policy_parse(struct policy_list *list, const char *text, struct diag *diag);

void policy_list_destroy(struct policy_list *list);

/* The list for a command's help: each name and flag and what it stands for. */
void policy_help(FILE *to);

#endif
