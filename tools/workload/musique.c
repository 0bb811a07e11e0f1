/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "tools/base/mem.h"
#include "workload_build.h"
#include "workload_chain.h"

/*
 * Questions over several paragraphs of an encyclopedia. The defaults are what
 * we measured in 300 questions of MuSiQue with 20 paragraphs each (tokens
 * estimated by the length of words): 5,021 different paragraphs of 26 to 472
 * tokens, the mean of ln(tokens) that of 95 and its deviation 0.55, 16% of the
 * paragraphs were in an earlier question too; questions of 9 to 51 tokens,
 * median 18, deviation 0.29.
 */

enum {
	PARAGRAPHS = KEY_OWN,
	MEDIAN,
	SIGMA,
	MIN,
	MAX,
	QUESTION_MEDIAN,
	QUESTION_SIGMA,
	QUESTION_MIN,
	QUESTION_MAX,
	DOCUMENTS, /* musique */
	REPEAT = DOCUMENTS, /* musique-unique */
	ZIPF,
};

#define MAX_PARAGRAPHS 64

#define TEXT_KEYS                                                        \
	KEY_REAL("median", 95, 1, WORKLOAD_MAX_TOKENS),                  \
		KEY_REAL("sigma", 0.55, 0, 10),                          \
		KEY_LOWER("min", 26, 1, WORKLOAD_MAX_TOKENS, "max"),     \
		KEY_WHOLE("max", 472, 1, WORKLOAD_MAX_TOKENS),           \
		KEY_REAL("question-median", 18, 1, WORKLOAD_MAX_TOKENS), \
		KEY_REAL("question-sigma", 0.29, 0, 10),                 \
		KEY_LOWER("question-min", 9, 1, WORKLOAD_MAX_TOKENS,     \
			  "question-max"),                               \
		KEY_WHOLE("question-max", 51, 1, WORKLOAD_MAX_TOKENS)

static const struct workload_key unique_keys[] = {
	ARRIVAL_KEYS(3, 400, "requests"),
	KEY_WHOLE("paragraphs", 20, 1, MAX_PARAGRAPHS),
	TEXT_KEYS,
	KEY_REAL("repeat", 0.16, 0, 1),
	KEY_END,
};

static const struct workload_key musique_keys[] = {
	ARRIVAL_KEYS(10, 400, "requests"),
	KEY_LOWER("paragraphs", 5, 1, MAX_PARAGRAPHS, "documents"),
	TEXT_KEYS,
	KEY_WHOLE("documents", 5021, 1, 10000000),
	KEY_REAL("zipf", 1.1, 0, 10),
	KEY_END,
};

/**
 * struct library - all paragraphs
 * @lens: tokens of each
 * @num: how many
 * @cap: room for
 * @chain: the orders in which prompts hold them
 * @picked: those of the prompt in the making
 * @num_picked: how many
 */
struct library {
	uint32_t *lens;
	uint32_t num;
	size_t cap;
	struct chain chain;
	uint32_t picked[MAX_PARAGRAPHS];
	uint32_t num_picked;
};

static bool reserve(struct library *library, struct build *build, uint32_t need)
{
	uint32_t *lens =
		mem_grow(library->lens, &library->cap, need, sizeof(*lens));

	if (!lens)
		return build_check(build, -ENOMEM);
	library->lens = lens;
	return true;
}

static void add_paragraph(struct library *library, struct build *build,
			  const struct workload_spec *spec)
{
	if (!reserve(library, build, library->num + 1))
		return;
	library->lens[library->num++] =
		build_lognormal(build, spec->value[MEDIAN], spec->value[SIGMA],
				spec_u32(spec, MIN), spec_u32(spec, MAX));
}

static void library_destroy(struct library *library)
{
	chain_destroy(&library->chain);
	free(library->lens);
}

static bool is_picked(const struct library *library, uint32_t paragraph)
{
	for (uint32_t i = 0; i < library->num_picked; i++) {
		if (library->picked[i] == paragraph)
			return true;
	}
	return false;
}

/* A prompt holds no paragraph twice: the next one takes its place. */
static void pick(struct library *library, uint32_t paragraph)
{
	while (is_picked(library, paragraph))
		paragraph = (paragraph + 1) % library->num;
	library->picked[library->num_picked++] = paragraph;
}

static void add_prompt(struct library *library, struct build *build,
		       const struct workload_spec *spec, double seconds)
{
	uint32_t node = CHAIN_ROOT;

	for (uint32_t i = 0; i < library->num_picked; i++) {
		uint32_t paragraph = library->picked[i];

		node = chain_next(&library->chain, build, node, paragraph,
				  library->lens[paragraph]);
	}
	prompt_own(build, build_lognormal(build, spec->value[QUESTION_MEDIAN],
					  spec->value[QUESTION_SIGMA],
					  spec_u32(spec, QUESTION_MIN),
					  spec_u32(spec, QUESTION_MAX)));
	prompt_end(build, whole_ms(seconds), 0);
	library->num_picked = 0;
}

/* Most paragraphs are new; the others are any of the earlier prompts'. */
static void pick_unique(struct library *library, struct build *build,
			const struct workload_spec *spec)
{
	uint32_t known = library->num;

	while (!build->err &&
	       library->num_picked < spec_u32(spec, PARAGRAPHS)) {
		bool repeat = rng_unit(&build->rng) < spec->value[REPEAT];

		if (repeat && known >= MAX_PARAGRAPHS) {
			pick(library, (uint32_t)rng_below(&build->rng, known));
			continue;
		}
		add_paragraph(library, build, spec);
		pick(library, library->num - 1);
	}
}

static void generate_unique(struct build *build,
			    const struct workload_spec *spec)
{
	struct library library = {0};
	struct arrivals arrivals;

	arrivals_spec(&arrivals, build, spec);
	while (arrivals_next(&arrivals)) {
		pick_unique(&library, build, spec);
		if (!build->err)
			add_prompt(&library, build, spec, arrivals.now);
	}
	library_destroy(&library);
}

/* The best match first, as a retriever gives them. */
static void generate_musique(struct build *build,
			     const struct workload_spec *spec)
{
	uint32_t num = spec_u32(spec, DOCUMENTS);
	struct library library = {0};
	struct arrivals arrivals;
	struct zipf zipf;

	zipf_init(&zipf, build, num, spec->value[ZIPF]);
	for (uint32_t i = 0; i < num; i++)
		add_paragraph(&library, build, spec);
	arrivals_spec(&arrivals, build, spec);
	while (arrivals_next(&arrivals)) {
		for (uint32_t i = 0; i < spec_u32(spec, PARAGRAPHS); i++)
			pick(&library, zipf_draw(&zipf, &build->rng));
		add_prompt(&library, build, spec, arrivals.now);
	}
	zipf_destroy(&zipf);
	library_destroy(&library);
}

const struct workload_ops workload_musique_unique = {
	.keys = unique_keys,
	.generate = generate_unique,
};

const struct workload_ops workload_musique = {
	.keys = musique_keys,
	.generate = generate_musique,
};
