/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_spec.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/options.h"

static int find_key(const struct workload_key *keys, const char *name)
{
	for (int i = 0; keys[i].name; i++) {
		if (!strcmp(keys[i].name, name))
			return i;
	}
	return -1;
}

static int unknown_key(const char *name, const struct workload_key *keys,
		       const char *key, struct diag *diag)
{
	const char *names[WORKLOAD_MAX_KEYS + 1] = {NULL};
	char all[256] = "";
	const char *near;
	size_t used = 0;

	for (int i = 0; keys[i].name; i++) {
		names[i] = keys[i].name;
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
					 i ? ", " : "", keys[i].name);
		assert(used < sizeof(all));
	}
	near = closest(key, names);
	if (near)
		return diag_set(diag, -EINVAL,
				"--workload %s: key \"%s\": unknown, did you "
				"mean \"%s\"?",
				name, key, near);
	return diag_set(diag, -EINVAL,
			"--workload %s: key \"%s\": unknown (expected one of "
			"%s)",
			name, key, all);
}

static int parse_value(const struct workload_key *key, const char *name,
		       const char *text, double *value, struct diag *diag)
{
	char what[96];
	uint64_t number;
	int err;

	snprintf(what, sizeof(what), "--workload %s: key \"%s\"", name,
		 key->name);
	if (key->kind == WORKLOAD_REAL)
		return opt_real(what, text, key->min, key->max, value, diag);
	err = opt_u64(what, text, (uint64_t)key->min, (uint64_t)key->max,
		      &number, diag);
	if (!err)
		*value = (double)number;
	return err;
}

static int take_text(struct workload_spec *spec, int i, const char *name,
		     const struct workload_key *key, const char *text,
		     struct diag *diag)
{
	if (!*text)
		return diag_set(diag, -EINVAL,
				"--workload %s: key \"%s\": expected a path "
				"(was \"\")",
				name, key->name);
	spec->text[i] = text;
	return 0;
}

static int parse_word(struct workload_spec *spec, const char *name,
		      const struct workload_key *keys, char *word,
		      struct diag *diag)
{
	char *value = strchr(word, '=');
	int i;

	if (!value || value == word)
		return diag_set(diag, -EINVAL,
				"--workload %s: expected KEY=VALUE (was "
				"\"%s\")",
				name, word);
	*value++ = '\0';
	i = find_key(keys, word);
	if (i < 0)
		return unknown_key(name, keys, word, diag);
	if (spec->given[i])
		return diag_set(diag, -EINVAL,
				"--workload %s: key \"%s\": given twice", name,
				word);
	spec->given[i] = true;
	if (keys[i].kind == WORKLOAD_TEXT)
		return take_text(spec, i, name, &keys[i], value, diag);
	return parse_value(&keys[i], name, value, &spec->value[i], diag);
}

/* What the keys demand of each other. */
static int check_pairs(const struct workload_spec *spec, const char *name,
		       const struct workload_key *keys, struct diag *diag)
{
	for (int i = 0; keys[i].name; i++) {
		const struct workload_key *key = &keys[i];
		int other;

		if (key->excludes && spec->given[i] &&
		    spec->given[find_key(keys, key->excludes)])
			return diag_set(diag, -EINVAL,
					"--workload %s: keys \"%s\" and "
					"\"%s\" exclude each other",
					name, key->name, key->excludes);
		if (!key->at_most)
			continue;
		other = find_key(keys, key->at_most);
		if (spec->value[i] > spec->value[other])
			return diag_set(diag, -EINVAL,
					"--workload %s: key \"%s\": expected "
					"at most \"%s\", %.12g (was %.12g)",
					name, key->name, key->at_most,
					spec->value[other], spec->value[i]);
	}
	return 0;
}

int workload_spec_parse(struct workload_spec *spec, const char *name,
			const struct workload_key *keys, const char *text,
			struct diag *diag)
{
	char *rest = strdup(text);
	int err = 0;

	if (!rest)
		return -ENOMEM;
	*spec = (struct workload_spec){.words = rest};
	for (int i = 0; keys[i].name; i++) {
		assert(i < WORKLOAD_MAX_KEYS);
		spec->value[i] = keys[i].def;
	}
	while (!err && *text && rest)
		err = parse_word(spec, name, keys, strsep(&rest, ":"), diag);
	if (!err)
		err = check_pairs(spec, name, keys, diag);
	if (err)
		workload_spec_destroy(spec);
	return err;
}

void workload_spec_destroy(struct workload_spec *spec)
{
	free(spec->words);
	spec->words = NULL;
}
