/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/compiler.h"
#include "options.h"

/* A policy takes as many flags as it knows, each once. */
#define MAX_FLAGS 16

/* Beyond this neither prefill times nor waits mean anything, in seconds. */
#define MIN_REAL 1e-4
#define MAX_REAL 1e6

enum flag_value {
	VALUE_NONE,
	VALUE_OPTIONAL,
	VALUE_NEEDED,
};

/**
 * struct flag - what may follow a policy's name
 * @name: before the "="
 * @value: whether a "=" may or must follow
 * @set: stores it; @what names policy and flag for the diagnosis, @value is
 *	NULL when none was given
 */
struct flag {
	const char *name;
	enum flag_value value;
	int (*set)(struct policy_spec *spec, const char *what,
		   const char *value, struct diag *diag);
};

/* A flag as one policy of the command line has it. */
struct given {
	bool given;
	const char *value;
};

/**
 * struct policy - a row of what --policy knows
 * @name: before the first ":"
 * @kind: its order
 * @flags: its own flags, ended by a name of NULL; `protect` goes with all
 */
struct policy {
	const char *name;
	enum policy_kind kind;
	const struct flag *flags;
};

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

static const struct flag common_flags[] = {
	{"protect", VALUE_NONE, set_protect},
	{NULL, VALUE_NONE, NULL},
};

static const struct flag no_flags[] = {
	{NULL, VALUE_NONE, NULL},
};

static const struct flag lpm_flags[] = {
	{"limit", VALUE_NEEDED, set_limit},
	{"dedupe", VALUE_NONE, set_dedupe},
	{NULL, VALUE_NONE, NULL},
};

/*
 * Flags are set in this order, whatever the order they were given in: what
 * depends on another one stands after it.
 */
static const struct flag fairway_flags[] = {
	{"weight", VALUE_NEEDED, set_weight},
	{"multiplier", VALUE_NEEDED, set_multiplier},
	{"floor", VALUE_NEEDED, set_floor},
	{"wait", VALUE_NEEDED, set_wait},
	{"constant", VALUE_NEEDED, set_constant},
	{"lane", VALUE_NEEDED, set_lane},
	{"carry", VALUE_OPTIONAL, set_carry},
	{"order", VALUE_NEEDED, set_order},
	{NULL, VALUE_NONE, NULL},
};

/* `all` takes them in this order, without flags. */
static const struct policy policies[] = {
	{"fcfs", POLICY_FCFS, no_flags},
	{"lpm", POLICY_LPM, lpm_flags},
	{"fairway", POLICY_FAIRWAY, fairway_flags},
};

#define NUM_POLICIES ARRAY_SIZE(policies)

static const struct policy *find_policy(const char *text, const char *name,
					struct diag *diag)
{
	const char *names[NUM_POLICIES + 2] = {NULL};
	const char *near;

	for (size_t i = 0; i < NUM_POLICIES; i++) {
		if (!strcmp(policies[i].name, name))
			return &policies[i];
		names[i] = policies[i].name;
	}
	names[NUM_POLICIES] = "all";
	near = closest(name, names);
	if (near)
		diag_set(diag, -EINVAL,
			 "policy \"%s\": unknown policy, did you mean \"%s\"?",
			 text, near);
	else
		diag_set(diag, -EINVAL,
			 "policy \"%s\": unknown policy; \"fairway sim "
			 "--help\" lists them",
			 text);
	return NULL;
}

/* One table of what @policy takes, its own first. */
static unsigned int join_flags(const struct policy *policy,
			       const struct flag **flags)
{
	unsigned int num = 0;

	for (const struct flag *f = policy->flags; f->name; f++)
		flags[num++] = f;
	for (const struct flag *f = common_flags; f->name; f++)
		flags[num++] = f;
	return num;
}

static int unknown_flag(const char *text, const struct policy *policy,
			const char *name, const struct flag *const *flags,
			unsigned int num, struct diag *diag)
{
	const char *names[MAX_FLAGS + 1] = {NULL};
	const char *near;

	for (unsigned int i = 0; i < num; i++)
		names[i] = flags[i]->name;
	near = closest(name, names);
	if (near)
		return diag_set(diag, -EINVAL,
				"policy \"%s\": unknown flag \"%s\" of %s, "
				"did you mean \"%s\"?",
				text, name, policy->name, near);
	return diag_set(diag, -EINVAL,
			"policy \"%s\": unknown flag \"%s\" of %s", text, name,
			policy->name);
}

/* Which of @flags is @name? Notes it in @given. */
static int take_flag(const char *text, const struct policy *policy, char *name,
		     const struct flag *const *flags, unsigned int num,
		     struct given *given, struct diag *diag)
{
	char *value = strchr(name, '=');
	const char *wrong = NULL;
	unsigned int i;

	if (value)
		*value++ = '\0';
	for (i = 0; i < num && strcmp(flags[i]->name, name); i++)
		;
	if (i == num)
		return unknown_flag(text, policy, name, flags, num, diag);
	if (given[i].given)
		wrong = "is given twice";
	else if (value && flags[i]->value == VALUE_NONE)
		wrong = "takes no value";
	else if (!value && flags[i]->value == VALUE_NEEDED)
		wrong = "needs a value";
	if (wrong)
		return diag_set(diag, -EINVAL, "policy \"%s\": flag \"%s\" %s",
				text, name, wrong);
	given[i].given = true;
	given[i].value = value;
	return 0;
}

static int set_flags(struct policy_spec *spec, const struct flag *const *flags,
		     unsigned int num, const struct given *given,
		     struct diag *diag)
{
	char what[sizeof(diag->text)];
	int err = 0;

	for (unsigned int i = 0; i < num && !err; i++) {
		if (!given[i].given)
			continue;
		snprintf(what, sizeof(what), "policy \"%s\": %s", spec->name,
			 flags[i]->name);
		err = flags[i]->set(spec, what, given[i].value, diag);
	}
	return err;
}

static int parse_flags(struct policy_spec *spec, const struct policy *policy,
		       char *rest, struct diag *diag)
{
	struct given given[MAX_FLAGS] = {{false, NULL}};
	const struct flag *flags[MAX_FLAGS];
	unsigned int num = join_flags(policy, flags);

	while (rest) {
		char *name = strsep(&rest, ":");
		int err = take_flag(spec->name, policy, name, flags, num, given,
				    diag);

		if (err)
			return err;
	}
	return set_flags(spec, flags, num, given, diag);
}

static int append(struct policy_list *list, const struct policy_spec *spec)
{
	struct policy_spec *specs =
		reallocarray(list->specs, list->num + 1, sizeof(*specs));

	if (!specs)
		return -ENOMEM;
	specs[list->num] = *spec;
	list->specs = specs;
	list->num++;
	return 0;
}

static bool listed(const struct policy_list *list, const char *name)
{
	for (unsigned int i = 0; i < list->num; i++)
		if (!strcmp(list->specs[i].name, name))
			return true;
	return false;
}

static void set_defaults(struct policy_spec *spec, enum policy_kind kind)
{
	spec->kind = kind;
	spec->weight = 4000;
	spec->multiplier = 3.0;
	spec->floor = 1.0;
}

/* @text is kept as the name, @scratch is a copy to cut up. */
static int parse_spec(struct policy_spec *spec, const char *text, char *scratch,
		      struct diag *diag)
{
	char *rest = scratch;
	const char *name = strsep(&rest, ":");
	const struct policy *policy = find_policy(text, name, diag);

	if (!policy)
		return -EINVAL;
	memset(spec, 0, sizeof(*spec));
	set_defaults(spec, policy->kind);
	spec->name = strdup(text);
	if (!spec->name)
		return -ENOMEM;
	return parse_flags(spec, policy, rest, diag);
}

static int add_one(struct policy_list *list, const char *text,
		   struct diag *diag)
{
	struct policy_spec spec = {.name = NULL};
	char *scratch;
	int err;

	if (listed(list, text))
		return diag_set(diag, -EINVAL, "policy \"%s\" is given twice",
				text);
	scratch = strdup(text);
	if (!scratch)
		return -ENOMEM;
	err = parse_spec(&spec, text, scratch, diag);
	if (!err)
		err = append(list, &spec);
	if (err)
		free(spec.name);
	free(scratch);
	return err;
}

static int add_all(struct policy_list *list, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < NUM_POLICIES && !err; i++)
		err = add_one(list, policies[i].name, diag);
	return err;
}

static void shrink(struct policy_list *list, unsigned int num)
{
	while (list->num > num)
		free(list->specs[--list->num].name);
}

int policy_parse(struct policy_list *list, const char *text, struct diag *diag)
{
	unsigned int before = list->num;
	char *copy = strdup(text);
	char *rest = copy;
	int err = copy ? 0 : -ENOMEM;

	while (rest && !err) {
		const char *one = strsep(&rest, ",");

		if (!strcmp(one, "all"))
			err = add_all(list, diag);
		else
			err = add_one(list, one, diag);
	}
	if (err == -ENOMEM)
		diag_set(diag, err, "out of memory");
	if (err)
		shrink(list, before);
	free(copy);
	return err;
}

void policy_list_destroy(struct policy_list *list)
{
	shrink(list, 0);
	free(list->specs);
	list->specs = NULL;
}
