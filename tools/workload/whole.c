/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "workload_build.h"
#include "workload_phases.h"

/*
 * Questions over whole documents, a few of which most of them are about. A hit
 * is all of the document or nothing but a first part.
 */

enum {
	DOCUMENTS = KEY_OWN,
	ZIPF,
	MEDIAN,
	SIGMA,
	MIN,
	MAX,
	PARTIAL,
	QUESTION_MIN,
	QUESTION_MAX,
	SPIKE, /* sec-whole-dynamic alone */
};

#define DOCUMENT_KEYS                                                          \
	KEY_WHOLE("documents", 200, 1, 1000000), KEY_REAL("zipf", 1.4, 0, 10), \
		KEY_REAL("median", 5000, 16, WORKLOAD_MAX_TOKENS),             \
		KEY_REAL("sigma", 0.6, 0, 10),                                 \
		KEY_LOWER("min", 600, 16, WORKLOAD_MAX_TOKENS, "max"),         \
		KEY_WHOLE("max", 16000, 16, WORKLOAD_MAX_TOKENS),              \
		KEY_REAL("partial", 0.3, 0, 1),                                \
		KEY_LOWER("question-min", 30, 1, WORKLOAD_MAX_TOKENS,          \
			  "question-max"),                                     \
		KEY_WHOLE("question-max", 300, 1, WORKLOAD_MAX_TOKENS)

static const struct workload_key whole_keys[] = {
	ARRIVAL_KEYS(2.5, 400, "requests"),
	DOCUMENT_KEYS,
	KEY_END,
};

static const struct workload_key dynamic_keys[] = {
	RATE_KEYS(2.5),
	KEY_WHOLE("seconds", 400, 1, 10000000),
	KEY_REAL("burst", 4, 0.001, 10000),
	DOCUMENT_KEYS,
	KEY_REAL("spike", 4.5, 0.001, 10000),
	KEY_END,
};

struct library {
	const struct workload_spec *spec;
	struct document *docs;
	struct zipf zipf;
};

/* Lengths are cut by moving what is outside to the nearer end. */
static void library_init(struct library *library, struct build *build,
			 const struct workload_spec *spec)
{
	uint32_t num = spec_u32(spec, DOCUMENTS);

	library->spec = spec;
	zipf_init(&library->zipf, build, num, spec->value[ZIPF]);
	library->docs = malloc(num * sizeof(*library->docs));
	if (!build_check(build, library->docs ? 0 : -ENOMEM))
		return;
	for (uint32_t i = 0; i < num; i++) {
		uint32_t len =
			build_lognormal(build, spec->value[MEDIAN],
					spec->value[SIGMA], spec_u32(spec, MIN),
					spec_u32(spec, MAX));

		document_init(&library->docs[i], build, len);
	}
}

static void library_destroy(struct library *library)
{
	zipf_destroy(&library->zipf);
	free(library->docs);
}

static void ask(const void *ctx, struct build *build, double seconds,
		uint32_t phase)
{
	const struct library *library = ctx;
	const struct workload_spec *spec = library->spec;
	uint32_t rank = zipf_draw(&library->zipf, &build->rng);
	const struct document *doc = &library->docs[rank];
	uint32_t tokens = doc->len;

	if (rng_unit(&build->rng) < spec->value[PARTIAL])
		tokens = build_uniform(build, WORKLOAD_BLOCK, doc->len);
	prompt_extend(build, tokens, doc->first_id);
	prompt_own(build, build_uniform(build, spec_u32(spec, QUESTION_MIN),
					spec_u32(spec, QUESTION_MAX)));
	prompt_end(build, whole_ms(seconds), phase);
}

static void generate_whole(struct build *build,
			   const struct workload_spec *spec)
{
	struct arrivals arrivals;
	struct library library;

	library_init(&library, build, spec);
	arrivals_spec(&arrivals, build, spec);
	while (arrivals_next(&arrivals))
		ask(&library, build, arrivals.now, 0);
	library_destroy(&library);
}

static void generate_dynamic(struct build *build,
			     const struct workload_spec *spec)
{
	struct library library;

	library_init(&library, build, spec);
	workload_phases(build, spec, SPIKE, ask, &library);
	library_destroy(&library);
}

const struct workload_ops workload_whole = {
	.keys = whole_keys,
	.generate = generate_whole,
};

const struct workload_ops workload_whole_dynamic = {
	.keys = dynamic_keys,
	.generate = generate_dynamic,
};
