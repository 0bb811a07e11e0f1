/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_POLICY_H
#define TOOLS_POLICY_POLICY_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/base/diag.h"

struct policy;

/* What -ECANCELED of an order's creation means: a policy's own create(). */
#define POLICY_REFUSED \
	"create() gave NULL: it does not take these flags, or has no memory"

/* Bytes that the flags of one policy may take. */
#define POLICY_ARGS 64

/**
 * struct policy_spec - a policy with its flags, as --policy names it
 * @name: as given, for the reports
 * @policy: which one
 * @protect: spare what waiting requests would hit, goes with every policy
 * @args: its own flags: a struct of the policy's file, see policy_args()
 */
struct policy_spec {
	char *name;
	const struct policy *policy;
	bool protect;
	_Alignas(8) unsigned char args[POLICY_ARGS];
};

/**
 * struct policy_list - every policy of one run; begins as zeros
 * @specs: the policies, in the order given
 * @num: how many
 */
struct policy_list {
	struct policy_spec *specs;
	unsigned int num;
};

/**
 * policy_parse() - add the policies of one --policy argument
 * @list: grown
 * @text: NAME[:FLAG[=VALUE]]..., several separated by commas; `all`
 * @diag: unknown words with the closest known one, values out of range
 *
 * Return: 0 or -errno; @list is as before on an error.
 */
int policy_parse(struct policy_list *list, const char *text, struct diag *diag);

/* Does the policy of @spec take a value for a flag of this name? */
bool policy_takes(const struct policy_spec *spec, const char *flag);

void policy_list_destroy(struct policy_list *list);

/* The list for a command's help: each name and flag and what it stands for. */
void policy_help(FILE *to);

#endif
