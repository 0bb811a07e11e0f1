/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "workload_build.h"

/*
 * Does one tenant suffer when others flood? Tenant 0 asks calmly; each of the
 * others floods, by hits on documents of its own, by long misses, or by both.
 *
 *	warm	from 0 s: each document of each tenant once, a second apart, so
 *		that an idle a6000 has them all cached
 *	quiet	tenant 0: questions over its documents, a share of them over a
 *		document that nobody has asked for
 *	flood	all others, from the same moment on
 */

enum {
	SECONDS = KEY_SECONDS,
	TENANTS,
	HITS,
	MISSES,
	MISS_TOKENS,
	DOCUMENTS,
	TOKENS,
	QUESTION,
	FRESH,
};

#define MAX_TENANTS 1000
#define MAX_DOCUMENTS 64

static const struct workload_key keys[] = {
	RATE_KEYS(1.2),
	KEY_WHOLE("seconds", 300, 1, 1000000),
	KEY_WHOLE("tenants", 2, 1, MAX_TENANTS),
	KEY_REAL("hits", 40, 0, 10000),
	KEY_REAL("misses", 0, 0, 10000),
	KEY_WHOLE("miss-tokens", 16000, 1, WORKLOAD_MAX_TOKENS),
	KEY_WHOLE("documents", 4, 1, MAX_DOCUMENTS),
	KEY_WHOLE("tokens", 6000, 16, WORKLOAD_MAX_TOKENS),
	KEY_WHOLE("question", 300, 1, WORKLOAD_MAX_TOKENS),
	KEY_REAL("fresh", 0.1, 0, 1),
	KEY_END,
};

enum {
	QUIET,
	FLOOD_HITS,
	FLOOD_MISSES,
	NUM_STREAMS,
};

/**
 * struct scene - one such trace
 * @spec: its keys
 * @docs: those of tenant 0, then of 1, and so on
 * @streams: who asks for what; @due: has it one more, at its now
 */
struct scene {
	const struct workload_spec *spec;
	struct document *docs;
	struct arrivals streams[NUM_STREAMS];
	bool due[NUM_STREAMS];
};

static uint32_t num_documents(const struct scene *scene)
{
	return spec_u32(scene->spec, DOCUMENTS);
}

static double add_warm(const struct scene *scene, struct build *build)
{
	uint32_t num = spec_u32(scene->spec, TENANTS) * num_documents(scene);
	uint32_t phase = build_phase(build, "warm");

	for (uint32_t i = 0; i < num; i++) {
		struct document *doc = &scene->docs[i];

		build->tenant = i / num_documents(scene);
		document_init(doc, build, spec_u32(scene->spec, TOKENS));
		prompt_extend(build, doc->len, doc->first_id);
		prompt_end(build, whole_ms(i), phase);
	}
	return num;
}

/* A question of the tenant over one of its documents. */
static void add_hit(const struct scene *scene, struct build *build)
{
	uint32_t num = num_documents(scene);
	const struct document *doc =
		&scene->docs[build->tenant * num + rng_below(&build->rng, num)];

	prompt_extend(build, doc->len, doc->first_id);
	prompt_own(build, spec_u32(scene->spec, QUESTION));
}

static void add_quiet(const struct scene *scene, struct build *build)
{
	bool fresh = rng_unit(&build->rng) < scene->spec->value[FRESH];

	build->tenant = 0;
	if (fresh)
		prompt_own(build, spec_u32(scene->spec, TOKENS) +
					  spec_u32(scene->spec, QUESTION));
	else
		add_hit(scene, build);
}

/* Streams of several tenants are one, drawn apart. */
static void add_flood(const struct scene *scene, struct build *build,
		      int stream)
{
	uint32_t others = spec_u32(scene->spec, TENANTS) - 1;

	build->tenant = 1 + rng_below(&build->rng, others);
	if (stream == FLOOD_MISSES)
		prompt_own(build, spec_u32(scene->spec, MISS_TOKENS));
	else
		add_hit(scene, build);
}

static void start_stream(struct scene *scene, struct build *build, int stream,
			 double rate, double start)
{
	scene->due[stream] = rate > 0.0;
	if (!scene->due[stream])
		return;
	arrivals_span(&scene->streams[stream], build, rate, start,
		      start + scene->spec->value[SECONDS]);
	scene->due[stream] = arrivals_next(&scene->streams[stream]);
}

/* The stream whose next arrival is first; NUM_STREAMS when all are over. */
static int first_stream(const struct scene *scene)
{
	int first = NUM_STREAMS;

	for (int i = 0; i < NUM_STREAMS; i++)
		if (scene->due[i] &&
		    (first == NUM_STREAMS ||
		     scene->streams[i].now < scene->streams[first].now))
			first = i;
	return first;
}

static void add_all(struct scene *scene, struct build *build)
{
	const double *value = scene->spec->value;
	double others = value[TENANTS] - 1;
	double start = add_warm(scene, build) + 1.0;
	int i;

	start_stream(scene, build, QUIET, value[KEY_RATE], start);
	start_stream(scene, build, FLOOD_HITS, others * value[HITS], start);
	start_stream(scene, build, FLOOD_MISSES, others * value[MISSES], start);
	while ((i = first_stream(scene)) < NUM_STREAMS) {
		if (i == QUIET)
			add_quiet(scene, build);
		else
			add_flood(scene, build, i);
		prompt_end(build, whole_ms(scene->streams[i].now),
			   build_phase(build, i == QUIET ? "quiet" : "flood"));
		scene->due[i] = arrivals_next(&scene->streams[i]);
	}
}

static void generate(struct build *build, const struct workload_spec *spec)
{
	struct scene scene = {.spec = spec};

	scene.docs = calloc(spec_u32(spec, TENANTS) * spec_u32(spec, DOCUMENTS),
			    sizeof(*scene.docs));
	if (build_check(build, scene.docs ? 0 : -ENOMEM))
		add_all(&scene, build);
	free(scene.docs);
}

const struct workload_ops workload_tenants = {
	.keys = keys,
	.kv_blocks = 12000,
	.generate = generate,
};
