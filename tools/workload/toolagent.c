/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_build.h"

/* One long description of tools, then what each request brings of its own. */

enum {
	PREFIX = KEY_OWN,
	OWN_MIN,
	OWN_MAX,
};

static const struct workload_key keys[] = {
	ARRIVAL_KEYS(4, 400, "requests"),
	KEY_WHOLE("prefix", 6000, 1, WORKLOAD_MAX_TOKENS),
	KEY_LOWER("own-min", 50, 1, WORKLOAD_MAX_TOKENS, "own-max"),
	KEY_WHOLE("own-max", 2000, 1, WORKLOAD_MAX_TOKENS),
	KEY_END,
};

static void generate(struct build *build, const struct workload_spec *spec)
{
	struct arrivals arrivals;
	struct document prefix;

	document_init(&prefix, build, spec_u32(spec, PREFIX));
	arrivals_spec(&arrivals, build, spec);
	while (arrivals_next(&arrivals)) {
		prompt_extend(build, prefix.len, prefix.first_id);
		prompt_own(build, build_uniform(build, spec_u32(spec, OWN_MIN),
						spec_u32(spec, OWN_MAX)));
		prompt_end(build, whole_ms(arrivals.now), 0);
	}
}

const struct workload_ops workload_toolagent = {
	.keys = keys,
	.generate = generate,
};
