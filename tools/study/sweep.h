/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_STUDY_SWEEP_H
#define TOOLS_STUDY_SWEEP_H

#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/node/sim_args.h"

/*
 * What --sweep and a range of --seed ask for: one command line of `sim` for
 * each combination of values.
 */

/**
 * struct sweep - the values of one option, or of one flag of policies
 * @key: name of the option or the flag
 * @option: its key in the table of `sim`, 0 for a flag of a policy
 * @values: texts, as they are handed on
 * @num: how many
 */
struct sweep {
	char *key;
	int option;
	char **values;
	unsigned int num;
};

enum {
	SWEEPS_MAX = 4
};

/**
 * struct sweeps - all that is varied; all zeros is nothing
 * @list: the last one changes fastest
 * @num: how many
 */
struct sweeps {
	struct sweep list[SWEEPS_MAX];
	unsigned int num;
};

/**
 * sweeps_parse() - add one --sweep argument
 * @text: KEY=VALUE,VALUE... or KEY=FROM..TO, KEY=FROM..TO/STEP
 *
 * Return: 0 or -errno with @diag set.
 */
int sweeps_parse(struct sweeps *sweeps, const char *text, struct diag *diag);
void sweeps_destroy(struct sweeps *sweeps);

/* How many combinations there are; 1 where nothing is varied. */
uint64_t sweeps_num(const struct sweeps *sweeps);

/* The @i-th in words: "weight=2 load=0.9", "" where nothing is varied. */
void sweeps_name(const struct sweeps *sweeps, uint64_t i, char *buf,
		 size_t size);

/**
 * sweeps_apply() - the command line of the @i-th combination
 * @to: initialised here, finished and checked; its policies keep the names that
 *	they have without the flag. Only its policies are to be destroyed, by
 *	policy_list_destroy(): the rest is @from's
 * @from: read and not finished
 *
 * Return: 0 or -errno with @diag set.
 */
int sweeps_apply(const struct sweeps *sweeps, uint64_t i, struct sim_args *to,
		 const struct sim_args *from, struct diag *diag);

/**
 * seeds_parse() - a seed, or a range
 * @text: N or FROM..TO
 * @first: written only on success
 * @last: the same
 *
 * Return: 0 or -errno with @diag set.
 */
int seeds_parse(const char *text, uint64_t *first, uint64_t *last,
		struct diag *diag);

#endif
