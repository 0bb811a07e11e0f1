/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_FAIRWAY_H
#define TOOLS_POLICY_FAIRWAY_H

#include <stdbool.h>
#include <stdint.h>

#include <fairway/config.h>

#include "ops.h"

/**
 * struct fairway_args - the flags of fairway, and of srpf
 * @weight: charge of a token in the fast lane, thousandths
 * @multiplier: SLO in prefill times
 * @floor: least SLO, seconds
 * @wait_constant: wait=absolute, seconds; 0 relative
 * @no_fair_lane: lane=off
 * @carry: ledgers over steps
 * @by_rest: key=rest, the fast lane by the time that the rest takes
 * @guard: share of the wait that may be added, thousandths; 0 for any
 * @sort: order=sort, the naive form
 * @pausing: may a prompt that has begun pause for another one?
 * @by_tenant: tenants, fair between those of the trace
 */
struct fairway_args {
	int64_t weight;
	double multiplier;
	double floor;
	double wait_constant;
	bool no_fair_lane;
	enum fw_carry carry;
	bool by_rest;
	int64_t guard;
	bool sort;
	bool pausing;
	bool by_tenant;
};

/* The flags of @spec, fairway or srpf; NULL when it has no such lanes. */
const struct fairway_args *fairway_args(const struct policy_spec *spec);

/* What srpf, which is the same lanes with other settings, has in common. */
int fairway_create(void **order, const struct policy_spec *spec,
		   const struct policy_env *env);
void fairway_destroy(void *order);
double fairway_slo(const void *order, uint32_t len);
bool fairway_pausing(const struct policy_spec *spec);
const struct policy *fairway_variant(const struct policy_spec *spec);
int fairway_set_tenants(struct policy_spec *spec, const char *what,
			const char *value, struct diag *diag);
int fairway_set_weight(struct policy_spec *spec, const char *what,
		       const char *value, struct diag *diag);
int fairway_set_guard(struct policy_spec *spec, const char *what,
		      const char *value, struct diag *diag);

#endif
