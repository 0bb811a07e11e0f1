/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "workload_build.h"
#include "workload_chain.h"
#include "workload_phases.h"

/*
 * Questions over quarterly filings. A prompt holds several passages of one
 * filing, as a search gives them, and then the question. Passages of popular
 * filings are mostly cached, those of others are not, and of many prompts only
 * the first passages are.
 */

enum {
	DOCUMENTS = KEY_OWN,
	ZIPF,
	PASSAGES,
	PASSAGE_ZIPF,
	MEDIAN,
	SIGMA,
	MIN,
	TAKE_MIN,
	TAKE_MAX,
	QUESTION_MIN,
	QUESTION_MAX,
	PROMPT_MAX,
	SPIKE, /* sec-dynamic alone */
};

#define MAX_PASSAGES 64

/* What the forms differ in: passages of a filing, their length, a prompt's. */
#define FILING_KEYS(passages, median, sigma, take_min, take_max)               \
	KEY_WHOLE("documents", 200, 1, 1000000), KEY_REAL("zipf", 1.8, 0, 10), \
		KEY_WHOLE("passages", passages, 1, MAX_PASSAGES),              \
		KEY_REAL("passage-zipf", 2.0, 0, 10),                          \
		KEY_REAL("median", median, 1, WORKLOAD_MAX_TOKENS),            \
		KEY_REAL("sigma", sigma, 0, 10),                               \
		KEY_WHOLE("min", 100, 1, WORKLOAD_MAX_TOKENS),                 \
		KEY_LOWER("take-min", take_min, 1, MAX_PASSAGES, "take-max"),  \
		KEY_LOWER("take-max", take_max, 1, MAX_PASSAGES, "passages"),  \
		KEY_LOWER("question-min", 30, 1, WORKLOAD_MAX_TOKENS,          \
			  "question-max"),                                     \
		KEY_LOWER("question-max", 300, 1, WORKLOAD_MAX_TOKENS,         \
			  "prompt-max"),                                       \
		KEY_WHOLE("prompt-max", 16000, 1, WORKLOAD_MAX_TOKENS)

static const struct workload_key sec_keys[] = {
	ARRIVAL_KEYS(2.5, 400, "requests"),
	FILING_KEYS(8, 1000, 0.4, 2, 6),
	KEY_END,
};

static const struct workload_key dynamic_keys[] = {
	RATE_KEYS(2.5),
	KEY_WHOLE("seconds", 400, 1, 10000000),
	KEY_REAL("burst", 3.2, 0.001, 10000),
	FILING_KEYS(8, 1000, 0.4, 2, 6),
	KEY_REAL("spike", 4.5, 0.001, 10000),
	KEY_END,
};

static const struct workload_key long_keys[] = {
	ARRIVAL_KEYS(2.5, 400, "requests"),
	FILING_KEYS(8, 2000, 0.4, 3, 8),
	KEY_END,
};

static const struct workload_key mixed_keys[] = {
	ARRIVAL_KEYS(2.5, 400, "requests"),
	FILING_KEYS(10, 1500, 0.8, 1, 10),
	KEY_END,
};

/**
 * struct filings - all filings
 * @spec: their parameters
 * @lens: tokens of each passage, filing by filing. The passages of a filing
 *	stand by falling popularity: their lengths are drawn alike, so an order
 *	drawn on top would change nothing
 * @popular: filings
 * @weights: of a filing's passages, by popularity
 * @chain: the orders in which prompts hold passages
 */
struct filings {
	const struct workload_spec *spec;
	uint32_t *lens;
	struct zipf popular;
	double weights[MAX_PASSAGES];
	struct chain *chain;
};

static void filings_init(struct filings *filings, struct build *build,
			 const struct workload_spec *spec, struct chain *chain)
{
	uint32_t num = spec_u32(spec, DOCUMENTS) * spec_u32(spec, PASSAGES);

	filings->spec = spec;
	filings->chain = chain;
	zipf_init(&filings->popular, build, spec_u32(spec, DOCUMENTS),
		  spec->value[ZIPF]);
	for (uint32_t k = 0; k < spec_u32(spec, PASSAGES); k++)
		filings->weights[k] =
			rng_exp(-spec->value[PASSAGE_ZIPF] * rng_log(k + 1.0));
	filings->lens = malloc(num * sizeof(*filings->lens));
	if (!build_check(build, filings->lens ? 0 : -ENOMEM))
		return;
	for (uint32_t i = 0; i < num; i++)
		filings->lens[i] =
			build_lognormal(build, spec->value[MEDIAN],
					spec->value[SIGMA], spec_u32(spec, MIN),
					WORKLOAD_MAX_TOKENS);
}

static void filings_destroy(struct filings *filings)
{
	chain_destroy(filings->chain);
	zipf_destroy(&filings->popular);
	free(filings->lens);
}

/* One more of the passages that are not @taken, by their weights. */
static void take_one(const struct filings *filings, struct build *build,
		     bool *taken)
{
	uint32_t num = spec_u32(filings->spec, PASSAGES);
	uint32_t last = 0;
	double left = 0.0;
	double x;

	for (uint32_t k = 0; k < num; k++)
		left += taken[k] ? 0.0 : filings->weights[k];
	x = rng_unit(&build->rng) * left;
	for (uint32_t k = 0; k < num && x >= 0.0; k++) {
		if (taken[k])
			continue;
		x -= filings->weights[k];
		last = k;
	}
	taken[last] = true;
}

/* The most popular first, as far as the prompt has room for them. */
static void add_passages(const struct filings *filings, struct build *build,
			 uint32_t filing, const bool *taken, uint32_t room)
{
	uint32_t num = spec_u32(filings->spec, PASSAGES);
	uint32_t node = CHAIN_ROOT;

	for (uint32_t k = 0; k < num; k++) {
		uint32_t passage = filing * num + k;

		if (!taken[k])
			continue;
		if (filings->lens[passage] > room)
			break;
		room -= filings->lens[passage];
		node = chain_next(filings->chain, build, node, passage,
				  filings->lens[passage]);
	}
}

static void ask(const void *ctx, struct build *build, double seconds,
		uint32_t phase)
{
	const struct filings *filings = ctx;
	const struct workload_spec *spec = filings->spec;
	bool taken[MAX_PASSAGES] = {false};
	uint32_t filing = zipf_draw(&filings->popular, &build->rng);
	uint32_t num = build_uniform(build, spec_u32(spec, TAKE_MIN),
				     spec_u32(spec, TAKE_MAX));
	uint32_t own;

	while (num--)
		take_one(filings, build, taken);
	own = build_uniform(build, spec_u32(spec, QUESTION_MIN),
			    spec_u32(spec, QUESTION_MAX));
	add_passages(filings, build, filing, taken,
		     spec_u32(spec, PROMPT_MAX) - own);
	prompt_own(build, own);
	prompt_end(build, whole_ms(seconds), phase);
}

static void generate(struct build *build, const struct workload_spec *spec)
{
	struct arrivals arrivals;
	struct filings filings;
	struct chain chain = {0};

	filings_init(&filings, build, spec, &chain);
	arrivals_spec(&arrivals, build, spec);
	while (arrivals_next(&arrivals))
		ask(&filings, build, arrivals.now, 0);
	filings_destroy(&filings);
}

static void generate_dynamic(struct build *build,
			     const struct workload_spec *spec)
{
	struct filings filings;
	struct chain chain = {0};

	filings_init(&filings, build, spec, &chain);
	workload_phases(build, spec, SPIKE, ask, &filings);
	filings_destroy(&filings);
}

/* The paper's caches held a quarter to a third of what could be hit. */
#define POOL_SHARE 0.25

const struct workload_ops workload_sec = {
	.keys = sec_keys,
	.kv_share = POOL_SHARE,
	.generate = generate,
};

const struct workload_ops workload_sec_dynamic = {
	.keys = dynamic_keys,
	.kv_share = POOL_SHARE,
	.generate = generate_dynamic,
};

const struct workload_ops workload_long = {
	.keys = long_keys,
	.kv_share = POOL_SHARE,
	.generate = generate,
};

const struct workload_ops workload_mixed = {
	.keys = mixed_keys,
	.kv_share = POOL_SHARE,
	.generate = generate,
};
