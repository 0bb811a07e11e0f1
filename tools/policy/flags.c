/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/number.h"
#include "tools/base/options.h"
#include "registry.h"

/* Beyond this neither prefill times nor waits mean anything, in seconds. */
#define MIN_REAL 1e-4
#define MAX_REAL 1e6

static int word(const char *what, const char *value, const char *const *words,
		struct diag *diag)
{
	char list[64] = "";

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], value))
			return i;
		snprintf(list + strlen(list), sizeof(list) - strlen(list),
			 "%s%s", i ? " or " : "", words[i]);
	}
	return diag_set(diag, -EINVAL, "%s: expected %s (was \"%s\")", what,
			list, value);
}

static int set_protect(struct policy_spec *spec, const char *what,
		       const char *value, struct diag *diag)
{
	(void)what;
	(void)value;
	(void)diag;
	spec->protect = true;
	return 0;
}

static int set_limit(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	return opt_u32(what, value, 1, INT32_MAX, &spec->limit, diag);
}

static int set_dedupe(struct policy_spec *spec, const char *what,
		      const char *value, struct diag *diag)
{
	(void)what;
	(void)value;
	(void)diag;
	spec->dedupe = true;
	return 0;
}

static int set_k(struct policy_spec *spec, const char *what, const char *value,
		 struct diag *diag)
{
	return opt_u32(what, value, 1, INT32_MAX, &spec->k, diag);
}

static int set_window(struct policy_spec *spec, const char *what,
		      const char *value, struct diag *diag)
{
	return opt_u32(what, value, 1, 1000000, &spec->window, diag);
}

static int set_pgdsf(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	(void)what;
	(void)value;
	(void)diag;
	spec->pgdsf = true;
	return 0;
}

static int set_clock(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	static const char *const words[] = {"wall", "tokens", NULL};
	int i = word(what, value, words, diag);

	if (i < 0)
		return i;
	spec->token_clock = i == 1;
	return 0;
}

static int set_max(struct policy_spec *spec, const char *what,
		   const char *value, struct diag *diag)
{
	return opt_real(what, value, MIN_REAL, MAX_REAL, &spec->max_wait, diag);
}

static int set_gamma(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	return opt_real(what, value, MIN_REAL, MAX_REAL, &spec->gamma, diag);
}

static int set_ada(struct policy_spec *spec, const char *what,
		   const char *value, struct diag *diag)
{
	(void)what;
	(void)value;
	(void)diag;
	spec->ada = true;
	return 0;
}

static int set_weight(struct policy_spec *spec, const char *what,
		      const char *value, struct diag *diag)
{
	if (!parse_thousandths(value, 1, 1000000, &spec->weight))
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: expected a number from 0.001 to 1000 with at "
			"most three decimals (was \"%s\")",
			what, value);
}

static int set_multiplier(struct policy_spec *spec, const char *what,
			  const char *value, struct diag *diag)
{
	return opt_real(what, value, MIN_REAL, MAX_REAL, &spec->multiplier,
			diag);
}

static int set_floor(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	return opt_real(what, value, MIN_REAL, MAX_REAL, &spec->floor, diag);
}

static int set_wait(struct policy_spec *spec, const char *what,
		    const char *value, struct diag *diag)
{
	static const char *const words[] = {"relative", "absolute", NULL};
	int i = word(what, value, words, diag);

	if (i < 0)
		return i;
	spec->wait_constant = i ? 1.0 : 0.0;
	return 0;
}

static int set_constant(struct policy_spec *spec, const char *what,
			const char *value, struct diag *diag)
{
	if (spec->wait_constant <= 0.0)
		return diag_set(diag, -EINVAL,
				"%s: goes with wait=absolute only", what);
	return opt_real(what, value, MIN_REAL, MAX_REAL, &spec->wait_constant,
			diag);
}

static int set_lane(struct policy_spec *spec, const char *what,
		    const char *value, struct diag *diag)
{
	static const char *const words[] = {"on", "off", NULL};
	int i = word(what, value, words, diag);

	if (i < 0)
		return i;
	spec->no_fair_lane = i == 1;
	return 0;
}

static int set_carry(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	static const char *const words[] = {"long", NULL};
	int i = value ? word(what, value, words, diag) : 1;

	if (i < 0)
		return i;
	spec->carry = i ? FW_CARRY_ON : FW_CARRY_LONG;
	return 0;
}

static int set_order(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	static const char *const words[] = {"heap", "sort", NULL};
	int i = word(what, value, words, diag);

	if (i < 0)
		return i;
	spec->sort = i == 1;
	return 0;
}

#define NO_MORE                                    \
	{                                          \
		NULL, VALUE_NONE, NULL, NULL, NULL \
	}

const struct policy_flag policy_common_flags[] = {
	{"protect", VALUE_NONE, set_protect, "protect",
	 "spare cached blocks that waiting requests would hit"},
	NO_MORE,
};

const struct policy_flag policy_no_flags[] = {
	NO_MORE,
};

const struct policy_flag policy_lpm_flags[] = {
	{"limit", VALUE_NEEDED, set_limit, "limit=N",
	 "leave a queue of more than N unsorted"},
	{"dedupe", VALUE_NONE, set_dedupe, "dedupe",
	 "hold back all but the first of a cold prefix"},
	NO_MORE,
};

const struct policy_flag policy_klpm_flags[] = {
	{"k", VALUE_NEEDED, set_k, "k=K", "of so many (default 4)"},
	NO_MORE,
};

const struct policy_flag policy_ragcache_flags[] = {
	{"window", VALUE_NEEDED, set_window, "window=W",
	 "first once W later arrivals went before it"},
	{"pgdsf", VALUE_NONE, set_pgdsf, "pgdsf",
	 "evict by frequency and cost"},
	NO_MORE,
};

const struct policy_flag policy_hrrn_flags[] = {
	{"clock", VALUE_NEEDED, set_clock, "clock=tokens",
	 "the wait in tokens computed meanwhile"},
	NO_MORE,
};

const struct policy_flag policy_rsjf_flags[] = {
	{"max", VALUE_NEEDED, set_max, "max=M",
	 "but first who waited M seconds (default 10)"},
	NO_MORE,
};

const struct policy_flag policy_uniboost_flags[] = {
	{"gamma", VALUE_NEEDED, set_gamma, "gamma=G",
	 "a second (default 0.2); small: by work"},
	{"ada", VALUE_NONE, set_ada, "ada",
	 "fit gamma to the tail, as we read it"},
	NO_MORE,
};

const struct policy_flag policy_fairway_flags[] = {
	{"weight", VALUE_NEEDED, set_weight, "weight=W",
	 "charge of the fast lane, 0.001 to 1000 (default 4)"},
	{"multiplier", VALUE_NEEDED, set_multiplier, "multiplier=M",
	 "prefill times in a unit of wait (default 3)"},
	{"floor", VALUE_NEEDED, set_floor, "floor=F",
	 "its least length in seconds (default 1)"},
	{"wait", VALUE_NEEDED, set_wait, "wait=absolute",
	 "unit of wait: constant=X seconds (default 1)"},
	{"constant", VALUE_NEEDED, set_constant, NULL, NULL},
	{"lane", VALUE_NEEDED, set_lane, "lane=off",
	 "by score alone, no bound on overtaking"},
	{"carry", VALUE_OPTIONAL, set_carry, "carry[=long]",
	 "ledgers outlive a step [for long prompts only]"},
	{"order", VALUE_NEEDED, set_order, "order=sort",
	 "the naive form, same results"},
	NO_MORE,
};
