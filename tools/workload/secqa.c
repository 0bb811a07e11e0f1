/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/trace/reader.h"
#include "workload_build.h"

/*
 * Recorded questions over real filings. The files are not part of this project:
 * a pair secqa_whole.docs and .reqs, or secqa_chunks, in a folder that the key
 * or the environment names. They hold no arrivals; the rate gives them, as it
 * does with --trace and --rate.
 */

enum {
	DIR = KEY_SECONDS,
};

#define FOLDER "FAIRWAY_TRACES"

/* By default about 0.85 of what an a6000 can do with each pair. */
static const struct workload_key whole_keys[] = {
	RATE_KEYS(0.07),
	KEY_TEXT("dir"),
	KEY_END,
};

static const struct workload_key chunks_keys[] = {
	RATE_KEYS(1.5),
	KEY_TEXT("dir"),
	KEY_END,
};

static int no_folder(struct diag *diag, const char *pair)
{
	return diag_set(diag, -EINVAL,
			"--workload: %s.docs and .reqs: expected their folder "
			"in the key \"dir\" or in " FOLDER
			" (neither is given)",
			pair);
}

/* What the generator began is given up: the reader has its own. */
static int read_pair(struct build *build, const char *path, double rate)
{
	const struct read_options opt = {
		.format = "docs",
		.block_size = WORKLOAD_BLOCK,
		.rate = {.rate = rate, .seed = build->seed},
	};
	struct trace read;
	int ret = trace_read(&read, path, &opt, NULL, build->diag);

	if (ret)
		return ret;
	trace_destroy(&build->trace);
	build->trace = read;
	build->trace.source = (struct trace_source){.form = NULL};
	return 0;
}

static void generate(struct build *build, const struct workload_spec *spec,
		     const char *pair)
{
	const char *folder = spec->text[DIR];
	char *path;

	if (!folder)
		folder = getenv(FOLDER);
	if (!folder || !*folder) {
		build_check(build, no_folder(build->diag, pair));
		return;
	}
	if (asprintf(&path, "%s/%s.reqs", folder, pair) < 0) {
		build_check(build, -ENOMEM);
		return;
	}
	build_check(build, read_pair(build, path, spec->value[KEY_RATE]));
	free(path);
}

static void generate_whole(struct build *build,
			   const struct workload_spec *spec)
{
	generate(build, spec, "secqa_whole");
}

static void generate_chunks(struct build *build,
			    const struct workload_spec *spec)
{
	generate(build, spec, "secqa_chunks");
}

const struct workload_ops workload_secqa = {
	.keys = whole_keys,
	.generate = generate_whole,
};

const struct workload_ops workload_secqa_chunks = {
	.keys = chunks_keys,
	.generate = generate_chunks,
};
