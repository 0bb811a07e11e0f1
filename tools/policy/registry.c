/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include <string.h>

#include "lib/base/compiler.h"
#include "ops.h"

const struct policy_row policy_rows[] = {
	{"fcfs", POLICY_FCFS, policy_no_flags, "first come, first served"},
	{"lpm", POLICY_LPM, policy_lpm_flags, "longest cached prefix first"},
	{"klpm", POLICY_KLPM, policy_klpm_flags,
	 "the same, but the oldest first every so often"},
	{"ragcache", POLICY_RAGCACHE, policy_ragcache_flags,
	 "most cached tokens for each one to compute"},
	{"preble", POLICY_PREBLE, policy_no_flags,
	 "ten groups by cached share, served in turn"},
	{"peek", POLICY_PEEK, policy_no_flags,
	 "lpm with protect: the public part of PEEK"},
	{"hrrn", POLICY_HRRN, policy_hrrn_flags,
	 "longest wait for each token to compute"},
	{"spf", POLICY_SPF, policy_no_flags, "fewest tokens to compute first"},
	{"rsjf", POLICY_RSJF, policy_rsjf_flags, "the same"},
	{"uniboost", POLICY_UNIBOOST, policy_uniboost_flags,
	 "arrivals dated back, the more the less work"},
	{"fairway", POLICY_FAIRWAY, policy_fairway_flags,
	 "cheap hits first, waits relative to the own work,\n"
	 "bounded overtaking"},
	{NULL, POLICY_FCFS, NULL, NULL},
};

_Static_assert(ARRAY_SIZE(policy_rows) == POLICY_ROWS + 1, "as it says");

const struct policy_ops *policy_ops(const struct policy_spec *spec)
{
	static const struct policy_ops *const ops[] = {
		[POLICY_FCFS] = &policy_fcfs,
		[POLICY_LPM] = &policy_lpm,
		[POLICY_KLPM] = &policy_klpm,
		[POLICY_RAGCACHE] = &policy_ragcache,
		[POLICY_PREBLE] = &policy_preble,
		[POLICY_PEEK] = &policy_lpm,
		[POLICY_HRRN] = &policy_hrrn,
		[POLICY_SPF] = &policy_spf,
		[POLICY_RSJF] = &policy_rsjf,
		[POLICY_UNIBOOST] = &policy_uniboost,
		[POLICY_FAIRWAY] = &policy_fairway,
	};

	if (spec->kind == POLICY_LPM && spec->limit)
		return &policy_queue;
	if (spec->kind == POLICY_LPM && spec->dedupe)
		return &policy_dedupe;
	return ops[spec->kind];
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
	for (; flag->name; flag++)
		if (flag->form)
			fprintf(to, "      %-16s  %s\n", flag->form,
				flag->help);
}

void policy_help(FILE *to)
{
	fputs("\nPolicies:\n", to);
	for (const struct policy_row *row = policy_rows; row->name; row++) {
		print_row(row->name, row->help, to);
		print_flags(row->flags, to);
	}
	fputs("  all                   each of these, without flags\n"
	      "  With every policy:\n",
	      to);
	print_flags(policy_common_flags, to);
}
