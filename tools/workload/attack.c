/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_build.h"

/*
 * Can tiny hits switch the fair lane off? Its ledger starts at the cost of the
 * oldest request, so the fast lane may give a quarter of that ahead of it in
 * each step. When a step is over before, by its budget or its sequences, the
 * oldest waits on, and with it all that the fast lane puts last.
 *
 *	warm	at 0 s: one document
 *	busy	at 10 s: a prompt that keeps the node busy for two steps
 *	long	meanwhile: a prompt without a hit
 *	hits	behind it: the document and a few tokens, some at once, then
 *		faster than the node serves them together with the others
 *	others	beside the hits: prompts of their own, short and without a hit
 */

enum {
	SECONDS = KEY_SECONDS,
	FIRST,
	DOCUMENT,
	TOKENS,
	LONG,
	OTHERS,
	OTHER_TOKENS,
};

static const struct workload_key keys[] = {
	RATE_KEYS(495),
	KEY_WHOLE("seconds", 300, 1, 100000),
	KEY_WHOLE("first", 1000, 1, WORKLOAD_MAX_REQUESTS / 2),
	KEY_WHOLE("document", 496, 16, WORKLOAD_MAX_TOKENS),
	KEY_WHOLE("tokens", 16, 1, WORKLOAD_MAX_TOKENS),
	KEY_WHOLE("long", 9000, 1, WORKLOAD_MAX_TOKENS),
	KEY_REAL("others", 0.5, 0.001, 1000),
	KEY_WHOLE("other-tokens", 500, 1, WORKLOAD_MAX_TOKENS),
	KEY_END,
};

#define START 10.0
/* Two steps, in which the others queue up. */
#define BUSY 4096

static void add_hit(struct build *build, const struct workload_spec *spec,
		    const struct document *doc, double arrival)
{
	prompt_extend(build, doc->len, doc->first_id);
	prompt_own(build, spec_u32(spec, TOKENS));
	prompt_end(build, whole_ms(arrival), build_phase(build, "hits"));
}

static void add_own(struct build *build, uint32_t tokens, double arrival,
		    const char *phase)
{
	prompt_own(build, tokens);
	prompt_end(build, whole_ms(arrival), build_phase(build, phase));
}

/* Two Poisson streams as one whose arrivals are of either kind by chance. */
static void add_both(struct build *build, const struct workload_spec *spec,
		     const struct document *doc)
{
	double rate = spec->value[KEY_RATE], others = spec->value[OTHERS];
	struct arrivals arrivals;

	arrivals_span(&arrivals, build, rate + others, START + 0.2,
		      START + spec->value[SECONDS]);
	while (arrivals_next(&arrivals)) {
		if (rng_unit(&build->rng) * (rate + others) < rate)
			add_hit(build, spec, doc, arrivals.now);
		else
			add_own(build, spec_u32(spec, OTHER_TOKENS),
				arrivals.now, "others");
	}
}

static void generate(struct build *build, const struct workload_spec *spec)
{
	struct document doc;

	document_init(&doc, build, spec_u32(spec, DOCUMENT));
	prompt_extend(build, doc.len, doc.first_id);
	prompt_end(build, 0.0, build_phase(build, "warm"));
	add_own(build, BUSY, START, "busy");
	add_own(build, spec_u32(spec, LONG), START + 0.1, "long");
	for (uint32_t i = 0; i < spec_u32(spec, FIRST); i++)
		add_hit(build, spec, &doc, START + 0.2);
	add_both(build, spec, &doc);
}

const struct workload_ops workload_attack = {
	.keys = keys,
	.kv_blocks = 65536,
	.generate = generate,
};
