/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_docs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "tools/base/number.h"
#include "documents.h"
#include "id_text.h"
#include "prefix_ids.h"

/* Requests over documents: what the lines of both files say. */

enum {
	DEFAULT_BLOCK = 16,
	MAX_DOCUMENTS = 1 << 20, /* of one prompt */
};

/**
 * struct requests - a .reqs file on its way into a trace
 * @trace: what was read so far
 * @docs: the documents
 * @prefix: ids of the prompt at hand
 * @lines: the file
 * @in: what was asked for
 * @diag: the first thing that is wrong
 */
struct requests {
	struct trace trace;
	struct documents docs;
	struct prefix_ids prefix;
	struct lines *lines;
	struct trace_input *in;
	struct diag *diag;
};

static int no_memory(const struct requests *r)
{
	return diag_set(r->diag, -ENOMEM, "%s:%llu: not enough memory",
			r->lines->path, (unsigned long long)r->lines->number);
}

static int read_arrival(struct requests *r, struct span text)
{
	struct arrival arrival = {.has_time = !span_is(text, "-")};

	if (arrival.has_time && !moment_parse(text, r->in->unit, &arrival.at) &&
	    !moment_of_day(text, &arrival.at))
		return lines_bad(r->lines, r->diag, "arrival",
				 "expected a time from 0 to 2^53 ms, a day and "
				 "a time, or \"-\" (%.*s)",
				 SPAN_ARGS(text));
	return arrival_add(&r->in->arrivals, &arrival, "arrival",
			   r->in->opt.strict, r->lines, r->diag);
}

static int read_count(struct requests *r, const char *field, struct span text,
		      uint32_t *count)
{
	uint64_t value;

	if (!span_u64(text, 0, INT32_MAX, &value))
		return lines_bad(r->lines, r->diag, field,
				 "expected a whole number from 0 to %d (%.*s)",
				 INT32_MAX, SPAN_ARGS(text));
	*count = (uint32_t)value;
	return 0;
}

static int check_room(struct requests *r, uint32_t tokens)
{
	return input_check_prompt(r->in, r->lines, "documents",
				  (uint64_t)r->prefix.len + tokens, r->diag);
}

static int add_document(struct requests *r, struct span text)
{
	uint32_t place = DOCUMENT_NONE;
	uint32_t tokens;
	uint64_t id;
	int ret;

	if (!span_u64(text, 0, UINT64_MAX, &id))
		return lines_bad(r->lines, r->diag, "documents",
				 "expected ids apart by commas (\"%.*s\")",
				 SPAN_ARGS(text));
	place = documents_find(&r->docs, id);
	if (place == DOCUMENT_NONE)
		return lines_bad(r->lines, r->diag, "documents",
				 "expected ids that the .docs file has "
				 "(%" PRIu64 ")",
				 id);
	tokens = r->docs.tokens[place];
	ret = check_room(r, tokens);
	if (ret)
		return ret;
	return prefix_ids_document(&r->prefix, place, tokens) ? no_memory(r)
							      : 0;
}

static int add_documents(struct requests *r, struct span list)
{
	struct span text;
	int num = 0;

	prefix_ids_begin(&r->prefix);
	while (span_cut(&list, ',', &text)) {
		int ret = add_document(r, text);

		if (ret)
			return ret;
		if (++num > MAX_DOCUMENTS)
			return lines_bad(r->lines, r->diag, "documents",
					 "expected at most %d (more)",
					 MAX_DOCUMENTS);
	}
	return 0;
}

static int add_question(struct requests *r, uint32_t tokens)
{
	int ret = check_room(r, tokens);

	if (ret)
		return ret;
	return prefix_ids_own(&r->prefix, tokens) ? no_memory(r) : 0;
}

enum {
	FIELD_ARRIVAL,
	FIELD_OUTPUT,
	FIELD_QUESTION,
	FIELD_DOCUMENTS,
	FIELD_TENANT,
	NUM_FIELDS,
	MIN_FIELDS = FIELD_TENANT,
};

static int split_line(struct requests *r, struct span line,
		      struct span field[NUM_FIELDS])
{
	struct span more;
	int num = 0;

	while (num < NUM_FIELDS && span_cut(&line, '\t', &field[num]))
		num++;
	if (num >= MIN_FIELDS && !span_cut(&line, '\t', &more)) {
		if (num == MIN_FIELDS)
			field[FIELD_TENANT] = (struct span){NULL, 0};
		return 0;
	}
	return lines_bad(r->lines, r->diag, "line",
			 "expected arrival, output tokens, question tokens and "
			 "document ids, apart by tabs (%s%d fields%s)",
			 num == NUM_FIELDS ? "over " : "", num,
			 r->lines->whole ? "" : "; the file may be cut off");
}

static int read_line(struct requests *r, struct span line)
{
	struct span field[NUM_FIELDS];
	struct trace_req req = {0};
	uint32_t question;
	int ret = split_line(r, line, field);

	if (!ret)
		ret = read_arrival(r, field[FIELD_ARRIVAL]);
	if (!ret && !span_is(field[FIELD_OUTPUT], "-"))
		ret = read_count(r, "output", field[FIELD_OUTPUT],
				 &req.output_len);
	if (!ret)
		ret = read_count(r, "question", field[FIELD_QUESTION],
				 &question);
	if (!ret)
		ret = add_documents(r, field[FIELD_DOCUMENTS]);
	if (!ret)
		ret = add_question(r, question);
	if (!ret)
		ret = input_count_blocks(r->in, r->lines, r->prefix.ids.num_ids,
					 r->diag);
	if (ret)
		return ret;
	if (field[FIELD_TENANT].len)
		req.tenant = id_of_tenant(field[FIELD_TENANT]);
	req.len = r->prefix.len;
	req.num_ids = (uint32_t)r->prefix.ids.num_ids;
	return trace_add(&r->trace, &req, &r->prefix.ids) ? no_memory(r) : 0;
}

static int read_lines(struct requests *r)
{
	struct span line;
	int ret;

	while ((ret = lines_next(r->lines, &line.at, &line.len, r->diag)) > 0) {
		if (*line.at == '#')
			continue;
		ret = read_line(r, line);
		if (ret)
			return ret;
	}
	if (ret || r->trace.num_reqs)
		return ret;
	return diag_set(r->diag, -EINVAL,
			"%s: expected at least one request (no requests)",
			r->lines->path);
}

static int read_requests(struct trace *trace, struct requests *r)
{
	uint32_t asked = r->in->opt.block_size;
	uint32_t block = asked ? asked : DEFAULT_BLOCK;
	int ret;

	trace_init(&r->trace, block);
	prefix_ids_init(&r->prefix, block);
	ret = read_lines(r);
	prefix_ids_destroy(&r->prefix);
	if (ret)
		trace_destroy(&r->trace);
	else
		*trace = r->trace;
	return ret;
}

int trace_parse_docs(struct trace *trace, struct lines *docs,
		     struct lines *reqs, struct trace_input *in,
		     struct diag *diag)
{
	struct requests r = {.lines = reqs, .in = in, .diag = diag};
	int ret = documents_read(&r.docs, docs, diag);

	if (ret)
		return ret;
	in->field = "arrival";
	snprintf(in->file, sizeof(in->file), "%s", reqs->path);
	input_unit(in, TIME_MS);
	ret = read_requests(trace, &r);
	documents_destroy(&r.docs);
	return ret;
}
