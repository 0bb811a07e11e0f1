/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/compiler.h"
#include "workload_build.h"

/* Questions over quarterly filings, a few of which most of them are about. */

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
	SPIKE, /* sec-dynamic alone, as the next */
	BURST = KEY_COUNT,
};

#define FILING_KEYS                                                            \
	KEY_WHOLE("documents", 200, 1, 1000000), KEY_REAL("zipf", 1.4, 0, 10), \
		KEY_REAL("median", 5000, 16, WORKLOAD_MAX_TOKENS),             \
		KEY_REAL("sigma", 0.6, 0, 10),                                 \
		KEY_LOWER("min", 600, 16, WORKLOAD_MAX_TOKENS, "max"),         \
		KEY_WHOLE("max", 16000, 16, WORKLOAD_MAX_TOKENS),              \
		KEY_REAL("partial", 0.3, 0, 1),                                \
		KEY_LOWER("question-min", 30, 1, WORKLOAD_MAX_TOKENS,          \
			  "question-max"),                                     \
		KEY_WHOLE("question-max", 300, 1, WORKLOAD_MAX_TOKENS)

static const struct workload_key sec_keys[] = {
	ARRIVAL_KEYS(2.5, 400, "requests"),
	FILING_KEYS,
	KEY_END,
};

static const struct workload_key dynamic_keys[] = {
	RATE_KEYS(2.5),
	KEY_WHOLE("seconds", 400, 1, 10000000),
	KEY_REAL("burst", 4, 0.001, 10000),
	FILING_KEYS,
	KEY_REAL("spike", 4.5, 0.001, 10000),
	KEY_END,
};

struct filings {
	const struct workload_spec *spec;
	struct document *docs;
	struct zipf zipf;
};

/* Lengths are cut by moving what is outside to the nearer end. */
static void filings_init(struct filings *filings, struct build *build,
			 const struct workload_spec *spec)
{
	uint32_t num = spec_u32(spec, DOCUMENTS);

	filings->spec = spec;
	zipf_init(&filings->zipf, build, num, spec->value[ZIPF]);
	filings->docs = malloc(num * sizeof(*filings->docs));
	if (!build_check(build, filings->docs ? 0 : -ENOMEM))
		return;
	for (uint32_t i = 0; i < num; i++) {
		uint32_t len =
			build_lognormal(build, spec->value[MEDIAN],
					spec->value[SIGMA], spec_u32(spec, MIN),
					spec_u32(spec, MAX));

		document_init(&filings->docs[i], build, len);
	}
}

static void filings_destroy(struct filings *filings)
{
	zipf_destroy(&filings->zipf);
	free(filings->docs);
}

static void ask(const struct filings *filings, struct build *build,
		double seconds, uint32_t phase)
{
	const struct workload_spec *spec = filings->spec;
	uint32_t rank = zipf_draw(&filings->zipf, &build->rng);
	const struct document *doc = &filings->docs[rank];
	uint32_t tokens = doc->len;

	if (rng_unit(&build->rng) < spec->value[PARTIAL])
		tokens = build_uniform(build, WORKLOAD_BLOCK, doc->len);
	prompt_extend(build, tokens, doc->first_id);
	prompt_own(build, build_uniform(build, spec_u32(spec, QUESTION_MIN),
					spec_u32(spec, QUESTION_MAX)));
	prompt_end(build, whole_ms(seconds), phase);
}

static void generate_sec(struct build *build, const struct workload_spec *spec)
{
	struct arrivals arrivals;
	struct filings filings;

	filings_init(&filings, build, spec);
	arrivals_spec(&arrivals, build, spec);
	while (arrivals_next(&arrivals))
		ask(&filings, build, arrivals.now, 0);
	filings_destroy(&filings);
}

/* Ends are in the 400 seconds of the default; other spans keep the shares. */
static const struct dynamic_phase {
	const char *name;
	double end;
	int rate;
} phases[] = {
	{"steady", 120, KEY_RATE}, {"burst", 150, BURST},
	{"steady", 210, KEY_RATE}, {"spike", 270, SPIKE},
	{"after", 400, KEY_RATE},
};

static void generate_dynamic(struct build *build,
			     const struct workload_spec *spec)
{
	struct filings filings;
	double start = 0.0;

	filings_init(&filings, build, spec);
	for (size_t i = 0; i < ARRAY_SIZE(phases); i++) {
		double end = phases[i].end * spec->value[KEY_SECONDS] / 400.0;
		struct arrivals arrivals;

		arrivals_span(&arrivals, build, spec->value[phases[i].rate],
			      start, end);
		while (arrivals_next(&arrivals))
			ask(&filings, build, arrivals.now,
			    build_phase(build, phases[i].name));
		start = end;
	}
	filings_destroy(&filings);
}

const struct workload_ops workload_sec = {
	.keys = sec_keys,
	.generate = generate_sec,
};

const struct workload_ops workload_sec_dynamic = {
	.keys = dynamic_keys,
	.generate = generate_dynamic,
};
