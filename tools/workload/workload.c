/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload_build.h"

enum {
	NUM_WORKLOADS = 10,
	MAX_NAME = 64,
};

const char *const workload_names[NUM_WORKLOADS + 1] = {
	"sec",		"sec-dynamic", "secqa",
	"secqa-chunks", "musique",     "musique-retrieved",
	"mixed",	"agent",       "toolagent",
	"flood",	NULL,
};

/* In the order of the names. */
static const char *const about[NUM_WORKLOADS] = {
	"questions over quarterly filings, some filings popular",
	"the same with a burst and a spike",
	"recorded questions over whole reports, from files",
	"the same over the parts that a search found",
	"questions over paragraphs of their own: hardly any reuse",
	"questions over few paragraphs, drawn by popularity",
	"short prompts and long ones, both partly cached",
	"sessions whose prompt grows with every turn",
	"one long prefix that all requests share",
	"a backlog of long misses, then a flood of cheap hits",
};

/* In the order of the names. */
static const struct workload_ops *const workloads[NUM_WORKLOADS] = {
	&workload_sec,		&workload_sec_dynamic, &workload_secqa,
	&workload_secqa_chunks, &workload_musique,     &workload_retrieved,
	&workload_mixed,	&workload_agent,       &workload_toolagent,
	&workload_flood,
};

void workload_help(FILE *to)
{
	fputs("\nWorkloads; fairway-gen(1) has their keys:\n", to);
	for (int i = 0; i < NUM_WORKLOADS; i++)
		fprintf(to, "  %-18s %s\n", workload_names[i], about[i]);
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
	err = workload_spec_parse(parsed, workload_names[i], workloads[i]->keys,
				  keys ? keys + 1 : "", diag);
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
	err = generate(trace, workloads[i], &parsed, seed, diag);
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
