/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/unpack.h"
#include "tools/log/log_reader.h"

/* Asked in this order; the first one that knows the file has it. */
const struct trace_reader *const trace_readers[] = {
	&reader_dynamo,	  &reader_bailian,
	&reader_mooncake, &reader_azure,
	&reader_burstgpt, &reader_splitwise,
	&reader_servegen, &reader_columns,
	&reader_docs,	  NULL,
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
			 "--format: unknown form \"%s\"; --help lists them",
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

/* 0 or -errno with @diag set; @first is the first line, left to read. */
static int look(struct lines *lines, struct span *first, struct diag *diag)
{
	int ret = lines_next(lines, &first->at, &first->len, diag);

	if (ret < 0)
		return ret;
	if (!ret)
		return diag_set(diag, -EINVAL,
				"%s: expected at least one request (no "
				"requests)",
				lines->path);
	lines_again(lines);
	return 0;
}

static const struct trace_reader *by_line(struct span line)
{
	for (int i = 0; i < NUM_READERS; i++)
		if (trace_readers[i]->probe(line))
			return trace_readers[i];
	return NULL;
}

/* A pair of files is one by its name: either file alone says too little. */
static const struct trace_reader *choose(const char *path, struct span line)
{
	const struct trace_reader *named = by_name(path);

	if (named && named->pair)
		return named;
	return by_line(line) ? by_line(line) : named;
}

static int refuse_log(const struct lines *lines, struct span line,
		      struct diag *diag)
{
	const struct log_reader *log = log_reader_of(line);

	if (!log)
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: expected a trace; this is a log of the form "
			"\"%s\", which \"fairway analyze %s\" reads",
			lines->path, log->name, lines->path);
}

static int refuse_unknown(const struct lines *lines, struct span line,
			  struct diag *diag)
{
	char forms[128] = "";
	size_t used = 0;

	for (int i = 0; i < NUM_READERS; i++)
		used += (size_t)snprintf(forms + used, sizeof(forms) - used,
					 "%s%s", i ? ", " : "",
					 trace_readers[i]->name);
	if (memchr(line.at, ',', line.len) && *span_trim(line).at != '{')
		return diag_set(diag, -EINVAL,
				"%s: expected a trace of a known form (%s), or "
				"--columns arrival=NAME,input=NAME for other "
				"CSV (its columns: %.*s)",
				lines->path, forms,
				line.len > 160 ? 160 : (int)line.len, line.at);
	return diag_set(diag, -EINVAL,
			"%s: expected a trace of a known form (neither its "
			"name nor its first line tells; --format takes %s)",
			lines->path, forms);
}

static int find_reader(const struct trace_reader **found,
		       const struct trace_input *in, struct diag *diag)
{
	struct lines *lines = in->lines;
	struct span line;
	int ret;

	if (in->opt.format) {
		*found = reader_find(in->opt.format, diag);
		return *found ? 0 : -EINVAL;
	}
	if (in->opt.columns) {
		*found = &reader_columns;
		return 0;
	}
	ret = look(lines, &line, diag);
	if (!ret)
		ret = refuse_log(lines, line, diag);
	if (ret)
		return ret;
	*found = choose(in->path, line);
	return *found ? 0 : refuse_unknown(lines, line, diag);
}

int trace_read_lines(struct trace *trace, const struct trace_reader *reader,
		     struct trace_input *in, struct diag *diag)
{
	struct trace read;
	int ret = reader->read(&read, in, diag);

	if (!ret)
		ret = input_settle(in, &read, diag);
	if (!ret) {
		read.source.form = reader->name;
		*trace = read;
	}
	arrival_destroy(&in->arrivals);
	return ret;
}

int trace_read(struct trace *trace, const char *path,
	       const struct read_options *opt, _Atomic uint64_t *progress,
	       struct diag *diag)
{
	struct lines lines;
	struct trace_input in = {.path = path, .lines = &lines, .opt = *opt};
	const struct trace_reader *reader;
	int ret = unpack_open(&lines, path, opt->limits, progress, diag);

	if (ret)
		return ret;
	ret = find_reader(&reader, &in, diag);
	if (!ret)
		ret = trace_read_lines(trace, reader, &in, diag);
	lines_close(&lines);
	return ret;
}
