/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload_build.h"

enum {
	NUM_WORKLOADS = 16,
	MAX_NAME = 64,
};

/* In the order of the names. */
static const struct {
	const char *about;
	const struct workload_ops *ops;
} workloads[NUM_WORKLOADS] = {
	{"questions over passages of filings, some popular", &workload_sec},
	{"the same with a burst and a spike", &workload_sec_dynamic},
	{"the same as sec with longer prompts", &workload_long},
	{"the same with prompts of very different lengths", &workload_mixed},
	{"questions over few paragraphs, drawn by popularity",
	 &workload_musique},
	{"sessions whose prompt grows with every turn", &workload_agent},
	{"one long prefix that all requests share", &workload_toolagent},
	{"a backlog of long misses, then a flood of cheap hits",
	 &workload_flood},
	{"a long prompt, then tiny hits that switch its lane off",
	 &workload_attack},
	{"one tenant that asks calmly beside others that flood",
	 &workload_tenants},
	{"recorded questions over whole reports, from files", &workload_secqa},
	{"the same over the parts that a search found", &workload_secqa_chunks},
	{"questions over whole documents", &workload_whole},
	{"the same with a burst and a spike", &workload_whole_dynamic},
	{"short prompts and long ones, both half cached",
	 &workload_mixed_halves},
	{"paragraphs of its own for each question: no reuse",
	 &workload_musique_unique},
};

const char *const workload_names[NUM_WORKLOADS + 1] = {
	"sec",		"sec-dynamic",
	"long",		"mixed",
	"musique",	"agent",
	"toolagent",	"flood",
	"attack",	"tenants",
	"secqa",	"secqa-chunks",
	"sec-whole",	"sec-whole-dynamic",
	"mixed-halves", "musique-unique",
	NULL,
};

void workload_help(FILE *to)
{
	fputs("\nWorkloads; fairway-gen(1) has their keys:\n", to);
	for (int i = 0; i < NUM_WORKLOADS; i++)
		fprintf(to, "  %-18s %s\n", workload_names[i],
			workloads[i].about);
}

/* Return: Index of the workload that @spec names, or -1. */
static int find(const char *spec)
{
	size_t len = strcspn(spec, ":");

	for (int i = 0; i < NUM_WORKLOADS; i++) {
		if (strlen(workload_names[i]) == len &&
		    !strncmp(workload_names[i], spec, len))
			return i;
	}
	return -1;
}

static int unknown(const char *spec, struct diag *diag)
{
	char name[MAX_NAME] = "";
	size_t len = strcspn(spec, ":");
	const char *near;

	if (len >= sizeof(name))
		len = sizeof(name) - 1;
	memcpy(name, spec, len);
	near = closest(name, workload_names);
	if (near)
		return diag_set(diag, -EINVAL,
				"--workload: unknown workload \"%s\", did you "
				"mean \"%s\"?",
				name, near);
	return diag_set(diag, -EINVAL,
			"--workload: unknown workload \"%s\"; \"fairway gen "
			"--help\" lists them",
			name);
}

static int generate(struct trace *trace, const struct workload_ops *ops,
		    const struct workload_spec *spec, uint64_t seed,
		    struct diag *diag)
{
	struct build build = {.diag = diag, .seed = seed};

	trace_init(&build.trace, WORKLOAD_BLOCK);
	build.trace.kv_blocks = ops->kv_blocks;
	rng_seed(&build.rng, seed);
	ops->generate(&build, spec);
	id_runs_destroy(&build.ids);
	if (!build.err && !build.trace.num_reqs)
		build.err = diag_set(diag, -EINVAL,
				     "--workload: expected at least one "
				     "request (none arrives in so short a "
				     "time)");
	if (!build.err && ops->kv_share > 0.0)
		build.err = trace_pool(&build.trace, ops->kv_share,
				       &build.trace.kv_blocks);
	if (build.err)
		trace_destroy(&build.trace);
	else
		*trace = build.trace;
	return build.err;
}

/* Return: Index of the workload, whose @parsed is then to be destroyed. */
static int parse(struct workload_spec *parsed, const char *spec,
		 struct diag *diag)
{
	const char *keys = strchr(spec, ':');
	int i = find(spec);
	int err;

	if (i < 0)
		return unknown(spec, diag);
	err = workload_spec_parse(parsed, workload_names[i],
				  workloads[i].ops->keys, keys ? keys + 1 : "",
				  diag);
	return err ? err : i;
}

int workload_generate(struct trace *trace, const char *spec, uint64_t seed,
		      struct diag *diag)
{
	struct workload_spec parsed;
	int i = parse(&parsed, spec, diag);
	int err;

	if (i < 0)
		return i;
	err = generate(trace, workloads[i].ops, &parsed, seed, diag);
	workload_spec_destroy(&parsed);
	return err;
}

int workload_load(const char *spec, double *load, struct diag *diag)
{
	struct workload_spec parsed;
	int i = parse(&parsed, spec, diag);

	if (i < 0)
		return i;
	*load = parsed.value[KEY_LOAD];
	workload_spec_destroy(&parsed);
	return 0;
}
