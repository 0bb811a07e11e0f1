/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>

#include "tools/trace/reader.h"
#include "log_reader.h"

/*
 * What SGLang writes to --export-metrics-to-file-dir: one JSON object for each
 * request that ended. When its first step began, forward_entry_time, is there
 * with --enable-metrics only.
 */

#define RECEIVED "request_received_ts"
#define STARTED "forward_entry_time"
#define PROMPT "prompt_tokens"
#define CACHED "cached_tokens"

/**
 * struct sglang - a log that is being read
 * @log: filled
 * @lines: the file
 * @diag: the first thing that is wrong
 * @unstarted: requests appended without a start
 */
struct sglang {
	struct log *log;
	struct lines *lines;
	struct diag *diag;
	uint64_t unstarted;
};

static const char *kind_of(const json_t *value)
{
	switch (value ? json_typeof(value) : JSON_NULL) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number out of range";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a truth value";
	default:
		return value ? "null" : "missing";
	}
}

static int read_seconds(const struct sglang *s, const json_t *object,
			const char *name, double *seconds)
{
	const json_t *value = json_object_get(object, name);
	double number = json_number_value(value);

	if (json_is_number(value) && number >= 0.0 && number <= 1e11) {
		*seconds = number;
		return 0;
	}
	return lines_bad(s->lines, s->diag, name,
			 "expected seconds from 0 to 1e+11 (%s)",
			 kind_of(value));
}

static int read_tokens(const struct sglang *s, const json_t *object,
		       const char *name, int min, uint32_t *tokens)
{
	const json_t *value = json_object_get(object, name);
	json_int_t number = json_integer_value(value);

	if (json_is_integer(value) && number >= min &&
	    number <= READER_MAX_PROMPT) {
		*tokens = (uint32_t)number;
		return 0;
	}
	return lines_bad(s->lines, s->diag, name,
			 "expected a whole number from %d to %d (%s)", min,
			 READER_MAX_PROMPT, kind_of(value));
}

/*
 * After a retraction the tokens that were generated count as cached too, and
 * the two times are of different processes, whose clocks differ a little.
 */
static int read_request(const struct sglang *s, const json_t *object,
			struct log_req *req)
{
	uint32_t prompt = 1;
	int ret = read_seconds(s, object, RECEIVED, &req->arrival_s);

	if (!ret)
		ret = read_tokens(s, object, PROMPT, 1, &prompt);
	if (!ret)
		ret = read_tokens(s, object, CACHED, 0, &req->cached);
	if (ret)
		return ret;
	if (req->cached >= prompt)
		req->cached = prompt - 1;
	req->uncached = prompt - req->cached;
	if (!json_object_get(object, STARTED))
		return 0;
	ret = read_seconds(s, object, STARTED, &req->later_s);
	if (!ret && req->later_s < req->arrival_s)
		req->later_s = req->arrival_s;
	return ret;
}

static int add_request(struct sglang *s, const json_t *object)
{
	struct log_req req = {.later_s = -1.0};
	int ret;

	if (!json_is_object(object))
		return lines_bad(s->lines, s->diag, "line",
				 "expected a JSON object (%s)",
				 kind_of(object));
	ret = read_request(s, object, &req);
	if (ret)
		return ret;
	s->unstarted += req.later_s < 0.0;
	if (log_append(s->log, &req))
		return diag_set(s->diag, -ENOMEM, "%s:%llu: not enough memory",
				s->lines->path,
				(unsigned long long)s->lines->number);
	return 0;
}

static int read_line(struct sglang *s, struct span line)
{
	json_error_t error;
	json_t *object = json_loadb(line.at, line.len, JSON_DECODE_ANY, &error);
	int ret;

	if (!object)
		return lines_bad(s->lines, s->diag, "line",
				 "expected a JSON object (%s at byte %d%s)",
				 error.text, error.position,
				 s->lines->whole ? ""
						 : "; the file may be cut off");
	ret = add_request(s, object);
	json_decref(object);
	return ret;
}

/* Where some started, the others were given up before they did. */
static void settle_starts(struct sglang *s)
{
	struct log *log = s->log;
	size_t kept = 0;

	if (s->unstarted == log->num)
		return;
	log->times = LOG_STARTS;
	log->left_out = s->unstarted;
	for (size_t i = 0; i < log->num; i++)
		if (log->reqs[i].later_s >= 0.0)
			log->reqs[kept++] = log->reqs[i];
	log->num = kept;
}

static int parse(struct log *log, struct lines *lines, struct diag *diag)
{
	struct sglang s = {.log = log, .lines = lines, .diag = diag};
	struct span line;
	int ret;

	while ((ret = lines_next(lines, &line.at, &line.len, diag)) > 0) {
		ret = read_line(&s, line);
		if (ret)
			break;
	}
	if (!ret)
		settle_starts(&s);
	return ret;
}

static bool probe(struct span line)
{
	line = span_trim(line);
	return line.len && line.at[0] == '{' &&
	       memmem(line.at, line.len, "\"" RECEIVED "\"",
		      sizeof(RECEIVED) + 1) &&
	       memmem(line.at, line.len, "\"" CACHED "\"", sizeof(CACHED) + 1);
}

const struct log_reader log_reader_sglang = {
	.name = "sglang",
	.help = "request metrics as SGLang exports them to a file",
	.probe = probe,
	.parse = parse,
};
