/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NAIVE_NAIVE_POLICY_H
#define TESTS_NAIVE_NAIVE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The names and flags of --policy, read a second time and on their own: the
 * oracle shares no line with what it judges.
 */

enum naive_kind {
	NAIVE_FCFS,
	NAIVE_LPM,
	NAIVE_KLPM,
	NAIVE_RAGCACHE,
	NAIVE_PREBLE,
	NAIVE_HRRN,
	NAIVE_SPF,
	NAIVE_RSJF,
	NAIVE_UNIBOOST,
	NAIVE_FAIRWAY,
};

enum naive_carry {
	NAIVE_CARRY_OFF,
	NAIVE_CARRY_ON,
	NAIVE_CARRY_LONG,
};

/**
 * struct naive_policy - a policy with every flag spelled out
 * @kind: which order
 * @protect: evict what nobody waits for first
 * @limit: lpm: longest queue that is sorted, 0 for any
 * @dedupe: lpm: later copies of a cold prefix go last
 * @k: klpm: every @k-th admission takes the oldest
 * @window: ragcache: later arrivals that may pass, 0 for any number
 * @pgdsf: ragcache: evict by frequency and cost
 * @token_clock: hrrn: the wait counts in tokens
 * @max_wait: rsjf: seconds after which a request goes first
 * @gamma: uniboost: a second
 * @ada: uniboost: fit gamma to the tail of the run
 * @weight: fairway: in thousandths
 * @multiplier: fairway: prefill times in one unit of wait
 * @floor: fairway: least unit of wait, seconds
 * @constant: fairway: unit of an absolute wait, seconds; 0 for relative
 * @no_fair_lane: fairway: by score alone
 * @carry: fairway: ledgers over steps
 * @by_rest: fairway: the fast lane by the time that the rest takes
 * @guard: fairway: wait that may be added to what first-come-first-served
 *	would give, in thousandths of that; 0 for any
 * @pause: fairway: what has begun competes with what waits
 * @tenants: fairway: each tenant has lanes and a guard of its own
 */
struct naive_policy {
	enum naive_kind kind;
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
	double constant;
	bool no_fair_lane;
	enum naive_carry carry;
	bool by_rest;
	int64_t guard;
	bool pause;
	bool tenants;
};

/**
 * naive_policy_parse() - read NAME[:FLAG[=VALUE]]...
 * @policy: written only on success
 * @text: one policy
 *
 * Return: 0, -EINVAL.
 */
int naive_policy_parse(struct naive_policy *policy, const char *text);

#endif
