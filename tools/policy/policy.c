/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flags.h"
#include "plugin.h"
#include "registry.h"

/* A policy takes as many flags as it knows, each once. */
#define POLICY_MAX_FLAGS 16

/* A flag as one policy of the command line has it. */
struct given {
	bool given;
	const char *value;
};

static const struct policy *find_policy(const char *text, const char *name,
					struct diag *diag)
{
	const char *names[NUM_POLICIES + 2] = {NULL};
	const char *near;

	if (plugin_is_path(name))
		return plugin_load(name, diag);
	for (size_t i = 0; i < NUM_POLICIES; i++) {
		if (!strcmp(policy_registry[i]->name, name))
			return policy_registry[i];
		names[i] = policy_registry[i]->name;
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
			       const struct policy_flag **flags)
{
	unsigned int num = 0;

	for (const struct policy_flag *f = policy->flags; f && f->name; f++)
		flags[num++] = f;
	for (const struct policy_flag *f = policy_common_flags; f->name; f++)
		flags[num++] = f;
	return num;
}

bool policy_takes(const struct policy_spec *spec, const char *flag)
{
	const struct policy_flag *flags[POLICY_MAX_FLAGS];
	unsigned int num = join_flags(spec->policy, flags);

	for (unsigned int i = 0; i < num; i++)
		if (!strcmp(flags[i]->name, flag))
			return flags[i]->value != VALUE_NONE;
	return false;
}

static int unknown_flag(const char *text, const struct policy *policy,
			const char *name,
			const struct policy_flag *const *flags,
			unsigned int num, struct diag *diag)
{
	const char *names[POLICY_MAX_FLAGS + 1] = {NULL};
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
		     const struct policy_flag *const *flags, unsigned int num,
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

static int set_flags(struct policy_spec *spec,
		     const struct policy_flag *const *flags, unsigned int num,
		     const struct given *given, struct diag *diag)
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
	struct given given[POLICY_MAX_FLAGS] = {{false, NULL}};
	const struct policy_flag *flags[POLICY_MAX_FLAGS];
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

static void set_defaults(struct policy_spec *spec, const struct policy *policy)
{
	assert(policy->size <= sizeof(spec->args));
	*spec = (struct policy_spec){
		.policy = policy,
		.protect = policy->protect,
	};
	if (policy->defaults)
		memcpy(spec->args, policy->defaults, policy->size);
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
	set_defaults(spec, policy);
	spec->name = strdup(text);
	if (!spec->name)
		return -ENOMEM;
	/* What follows a file's name is for the file's own eyes. */
	if (plugin_is_path(name))
		return 0;
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
		err = add_one(list, policy_registry[i]->name, diag);
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

static void print_row(const char *name, const char *help, FILE *to)
{
	fprintf(to, "  %-20s", name);
	for (;;) {
		size_t len = strcspn(help, "\n");

		fprintf(to, "  %.*s\n", (int)len, help);
		if (!help[len])
			break;
		help += len + 1;
		fprintf(to, "%22s", "");
	}
}

static void print_flags(const struct policy_flag *flag, FILE *to)
{
	for (; flag && flag->name; flag++)
		if (flag->form)
			fprintf(to, "      %-16s  %s\n", flag->form,
				flag->help);
}

void policy_help(FILE *to)
{
	fputs("\nPolicies:\n", to);
	for (size_t i = 0; i < NUM_POLICIES; i++) {
		print_row(policy_registry[i]->name, policy_registry[i]->help,
			  to);
		print_flags(policy_registry[i]->flags, to);
	}
	fputs("  all                   each of these, without flags\n"
	      "  FILE                  with a slash: your own, a shared "
	      "object\n"
	      "                        or Python; see fairway/policy.h and "
	      "the\n"
	      "                        examples\n"
	      "  With every policy:\n",
	      to);
	print_flags(policy_common_flags, to);
}
