/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NAIVE_NAIVE_LANES_H
#define TESTS_NAIVE_NAIVE_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/queue/lanes.h"

/*
 * The lanes as the specification words them: a plain array of requests, each
 * question answered by looking at all of them. Requests are named by their
 * place in the array.
 */

#define NAIVE_MAX 48
#define NAIVE_NONE (-1)

/**
 * struct naive_req - one request
 * @waiting: queued
 * @offered: takes part in the open pass
 * @seq: rank of its first call, 0 before that
 * @len: as the caller last said, as are the next three
 * @hit: cached tokens
 * @arrival: seconds
 * @slo: seconds
 * @h: as it counts in the open pass, as do the next three
 * @c: tokens left to compute
 * @arrived: seconds
 * @unit: of its wait, seconds
 * @ahead: cost admitted ahead of it while it was the oldest
 */
struct naive_req {
	bool waiting;
	bool offered;
	uint64_t seq;
	uint32_t len;
	uint32_t hit;
	double arrival;
	double slo;
	uint32_t h;
	uint32_t c;
	double arrived;
	double unit;
	uint64_t ahead;
};

/**
 * struct naive_account - the ledgers and whom they bound
 * @fast: F, thousandths of a token
 * @fair: R, the same
 * @oldest: who was the oldest at their start; nobody once it left
 * @oldest_cost: its cost then
 * @first_cost: that of the fast lane's head then
 * @ahead: what the fast lane released since
 */
struct naive_account {
	int64_t fast;
	int64_t fair;
	int oldest;
	int64_t oldest_cost;
	int64_t first_cost;
	int64_t ahead;
};

/**
 * struct naive_undo - all that an admission changed
 * @who: was admitted; nobody when nothing can be taken back
 * @behind: whose @ahead it raised
 */
struct naive_undo {
	int who;
	int behind;
	uint32_t budget;
	struct naive_account account;
	struct fw_lanes_stats stats;
};

struct naive_lanes {
	struct fw_lanes_config config;
	struct naive_req reqs[NAIVE_MAX];
	uint64_t next_seq;
	double now;
	bool open;
	uint32_t budget;
	int released;
	int peeked;
	enum fw_lane lane;
	struct naive_account account;
	struct naive_account kept;
	struct naive_undo undo;
	struct fw_lanes_stats stats;
};

void naive_lanes_init(struct naive_lanes *n,
		      const struct fw_lanes_config *config);
/* Queue request @who, or update it while it waits. */
void naive_lanes_add(struct naive_lanes *n, int who, uint32_t len, uint32_t hit,
		     double arrival, double slo);
void naive_lanes_remove(struct naive_lanes *n, int who);
void naive_lanes_begin(struct naive_lanes *n, double now, uint32_t budget);
int naive_lanes_peek(struct naive_lanes *n);
int naive_lanes_admit(struct naive_lanes *n, uint32_t tokens);
int naive_lanes_skip(struct naive_lanes *n);
void naive_lanes_end(struct naive_lanes *n);

#endif
