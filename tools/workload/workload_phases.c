/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_phases.h"

#include "lib/base/compiler.h"

enum {
	BURST = KEY_COUNT, /* there is no number of requests to ask for */
	SPIKE = -1, /* its place is the caller's */
};

static const struct phase {
	const char *name;
	double end;
	int rate;
} phases[] = {
	{"steady", 120, KEY_RATE}, {"burst", 150, BURST},
	{"steady", 210, KEY_RATE}, {"spike", 270, SPIKE},
	{"after", 400, KEY_RATE},
};

void workload_phases(struct build *build, const struct workload_spec *spec,
		     int spike,
		     void (*ask)(const void *ctx, struct build *build,
				 double seconds, uint32_t phase),
		     const void *ctx)
{
	double start = 0.0;

	for (size_t i = 0; i < ARRAY_SIZE(phases); i++) {
		int rate = phases[i].rate == SPIKE ? spike : phases[i].rate;
		double end = phases[i].end * spec->value[KEY_SECONDS] / 400.0;
		struct arrivals arrivals;

		arrivals_span(&arrivals, build, spec->value[rate], start, end);
		while (arrivals_next(&arrivals))
			ask(ctx, build, arrivals.now,
			    build_phase(build, phases[i].name));
		start = end;
	}
}
