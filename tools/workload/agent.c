/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "tools/base/mem.h"
#include "workload_build.h"

/*
 * Sessions: each turn's prompt is the whole conversation so far and some more,
 * and comes a time to think after the turn before. How long the node took to
 * answer is not known here, so that time counts from arrival to arrival.
 */

enum {
	TURNS_MIN = KEY_OWN,
	TURNS_MAX,
	GROW_MIN,
	GROW_MAX,
	THINK,
	SIGMA,
	HISTORY_MIN,
	HISTORY_MAX,
};

static const struct workload_key keys[] = {
	ARRIVAL_KEYS(0.1, 400, "sessions"),
	KEY_LOWER("turns-min", 5, 1, 1000, "turns-max"),
	KEY_WHOLE("turns-max", 40, 1, 1000),
	KEY_LOWER("grow-min", 200, 1, WORKLOAD_MAX_TOKENS, "grow-max"),
	KEY_WHOLE("grow-max", 2000, 1, WORKLOAD_MAX_TOKENS),
	KEY_REAL("think", 5, 0.001, 86400),
	KEY_REAL("sigma", 1, 0, 10),
	KEY_LOWER("history-min", 0, 0, WORKLOAD_MAX_TOKENS, "history-max"),
	KEY_WHOLE("history-max", 0, 0, WORKLOAD_MAX_TOKENS),
	KEY_END,
};

/**
 * struct turn - a prompt before its place in the trace is known
 * @arrival_ms: when
 * @first_id: of its session: a later prompt continues an earlier one, so the
 *	blocks of the longest name those of all
 * @len: tokens
 */
struct turn {
	double arrival_ms;
	uint64_t first_id;
	uint32_t len;
};

struct turns {
	struct turn *turns;
	size_t num;
	size_t cap;
};

static struct turn *add_turn(struct turns *turns, struct build *build)
{
	struct turn *grown = mem_grow(turns->turns, &turns->cap, turns->num + 1,
				      sizeof(*grown));

	if (!grown) {
		build_check(build, -ENOMEM);
		return NULL;
	}
	turns->turns = grown;
	return &turns->turns[turns->num++];
}

/* What a session brings along. Without any there is nothing to draw. */
static uint32_t draw_history(struct build *build,
			     const struct workload_spec *spec)
{
	if (!spec_u32(spec, HISTORY_MAX))
		return 0;
	return build_uniform(build, spec_u32(spec, HISTORY_MIN),
			     spec_u32(spec, HISTORY_MAX));
}

static void add_session(struct turns *turns, struct build *build,
			const struct workload_spec *spec, double seconds)
{
	uint32_t num = build_uniform(build, spec_u32(spec, TURNS_MIN),
				     spec_u32(spec, TURNS_MAX));
	uint64_t first_id = build->next_id;
	uint32_t len = draw_history(build, spec);

	for (uint32_t i = 0; i < num; i++) {
		struct turn *turn = add_turn(turns, build);

		if (!turn)
			return;
		len += build_uniform(build, spec_u32(spec, GROW_MIN),
				     spec_u32(spec, GROW_MAX));
		turn->arrival_ms = whole_ms(seconds);
		turn->first_id = first_id;
		turn->len = len;
		seconds += rng_lognormal(&build->rng, spec->value[THINK],
					 spec->value[SIGMA]);
	}
	build_ids(build, len / WORKLOAD_BLOCK);
}

/* Of one time: sessions in the order of their start, turns in their own. */
static int compare(const void *left, const void *right)
{
	const struct turn *a = left;
	const struct turn *b = right;

	if (a->arrival_ms != b->arrival_ms)
		return a->arrival_ms < b->arrival_ms ? -1 : 1;
	if (a->first_id != b->first_id)
		return a->first_id < b->first_id ? -1 : 1;
	return (a->len > b->len) - (a->len < b->len);
}

static void generate(struct build *build, const struct workload_spec *spec)
{
	struct turns turns = {0};
	struct arrivals arrivals;

	arrivals_spec(&arrivals, build, spec);
	while (arrivals_next(&arrivals))
		add_session(&turns, build, spec, arrivals.now);
	if (turns.num)
		qsort(turns.turns, turns.num, sizeof(*turns.turns), compare);
	for (size_t i = 0; i < turns.num && !build->err; i++) {
		const struct turn *turn = &turns.turns[i];

		prompt_extend(build, turn->len, turn->first_id);
		prompt_end(build, turn->arrival_ms, 0);
	}
	free(turns.turns);
}

const struct workload_ops workload_agent = {
	.keys = keys,
	.generate = generate,
};
