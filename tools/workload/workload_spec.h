/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WORKLOAD_WORKLOAD_SPEC_H
#define TOOLS_WORKLOAD_WORKLOAD_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/diag.h"

enum workload_kind {
	WORKLOAD_REAL,
	WORKLOAD_WHOLE,
	WORKLOAD_TEXT, /* no colon and not empty; it has no value */
};

/**
 * struct workload_key - a parameter of a workload
 * @name: as in KEY=VALUE
 * @def: its value when it is not given
 * @min: least value that may be given
 * @max: largest one
 * @kind: what may be given
 * @at_most: another key whose value this one must not exceed, or NULL
 * @excludes: another key that must not be given as well, or NULL
 *
 * A table of these ends with a name of NULL.
 */
struct workload_key {
	const char *name;
	double def;
	double min;
	double max;
	enum workload_kind kind;
	const char *at_most;
	const char *excludes;
};

#define KEY_REAL(name, def, min, max)                          \
	{                                                      \
		name, def, min, max, WORKLOAD_REAL, NULL, NULL \
	}
#define KEY_WHOLE(name, def, min, max)                          \
	{                                                       \
		name, def, min, max, WORKLOAD_WHOLE, NULL, NULL \
	}
#define KEY_TEXT(name)                                   \
	{                                                \
		name, 0, 0, 0, WORKLOAD_TEXT, NULL, NULL \
	}
/* A whole number that another key bounds. */
#define KEY_LOWER(name, def, min, max, at_most)                    \
	{                                                          \
		name, def, min, max, WORKLOAD_WHOLE, at_most, NULL \
	}
#define KEY_END                                          \
	{                                                \
		NULL, 0, 0, 0, WORKLOAD_REAL, NULL, NULL \
	}

enum {
	WORKLOAD_MAX_KEYS = 20
};

/**
 * struct workload_spec - the parameters of one workload
 * @value: of each key, in the order of its table
 * @given: it was on the command line
 * @text: of each key that takes one, NULL where it was not given
 * @words: what @text points into
 */
struct workload_spec {
	double value[WORKLOAD_MAX_KEYS];
	bool given[WORKLOAD_MAX_KEYS];
	const char *text[WORKLOAD_MAX_KEYS];
	char *words;
};

/**
 * workload_spec_parse() - read [KEY=VALUE[:KEY=VALUE]...]
 * @spec: filled with defaults first; to be destroyed only on success
 * @name: of the workload, for messages
 * @keys: what it takes
 * @text: what follows the name and its colon; may be empty
 * @diag: names the key, and what was expected
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int workload_spec_parse(struct workload_spec *spec, const char *name,
			const struct workload_key *keys, const char *text,
			struct diag *diag);
void workload_spec_destroy(struct workload_spec *spec);

static inline uint32_t spec_u32(const struct workload_spec *spec, int key)
{
	return (uint32_t)spec->value[key];
}

#endif
