/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TRACE_READ_AS_H
#define TESTS_TRACE_READ_AS_H

#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/support/read_text.h"
#include "tools/trace/reader.h"

/* A text that is read as a trace in one form, and what comes of it. */

static inline int read_with(struct trace *trace,
			    const struct trace_reader *reader,
			    const struct read_options *opt, const char *text,
			    struct diag *diag)
{
	struct lines_buffer from = {text, strlen(text), 0, 11};
	struct lines_source source = lines_buffer_source(&from);
	struct lines lines;
	struct trace_input in = {.path = "t", .lines = &lines, .opt = *opt};
	int ret = lines_open_source(&lines, "t", &source, NULL, diag);

	ck_assert_int_eq(ret, 0);
	ret = trace_read_lines(trace, reader, &in, diag);
	lines_close(&lines);
	return ret;
}

static inline void good_with(struct trace *trace,
			     const struct trace_reader *reader,
			     const struct read_options *opt, const char *text)
{
	struct diag diag = {""};
	int ret = read_with(trace, reader, opt, text, &diag);

	ck_assert_msg(!ret, "%s", diag.text);
}

static inline void good(struct trace *trace, const struct trace_reader *reader,
			const char *text)
{
	const struct read_options opt = {.strict = false};

	good_with(trace, reader, &opt, text);
}

static inline void refused(const struct trace_reader *reader,
			   const struct read_options *opt, const char *text,
			   const char *message)
{
	struct diag diag = {""};
	struct trace trace;

	ck_assert_int_eq(read_with(&trace, reader, opt, text, &diag), -EINVAL);
	ck_assert_str_eq(diag.text, message);
}

static inline void times_are(const struct trace *trace, size_t num,
			     const double *ms)
{
	ck_assert_uint_eq(trace->num_reqs, num);
	for (size_t i = 0; i < num; i++)
		ck_assert_msg(trace->reqs[i].arrival_ms == ms[i],
			      "%zu: %.9f, expected %.9f", i,
			      trace->reqs[i].arrival_ms, ms[i]);
}

#define ROW(time, more) "{\"timestamp\":" time ",\"input_length\":16" more "}\n"

#endif
