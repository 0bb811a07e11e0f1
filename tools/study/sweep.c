/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_values.h"

#define DEFAULT_POLICIES "fcfs,lpm,fairway"

/* Options whose values may be varied: what a report can be written about. */
static bool may_vary(int key)
{
	switch (key) {
	case KEY_DEVICE:
	case KEY_BUDGET:
	case KEY_MAX_RUNNING:
	case KEY_KV_BLOCKS:
	case KEY_KV_FRACTION:
	case KEY_TIME_SCALE:
	case KEY_LOAD:
	case KEY_TICK:
	case KEY_RATE:
	case KEY_UNTIL:
	case KEY_MAX_PROMPT:
		return true;
	default:
		return false;
	}
}

static int option_of(const char *name)
{
	for (const struct opt_def *def = sim_options; def->name || def->help;
	     def++)
		if (def->name && !strcmp(def->name, name))
			return may_vary(def->key) ? def->key : -EINVAL;
	return 0;
}

static void forget(struct sweep *sweep)
{
	while (sweep->num)
		free(sweep->values[--sweep->num]);
	free(sweep->values);
	free(sweep->key);
}

static int parse(struct sweep *sweep, const char *text, struct diag *diag)
{
	size_t len = strcspn(text, "=");
	int err;

	if (!len || !text[len])
		return diag_set(diag, -EINVAL,
				"--sweep: expected KEY=VALUES (was \"%s\")",
				text);
	sweep->key = strndup(text, len);
	if (!sweep->key)
		return -ENOMEM;
	sweep->option = option_of(sweep->key);
	if (sweep->option < 0)
		return diag_set(diag, -EINVAL, "--sweep: --%s cannot be varied",
				sweep->key);
	err = sweep_values(&sweep->values, &sweep->num, text + len + 1, diag);
	return err;
}

int sweeps_parse(struct sweeps *sweeps, const char *text, struct diag *diag)
{
	struct sweep sweep = {NULL, 0, NULL, 0};
	int err;

	if (sweeps->num == SWEEPS_MAX)
		return diag_set(diag, -EINVAL,
				"--sweep: expected at most %d of them",
				SWEEPS_MAX);
	err = parse(&sweep, text, diag);
	for (unsigned int i = 0; !err && i < sweeps->num; i++)
		if (!strcmp(sweeps->list[i].key, sweep.key))
			err = diag_set(diag, -EINVAL,
				       "--sweep: \"%s\" is given twice",
				       sweep.key);
	if (err)
		forget(&sweep);
	else
		sweeps->list[sweeps->num++] = sweep;
	return err;
}

void sweeps_destroy(struct sweeps *sweeps)
{
	while (sweeps->num)
		forget(&sweeps->list[--sweeps->num]);
}

uint64_t sweeps_num(const struct sweeps *sweeps)
{
	uint64_t num = 1;

	for (unsigned int i = 0; i < sweeps->num; i++)
		num *= sweeps->list[i].num;
	return num;
}

/* The value that the @k-th sweep has in the @i-th combination. */
static const char *value_at(const struct sweeps *sweeps, uint64_t i,
			    unsigned int k)
{
	for (unsigned int n = sweeps->num - 1; n > k; n--)
		i /= sweeps->list[n].num;
	return sweeps->list[k].values[i % sweeps->list[k].num];
}

void sweeps_name(const struct sweeps *sweeps, uint64_t i, char *buf,
		 size_t size)
{
	size_t used = 0;

	*buf = '\0';
	for (unsigned int k = 0; k < sweeps->num && used < size; k++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s=%s",
					 k ? " " : "", sweeps->list[k].key,
					 value_at(sweeps, i, k));
}

/* One policy with the flags that it takes; its name stays. */
static int add_policy(struct sim_args *to, const struct sweeps *sweeps,
		      uint64_t i, const struct policy_spec *spec, bool *used,
		      struct diag *diag)
{
	char *text = NULL, *name = strdup(spec->name);
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err = out && name ? 0 : -ENOMEM;

	if (out)
		fputs(spec->name, out);
	for (unsigned int k = 0; !err && k < sweeps->num; k++) {
		const struct sweep *sweep = &sweeps->list[k];

		if (sweep->option || !policy_takes(spec, sweep->key))
			continue;
		fprintf(out, ":%s=%s", sweep->key, value_at(sweeps, i, k));
		used[k] = true;
	}
	if (out && fclose(out))
		err = -ENOMEM;
	if (!err)
		err = policy_parse(&to->policies, text, diag);
	if (!err) {
		struct policy_spec *last =
			&to->policies.specs[to->policies.num - 1];

		free(last->name);
		last->name = name;
		name = NULL;
	}
	free(name);
	free(text);
	return err;
}

static int set_policies(struct sim_args *to, const struct sweeps *sweeps,
			uint64_t i, const struct policy_list *from,
			struct diag *diag)
{
	bool used[SWEEPS_MAX] = {false};
	int err = 0;

	to->policies = (struct policy_list){NULL, 0};
	for (unsigned int k = 0; k < from->num && !err; k++)
		err = add_policy(to, sweeps, i, &from->specs[k], used, diag);
	for (unsigned int k = 0; k < sweeps->num && !err; k++)
		if (!sweeps->list[k].option && !used[k])
			err = diag_set(diag, -EINVAL,
				       "--sweep: \"%s\" is no option of sim, "
				       "and no flag of these policies that "
				       "takes a value",
				       sweeps->list[k].key);
	return err;
}

static int set_options(struct sim_args *to, const struct sweeps *sweeps,
		       uint64_t i, struct diag *diag)
{
	int err = 0;

	for (unsigned int k = 0; k < sweeps->num && !err; k++) {
		char value[64];

		if (!sweeps->list[k].option)
			continue;
		/* A setter may cut its text up. */
		snprintf(value, sizeof(value), "%s", value_at(sweeps, i, k));
		err = sim_args_set(to, sweeps->list[k].option, value, diag);
	}
	return err;
}

int sweeps_apply(const struct sweeps *sweeps, uint64_t i, struct sim_args *to,
		 const struct sim_args *from, struct diag *diag)
{
	struct policy_list defaults = {NULL, 0};
	const struct policy_list *policies = &from->policies;
	int err = 0;

	*to = *from;
	if (!policies->num) {
		err = policy_parse(&defaults, DEFAULT_POLICIES, diag);
		policies = &defaults;
	}
	if (!err)
		err = set_policies(to, sweeps, i, policies, diag);
	if (!err)
		err = set_options(to, sweeps, i, diag);
	if (!err)
		err = sim_args_finish(to, diag);
	policy_list_destroy(&defaults);
	if (err == -ENOMEM)
		diag_set(diag, err, "out of memory");
	if (err)
		policy_list_destroy(&to->policies);
	return err;
}
