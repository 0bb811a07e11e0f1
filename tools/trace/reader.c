/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <errno.h>
#include <string.h>

#include "tools/base/unpack.h"

/* Asked in this order; the first one that knows the file has it. */
const struct trace_reader *const trace_readers[] = {
	&reader_mooncake,
	&reader_azure,
	&reader_docs,
	NULL,
};

enum {
	NUM_READERS = sizeof(trace_readers) / sizeof(trace_readers[0]) - 1
};

const struct trace_reader *reader_find(const char *name, struct diag *diag)
{
	const char *names[NUM_READERS + 1] = {NULL};
	const char *near;

	for (int i = 0; i < NUM_READERS; i++) {
		names[i] = trace_readers[i]->name;
		if (!strcmp(names[i], name))
			return trace_readers[i];
	}
	near = closest(name, names);
	if (near)
		diag_set(diag, -EINVAL,
			 "--format: unknown form \"%s\", did you mean \"%s\"?",
			 name, near);
	else
		diag_set(diag, -EINVAL,
			 "--format: unknown form \"%s\"; \"fairway sim "
			 "--help\" lists them",
			 name);
	return NULL;
}

static bool ends_in(const char *path, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && !memcmp(path + len - n, suffix, n);
}

static const struct trace_reader *by_name(const char *path)
{
	size_t len = unpack_stem(path);

	for (int i = 0; i < NUM_READERS; i++) {
		const char *const *suffix = trace_readers[i]->suffix;

		for (; *suffix; suffix++)
			if (ends_in(path, len, *suffix))
				return trace_readers[i];
	}
	return NULL;
}

/* Return: 0 or -errno; @found is NULL where no reader knows the line. */
static int by_line(const struct trace_reader **found, struct lines *lines,
		   struct diag *diag)
{
	struct span line;
	int ret = lines_next(lines, &line.at, &line.len, diag);

	if (ret < 0)
		return ret;
	if (!ret)
		return diag_set(diag, -EINVAL,
				"%s: expected at least one request (no "
				"requests)",
				lines->path);
	lines_again(lines);
	*found = NULL;
	for (int i = 0; i < NUM_READERS && !*found; i++)
		if (trace_readers[i]->probe(line))
			*found = trace_readers[i];
	return 0;
}

static int choose(const struct trace_reader **found, const char *path,
		  const char *format, struct lines *lines, struct diag *diag)
{
	int ret;

	*found = format ? reader_find(format, diag) : by_name(path);
	if (*found)
		return 0;
	if (format)
		return -EINVAL;
	ret = by_line(found, lines, diag);
	if (ret || *found)
		return ret;
	return diag_set(diag, -EINVAL,
			"%s: expected a trace of a known form (neither its "
			"name nor its first line tells; --format does)",
			lines->path);
}

/* A rate that nobody needs is a mistake about the file. */
static int check_rate(struct trace *trace, const struct trace_input *in,
		      struct diag *diag)
{
	if (in->rate <= 0.0 || in->timeless)
		return 0;
	trace_destroy(trace);
	return diag_set(diag, -EINVAL,
			"--rate: expected requests without arrival times (all "
			"in %s have one; --time-scale and --load change them)",
			in->path);
}

static int read_lines(struct trace *trace, const char *path,
		      const struct read_options *opt, struct lines *lines,
		      struct diag *diag)
{
	struct trace_input in = {
		.path = path,
		.lines = lines,
		.block_size = opt->block_size,
		.rate = opt->rate,
		.seed = opt->seed,
	};
	const struct trace_reader *reader;
	int ret = choose(&reader, path, opt->format, lines, diag);

	if (ret)
		return ret;
	ret = reader->read(trace, &in, diag);
	return ret ? ret : check_rate(trace, &in, diag);
}

int trace_read(struct trace *trace, const char *path,
	       const struct read_options *opt, _Atomic uint64_t *progress,
	       struct diag *diag)
{
	struct lines lines;
	int ret = unpack_open(&lines, path, NULL, progress, diag);

	if (ret)
		return ret;
	ret = read_lines(trace, path, opt, &lines, diag);
	lines_close(&lines);
	return ret;
}
