/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_READ_TEXT_H
#define TESTS_SUPPORT_READ_TEXT_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tools/trace/reader.h"
#include "lines_buffer.h"

/* Texts of a test that are read as files. */

/**
 * read_text() - a trace from memory
 * @name: what messages call it
 * @step: bytes that one read gives at most
 */
static inline int read_text(struct trace *trace,
			    const struct trace_reader *reader, const char *name,
			    const char *text, size_t step, struct diag *diag)
{
	struct lines_buffer from = {
		.data = text,
		.size = strlen(text),
		.step = step,
	};
	struct lines_source source = lines_buffer_source(&from);
	struct lines lines;
	struct trace_input in = {.path = name, .lines = &lines};
	int ret = lines_open_source(&lines, name, &source, NULL, diag);

	ck_assert_int_eq(ret, 0);
	ret = trace_read_lines(trace, reader, &in, diag);
	lines_close(&lines);
	return ret;
}

/* Mooncake's form from lines that are open already. */
static inline int read_mooncake(struct trace *trace, struct lines *lines,
				uint32_t block, struct diag *diag)
{
	struct trace_input in = {
		.path = lines->path,
		.lines = lines,
		.opt.block_size = block,
	};

	return trace_read_lines(trace, &reader_mooncake, &in, diag);
}

/* The same from a file. */
static inline int read_mooncake_file(struct trace *trace, const char *path,
				     uint32_t block, _Atomic uint64_t *progress,
				     struct diag *diag)
{
	const struct read_options opt = {
		.format = "mooncake",
		.block_size = block,
	};

	return trace_read(trace, path, &opt, progress, diag);
}

static inline void write_bytes(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

#endif
