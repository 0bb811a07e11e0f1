/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "workload_build.h"

/*
 * Can a flood of cheap hits starve the expensive misses that came before it?
 *
 *	warm	 from 0 s: each document once, a second apart, so that an idle
 *		 a6000 (0.84 s each) has them all cached and nothing waits
 *	light	 until 30 s: hits like those of the flood, but so few (one in
 *		 two seconds) that each finds the node idle; they show what a
 *		 hit costs undisturbed
 *	backlog	 at 40 s: misses, 10 ms apart
 *	flood	 right after: hits on the warm documents, faster than the node
 *		 serves them together with the backlog
 */

enum {
	REQUESTS = KEY_SECONDS,
	DOCUMENTS,
	TOKENS,
	QUESTION,
	MISSES,
	MISS_TOKENS,
	LIGHT,
};

static const struct workload_key keys[] = {
	RATE_KEYS(10),
	KEY_WHOLE("requests", 1400, 1, WORKLOAD_MAX_REQUESTS),
	KEY_WHOLE("documents", 8, 1, 29),
	KEY_WHOLE("tokens", 6000, 16, WORKLOAD_MAX_TOKENS),
	KEY_WHOLE("question", 545, 1, WORKLOAD_MAX_TOKENS),
	KEY_WHOLE("misses", 20, 1, 100000),
	KEY_WHOLE("miss-tokens", 8000, 1, WORKLOAD_MAX_TOKENS),
	KEY_REAL("light", 0.5, 0.001, 1000),
	KEY_END,
};

#define LIGHT_END 30.0
#define BACKLOG_START 40.0
#define BACKLOG_GAP 0.010

struct flood {
	const struct workload_spec *spec;
	struct document *docs;
};

static void add_warm(const struct flood *flood, struct build *build)
{
	uint32_t num = spec_u32(flood->spec, DOCUMENTS);
	uint32_t phase = build_phase(build, "warm");

	for (uint32_t i = 0; i < num; i++) {
		struct document *doc = &flood->docs[i];

		document_init(doc, build, spec_u32(flood->spec, TOKENS));
		prompt_extend(build, doc->len, doc->first_id);
		prompt_end(build, whole_ms(i), phase);
	}
}

static void add_hits(const struct flood *flood, struct build *build,
		     struct arrivals *arrivals, const char *name)
{
	uint32_t num = spec_u32(flood->spec, DOCUMENTS);

	while (arrivals_next(arrivals)) {
		const struct document *doc =
			&flood->docs[rng_below(&build->rng, num)];

		prompt_extend(build, doc->len, doc->first_id);
		prompt_own(build, spec_u32(flood->spec, QUESTION));
		prompt_end(build, whole_ms(arrivals->now),
			   build_phase(build, name));
	}
}

static void add_backlog(const struct flood *flood, struct build *build)
{
	uint32_t num = spec_u32(flood->spec, MISSES);
	uint32_t phase = build_phase(build, "backlog");

	for (uint32_t i = 0; i < num; i++) {
		prompt_own(build, spec_u32(flood->spec, MISS_TOKENS));
		prompt_end(build, whole_ms(BACKLOG_START + i * BACKLOG_GAP),
			   phase);
	}
}

static void generate(struct build *build, const struct workload_spec *spec)
{
	struct flood flood = {.spec = spec};
	uint32_t num = spec_u32(spec, DOCUMENTS);
	struct arrivals arrivals;

	flood.docs = malloc(num * sizeof(*flood.docs));
	if (!build_check(build, flood.docs ? 0 : -ENOMEM))
		return;
	add_warm(&flood, build);
	arrivals_span(&arrivals, build, spec->value[LIGHT], num, LIGHT_END);
	add_hits(&flood, build, &arrivals, "light");
	add_backlog(&flood, build);
	arrivals_count(&arrivals, build, spec->value[KEY_RATE],
		       BACKLOG_START + spec->value[MISSES] * BACKLOG_GAP,
		       (uint64_t)spec->value[REQUESTS]);
	add_hits(&flood, build, &arrivals, "flood");
	free(flood.docs);
}

/* The warm documents fit, with room for half of the backlog. */
const struct workload_ops workload_flood = {
	.keys = keys,
	.kv_blocks = 8000,
	.generate = generate,
};
