/* SPDX-License-Identifier: Apache-2.0 */
#include "log_json.h"

/*
 * What vLLM says of each request, one object a line: the metrics of an output
 * or of a finished request, or the answers of its server, kept with
 * --enable-per-request-metrics and --enable-prompt-tokens-details.
 */

static const char *const paths[] = {
	"arrival_time",
	"metrics.arrival_time",
	"created",
	"num_prompt_tokens",
	"prompt_tokens",
	"usage.prompt_tokens",
	"num_cached_tokens",
	"cached_tokens",
	"usage.prompt_tokens_details.cached_tokens",
	"first_scheduled_time",
	"metrics.first_scheduled_time",
	"queued_ts",
	"metrics.queued_ts",
	"scheduled_ts",
	"metrics.scheduled_ts",
	"queued_time",
	"time_in_queue",
	"metrics.time_in_queue",
	"metrics.queue_time_ms",
	"first_token_time",
	"metrics.first_token_time",
	NULL,
};

static const enum log_figure figures[] = {
	LOG_ARRIVAL,	 LOG_ARRIVAL,	LOG_ARRIVAL,   LOG_PROMPT,
	LOG_PROMPT,	 LOG_PROMPT,	LOG_CACHED,    LOG_CACHED,
	LOG_CACHED,	 LOG_START,	LOG_START,     LOG_QUEUED,
	LOG_QUEUED,	 LOG_SCHEDULED, LOG_SCHEDULED, LOG_WAIT,
	LOG_WAIT,	 LOG_WAIT,	LOG_WAIT_MS,   LOG_FIRST_TOKEN,
	LOG_FIRST_TOKEN,
};

_Static_assert(sizeof(figures) / sizeof(figures[0]) + 1 ==
		       sizeof(paths) / sizeof(paths[0]),
	       "each path has a figure");

/* The server leaves the details out where nothing was cached. */
static const struct log_json_form form = {
	.paths = paths,
	.figures = figures,
	.cached_may_miss = true,
};

static int parse(struct log *log, struct lines *lines, struct diag *diag)
{
	return log_json_parse(log, &form, lines, diag);
}

static bool probe(struct span line)
{
	static const char *const keys[] = {
		"num_prompt_tokens",
		"num_cached_tokens",
		"first_scheduled_time",
		"time_in_queue",
		"queue_time_ms",
		"prompt_tokens_details",
		NULL,
	};

	return log_json_has(line, keys);
}

const struct log_reader log_reader_vllm = {
	.name = "vllm",
	.help = "request metrics of vLLM, or answers of its server, as lines",
	.probe = probe,
	.parse = parse,
};
