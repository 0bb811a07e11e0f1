/* SPDX-License-Identifier: Apache-2.0 */
#include "limits.h"

#include <errno.h>
#include <string.h>

#include "lines.h"
#include "number.h"
#include "span.h"

const struct limits limits_default = {
	.blank_lines = LINES_MAX_BLANK,
	.prompt = UINT64_C(1) << 21,
};

/* Over these, counters of other places would not hold. */
static const struct {
	const char *name;
	uint64_t max;
} names[] = {
	{"unpacked", UINT64_C(1) << 50},
	{"blank-lines", UINT64_C(1) << 50},
	{"prompt", INT32_MAX},
	{"blocks", UINT32_MAX},
};

enum {
	NUM_NAMES = sizeof(names) / sizeof(names[0])
};

static uint64_t *place(struct limits *limits, int i)
{
	uint64_t *const places[NUM_NAMES] = {
		&limits->unpacked,
		&limits->blank_lines,
		&limits->prompt,
		&limits->blocks,
	};

	return places[i];
}

static int parse_one(struct limits *limits, struct span text, struct diag *diag)
{
	struct span name, value = text;

	span_cut(&value, '=', &name);
	for (int i = 0; i < NUM_NAMES; i++) {
		if (!span_is(name, names[i].name))
			continue;
		if (value.at &&
		    span_u64(value, 1, names[i].max, place(limits, i)))
			return 0;
		return diag_set(diag, -EINVAL,
				"--limit: %s: expected a whole number from 1 "
				"to %llu (\"%.*s\")",
				names[i].name, (unsigned long long)names[i].max,
				SPAN_ARGS(text));
	}
	return diag_set(diag, -EINVAL,
			"--limit: expected unpacked, blank-lines, prompt or "
			"blocks, each as NAME=N (\"%.*s\")",
			SPAN_ARGS(text));
}

int limits_parse(struct limits *limits, const char *text, struct diag *diag)
{
	struct span rest = {text, strlen(text)};
	struct limits read = *limits;
	struct span one;

	while (span_cut(&rest, ',', &one)) {
		int ret = parse_one(&read, one, diag);

		if (ret)
			return ret;
	}
	*limits = read;
	return 0;
}
