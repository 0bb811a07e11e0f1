/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_build.h"

/*
 * Short and long prompts side by side. A prompt begins like a document of its
 * class for a uniform share of its length, half on average, and the rest is
 * its own. By default a class has one document: with more of them the pool
 * that the trace asks for would lose much of what is shared.
 */

enum {
	DOCUMENTS = KEY_OWN,
	ZIPF,
	CACHED,
	LONG,
	SHORT_MIN,
	SHORT_MAX,
	LONG_MIN,
	LONG_MAX,
};

static const struct workload_key keys[] = {
	ARRIVAL_KEYS(1.5, 400, "requests"),
	KEY_WHOLE("documents", 1, 1, 1000000),
	KEY_REAL("zipf", 1, 0, 10),
	KEY_REAL("cached", 0.5, 0, 1),
	KEY_REAL("long", 0.5, 0, 1),
	KEY_LOWER("short-min", 100, 1, WORKLOAD_MAX_TOKENS, "short-max"),
	KEY_WHOLE("short-max", 999, 1, WORKLOAD_MAX_TOKENS),
	KEY_LOWER("long-min", 8000, 1, WORKLOAD_MAX_TOKENS, "long-max"),
	KEY_WHOLE("long-max", 16000, 1, WORKLOAD_MAX_TOKENS),
	KEY_END,
};

/**
 * struct prompt_class - the short prompts, or the long ones
 * @min: tokens of the shortest
 * @max: tokens of the longest, and of each document
 * @first_id: of the first document
 */
struct prompt_class {
	uint32_t min;
	uint32_t max;
	uint64_t first_id;
};

/* Each document is as long as the longest prompt that may begin with it. */
static void class_init(struct prompt_class *of, struct build *build,
		       const struct workload_spec *spec, int min, int max)
{
	of->min = spec_u32(spec, min);
	of->max = spec_u32(spec, max);
	of->first_id =
		build_ids(build, spec_u32(spec, DOCUMENTS) * (uint64_t)of->max /
					 WORKLOAD_BLOCK);
}

/* Uniform around its mean, over as much of 0 to 1 as lies evenly about it. */
static double draw_share(struct build *build, double mean)
{
	double half = mean < 0.5 ? mean : 1.0 - mean;

	return mean + half * (2.0 * rng_unit(&build->rng) - 1.0);
}

static void add_prompt(struct build *build, const struct prompt_class *of,
		       uint32_t doc, double cached)
{
	uint32_t len = build_uniform(build, of->min, of->max);
	uint32_t shared = (uint32_t)(len * draw_share(build, cached) + 0.5);
	uint64_t blocks = of->max / WORKLOAD_BLOCK;

	prompt_extend(build, shared, of->first_id + doc * blocks);
	prompt_own(build, len - shared);
}

static void generate(struct build *build, const struct workload_spec *spec)
{
	struct prompt_class classes[2];
	struct arrivals arrivals;
	struct zipf zipf;

	class_init(&classes[0], build, spec, SHORT_MIN, SHORT_MAX);
	class_init(&classes[1], build, spec, LONG_MIN, LONG_MAX);
	zipf_init(&zipf, build, spec_u32(spec, DOCUMENTS), spec->value[ZIPF]);
	arrivals_spec(&arrivals, build, spec);
	while (arrivals_next(&arrivals)) {
		bool is_long = rng_unit(&build->rng) < spec->value[LONG];
		uint32_t doc = zipf_draw(&zipf, &build->rng);

		add_prompt(build, &classes[is_long], doc, spec->value[CACHED]);
		prompt_end(build, whole_ms(arrivals.now), 0);
	}
	zipf_destroy(&zipf);
}

const struct workload_ops workload_mixed_halves = {
	.keys = keys,
	.generate = generate,
};
