/* SPDX-License-Identifier: Apache-2.0 */
#include "log_json.h"

/*
 * What SGLang writes of each request: by --export-metrics-to-file-dir, by its
 * request logger, which has the figures inside "out", or as the meta_info of an
 * answer. Times of steps are there with --enable-metrics only.
 */

#define OUT "out.meta_info."
#define META "meta_info."

static const char *const paths[] = {
	"request_received_ts",
	OUT "request_received_ts",
	META "request_received_ts",
	"prompt_tokens",
	OUT "prompt_tokens",
	META "prompt_tokens",
	"cached_tokens",
	OUT "cached_tokens",
	META "cached_tokens",
	"forward_entry_time",
	OUT "forward_entry_time",
	META "forward_entry_time",
	"queue_time",
	OUT "queue_time",
	META "queue_time",
	"prefill_finished_ts",
	"prefill_finished_time",
	OUT "prefill_finished_ts",
	OUT "prefill_finished_time",
	META "prefill_finished_ts",
	META "prefill_finished_time",
	NULL,
};

static const enum log_figure figures[] = {
	LOG_ARRIVAL,	 LOG_ARRIVAL,	  LOG_ARRIVAL,	   LOG_PROMPT,
	LOG_PROMPT,	 LOG_PROMPT,	  LOG_CACHED,	   LOG_CACHED,
	LOG_CACHED,	 LOG_START,	  LOG_START,	   LOG_START,
	LOG_WAIT,	 LOG_WAIT,	  LOG_WAIT,	   LOG_FIRST_TOKEN,
	LOG_FIRST_TOKEN, LOG_FIRST_TOKEN, LOG_FIRST_TOKEN, LOG_FIRST_TOKEN,
	LOG_FIRST_TOKEN,
};

_Static_assert(sizeof(figures) / sizeof(figures[0]) + 1 ==
		       sizeof(paths) / sizeof(paths[0]),
	       "each path has a figure");

static const struct log_json_form form = {.paths = paths, .figures = figures};

static int parse(struct log *log, struct lines *lines, struct diag *diag)
{
	return log_json_parse(log, &form, lines, diag);
}

/* An aborted request has no times and no tokens; it may be the first. */
static bool probe(struct span line)
{
	static const char *const keys[] = {
		"request_received_ts",
		"forward_entry_time",
		"request_parameters",
		"prefill_finished_ts",
		NULL,
	};

	return log_json_has(line, keys);
}

const struct log_reader log_reader_sglang = {
	.name = "sglang",
	.help = "request metrics as SGLang exports them to a file",
	.probe = probe,
	.parse = parse,
};
