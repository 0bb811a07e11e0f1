/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_policy.h"

static const struct {
	const char *name;
	enum naive_kind kind;
	bool protect;
} names[] = {
	{"fcfs", NAIVE_FCFS, false},	   {"lpm", NAIVE_LPM, false},
	{"klpm", NAIVE_KLPM, false},	   {"ragcache", NAIVE_RAGCACHE, false},
	{"preble", NAIVE_PREBLE, false},   {"peek", NAIVE_LPM, true},
	{"hrrn", NAIVE_HRRN, false},	   {"spf", NAIVE_SPF, false},
	{"rsjf", NAIVE_RSJF, false},	   {"uniboost", NAIVE_UNIBOOST, false},
	{"fairway", NAIVE_FAIRWAY, false}, {"srpf", NAIVE_FAIRWAY, false},
};

static int set_name(struct naive_policy *policy, const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, name) == 0) {
			policy->kind = names[i].kind;
			policy->protect = names[i].protect;
			policy->pause = strcmp(name, "srpf") == 0;
			policy->by_rest = policy->pause;
			policy->guard = policy->pause ? 500 : 0;
			return 0;
		}
	}
	return -EINVAL;
}

static int read_number(const char *value, double *number)
{
	char *end;

	if (!value)
		return -EINVAL;
	*number = strtod(value, &end);
	return *end == '\0' && end != value && *number >= 0 ? 0 : -EINVAL;
}

static int read_count(const char *value, uint32_t fallback, uint32_t *count)
{
	double number = fallback;

	if (value && read_number(value, &number) < 0)
		return -EINVAL;
	*count = (uint32_t)number;
	return 0;
}

static bool is_flag(const struct naive_policy *policy, enum naive_kind kind,
		    const char *flag, const char *name)
{
	return policy->kind == kind && strcmp(flag, name) == 0;
}

static bool has_value(const char *value, const char *expected)
{
	return value && strcmp(value, expected) == 0;
}

static int set_guard(struct naive_policy *policy, const char *value)
{
	double number = 0;

	if (!has_value(value, "off") && read_number(value, &number) < 0)
		return -EINVAL;
	policy->guard = llround(number * 1000);
	return 0;
}

static int set_fairway_number(struct naive_policy *policy, const char *flag,
			      const char *value)
{
	double number;

	if (read_number(value, &number) < 0)
		return -EINVAL;
	if (strcmp(flag, "weight") == 0)
		policy->weight = llround(number * 1000);
	else if (strcmp(flag, "multiplier") == 0)
		policy->multiplier = number;
	else if (strcmp(flag, "floor") == 0)
		policy->floor = number;
	else if (strcmp(flag, "constant") == 0)
		policy->constant = number;
	else
		return -EINVAL;
	return 0;
}

static int set_fairway(struct naive_policy *policy, const char *flag,
		       const char *value)
{
	if (strcmp(flag, "wait") == 0 && has_value(value, "absolute")) {
		if (policy->constant == 0)
			policy->constant = 1;
	} else if (strcmp(flag, "lane") == 0 && has_value(value, "off")) {
		policy->no_fair_lane = true;
	} else if (strcmp(flag, "guard") == 0) {
		return set_guard(policy, value);
	} else if (strcmp(flag, "key") == 0 && has_value(value, "rest")) {
		policy->by_rest = true;
	} else if (strcmp(flag, "pause") == 0 && !value) {
		policy->pause = true;
	} else if (strcmp(flag, "nopause") == 0 && !value) {
		policy->pause = false;
	} else if (strcmp(flag, "tenants") == 0 && !value) {
		policy->tenants = true;
	} else if (strcmp(flag, "order") == 0 && has_value(value, "sort")) {
		return 0; /* the same order by another way */
	} else if (strcmp(flag, "carry") == 0 && !value) {
		policy->carry = NAIVE_CARRY_ON;
	} else if (strcmp(flag, "carry") == 0 && has_value(value, "long")) {
		policy->carry = NAIVE_CARRY_LONG;
	} else {
		return set_fairway_number(policy, flag, value);
	}
	return 0;
}

static int set_flag(struct naive_policy *policy, const char *flag,
		    const char *value)
{
	if (strcmp(flag, "protect") == 0 && !value)
		policy->protect = true;
	else if (is_flag(policy, NAIVE_LPM, flag, "limit"))
		return read_count(value, 128, &policy->limit);
	else if (is_flag(policy, NAIVE_LPM, flag, "dedupe"))
		policy->dedupe = true;
	else if (is_flag(policy, NAIVE_KLPM, flag, "k"))
		return read_count(value, 4, &policy->k);
	else if (is_flag(policy, NAIVE_RAGCACHE, flag, "window"))
		return read_count(value, 32, &policy->window);
	else if (is_flag(policy, NAIVE_RAGCACHE, flag, "pgdsf"))
		policy->pgdsf = true;
	else if (is_flag(policy, NAIVE_HRRN, flag, "clock"))
		policy->token_clock = has_value(value, "tokens");
	else if (is_flag(policy, NAIVE_RSJF, flag, "max"))
		return read_number(value, &policy->max_wait);
	else if (is_flag(policy, NAIVE_UNIBOOST, flag, "gamma"))
		return read_number(value, &policy->gamma);
	else if (is_flag(policy, NAIVE_UNIBOOST, flag, "ada"))
		policy->ada = true;
	else if (policy->kind == NAIVE_FAIRWAY)
		return set_fairway(policy, flag, value);
	else
		return -EINVAL;
	return 0;
}

static int parse_parts(struct naive_policy *policy, char *text)
{
	char *rest;
	char *part = strtok_r(text, ":", &rest);
	int err;

	if (!part || set_name(policy, part) < 0)
		return -EINVAL;
	while ((part = strtok_r(NULL, ":", &rest))) {
		char *value = strchr(part, '=');

		if (value)
			*value++ = '\0';
		err = set_flag(policy, part, value);
		if (err < 0)
			return err;
	}
	return 0;
}

int naive_policy_parse(struct naive_policy *policy, const char *text)
{
	struct naive_policy parsed = {
		.k = 4,
		.max_wait = 10,
		.gamma = 0.2,
		.weight = 4000,
		.multiplier = 3,
		.floor = 1,
	};
	char copy[256];
	int err;

	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	snprintf(copy, sizeof(copy), "%s", text);
	err = parse_parts(&parsed, copy);
	if (err < 0)
		return err;
	*policy = parsed;
	return 0;
}
