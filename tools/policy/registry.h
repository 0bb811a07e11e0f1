/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_REGISTRY_H
#define TOOLS_POLICY_REGISTRY_H

#include <stddef.h>

#include "policy.h"

/* What --policy knows: names, flags, what the help says of them. */

/* A policy takes as many flags as it knows, each once. */
#define POLICY_MAX_FLAGS 16

enum policy_value {
	VALUE_NONE,
	VALUE_OPTIONAL,
	VALUE_NEEDED,
};

/**
 * struct policy_flag - what may follow a policy's name
 * @name: before the "="
 * @value: whether a "=" may or must follow
 * @set: stores it; @what names policy and flag for the diagnosis, @value is
 *	NULL when none was given
 * @form: how the help writes it
 * @help: what it says of it
 */
struct policy_flag {
	const char *name;
	enum policy_value value;
	int (*set)(struct policy_spec *spec, const char *what,
		   const char *value, struct diag *diag);
	const char *form;
	const char *help;
};

/* Tables of flags, each ended by a name of NULL. */
extern const struct policy_flag policy_common_flags[]; /* go with all */
extern const struct policy_flag policy_no_flags[];
extern const struct policy_flag policy_lpm_flags[];
extern const struct policy_flag policy_klpm_flags[];
extern const struct policy_flag policy_ragcache_flags[];
extern const struct policy_flag policy_hrrn_flags[];
extern const struct policy_flag policy_rsjf_flags[];
extern const struct policy_flag policy_uniboost_flags[];
extern const struct policy_flag policy_fairway_flags[];

/**
 * struct policy_row - a policy that --policy knows
 * @name: before the first ":"
 * @kind: its order
 * @flags: its own flags, set in the order of their table, whatever the order
 *	they were given in: what depends on another one stands after it
 * @help: what it does, one or more lines, split by newlines
 */
struct policy_row {
	const char *name;
	enum policy_kind kind;
	const struct policy_flag *flags;
	const char *help;
};

/* In the order in which `all` takes them, ended by a name of NULL. */
extern const struct policy_row policy_rows[];

#define POLICY_ROWS 11u

#endif
