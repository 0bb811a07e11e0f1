/* SPDX-License-Identifier: Apache-2.0 */
#include "log_reader.h"

#include <errno.h>
#include <string.h>

#include "tools/base/unpack.h"

const struct log_reader *const log_readers[] = {
	&log_reader_csv,
	&log_reader_sglang,
	&log_reader_vllm,
	NULL,
};

const struct log_reader *log_reader_find(const char *name)
{
	for (size_t i = 0; log_readers[i]; i++)
		if (!strcmp(log_readers[i]->name, name))
			return log_readers[i];
	return NULL;
}

static int finish(struct log *log, const struct lines *lines, struct diag *diag)
{
	if (!log->num)
		return diag_set(diag, -EINVAL,
				log->left_out ? "%s: expected a request that "
						"started (none did)"
					      : "%s: expected at least one "
						"request (no requests)",
				lines->path);
	if (log_settle(log))
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				lines->path);
	return 0;
}

int log_parse(struct log *log, const struct log_reader *reader,
	      struct lines *lines, struct diag *diag)
{
	struct log own = {.form = reader->name};
	int ret = reader->parse(&own, lines, diag);

	if (!ret)
		ret = finish(&own, lines, diag);
	if (ret)
		log_destroy(&own);
	else
		*log = own;
	return ret;
}

const struct log_reader *log_reader_of(struct span line)
{
	for (size_t i = 0; log_readers[i]; i++)
		if (log_readers[i]->probe(line))
			return log_readers[i];
	return NULL;
}

/* Return: 1 with @reader set, 0 when none knows the first line, -errno. */
static int probe(const struct log_reader **reader, struct lines *lines,
		 struct diag *diag)
{
	struct span line;
	int ret = lines_next(lines, &line.at, &line.len, diag);

	if (ret <= 0)
		return ret;
	lines_again(lines);
	*reader = log_reader_of(line);
	return *reader ? 1 : 0;
}

int log_read(struct log *log, const char *path, const char *format,
	     const struct limits *limits, _Atomic uint64_t *progress,
	     struct diag *diag)
{
	bool once = !strcmp(path, "-");
	const struct log_reader *reader = NULL;
	struct lines lines;
	int ret;

	if (format) {
		reader = log_reader_find(format);
		if (!reader)
			return 0;
	}
	ret = unpack_open(&lines, path, limits, progress, diag);
	if (ret)
		return ret;
	ret = reader ? 1 : probe(&reader, &lines, diag);
	/* What was read of it cannot be read again. */
	if (!ret && once)
		ret = diag_set(diag, -EINVAL,
			       "%s: expected a log; a trace is read from "
			       "standard input with --format alone, such as "
			       "--format mooncake",
			       lines.path);
	if (ret > 0) {
		ret = log_parse(log, reader, &lines, diag);
		ret = ret ? ret : 1;
	}
	lines_close(&lines);
	return ret;
}
