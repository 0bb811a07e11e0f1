/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/cost/device.h"
#include "tools/base/csv.h"
#include "tools/base/mem.h"
#include "tools/base/number.h"
#include "tools/base/span.h"
#include "tools/base/unpack.h"

/* A step that takes an hour, or no time, shows a mistake of units. */
#define MIN_SECONDS 1e-7
#define MAX_SECONDS 3600.0

/* 2^31 tokens have no more pairs than this. */
#define MAX_PAIRS 2.4e18

enum column {
	COLUMN_TOKENS,
	COLUMN_PAIRS,
	COLUMN_REQUESTS,
	COLUMN_SECONDS,
	NUM_NAMED,
};

static const char *const names[NUM_NAMED] = {"tokens", "pairs", "requests",
					     "seconds"};

/**
 * struct reader - a file on its way
 * @steps: what was read so far
 * @lines: the file
 * @csv: its columns
 * @diag: the first thing that is wrong
 */
struct reader {
	struct steps steps;
	struct lines *lines;
	struct csv csv;
	struct diag *diag;
};

static int check_columns(const struct reader *r)
{
	const int *place = r->csv.place;

	if (place[COLUMN_SECONDS] >= 0 &&
	    (place[COLUMN_REQUESTS] >= 0 ||
	     (place[COLUMN_TOKENS] >= 0 && place[COLUMN_PAIRS] >= 0)))
		return 0;
	return lines_bad(r->lines, r->diag, "line",
			 "expected a header with seconds, and requests or "
			 "tokens and pairs (no %s)",
			 place[COLUMN_SECONDS] < 0   ? "seconds"
			 : place[COLUMN_TOKENS] >= 0 ? "pairs"
			 : place[COLUMN_PAIRS] >= 0  ? "tokens"
						     : "requests");
}

static int read_header(struct reader *r, struct span line)
{
	int ret = csv_header(&r->csv, r->lines, line, r->diag);

	return ret ? ret : check_columns(r);
}

/* One chunk, POSITION+NEW. */
static bool add_chunk(struct span chunk, struct step *step)
{
	struct span first;
	uint64_t position, count;

	if (!span_cut(&chunk, '+', &first) || !chunk.at ||
	    !span_u64(first, 0, INT32_MAX, &position) ||
	    !span_u64(span_trim(chunk), 1, INT32_MAX, &count) ||
	    position + count > INT32_MAX)
		return false;
	step->tokens += (double)count;
	step->pairs += fw_device_pairs((uint32_t)position, (uint32_t)count);
	return step->tokens <= INT32_MAX;
}

static int read_requests(struct reader *r, struct span text, struct step *step)
{
	struct span part, chunk;

	while (span_cut(&text, ';', &part))
		while (span_cut(&part, ' ', &chunk))
			if (chunk.len && !add_chunk(chunk, step))
				return lines_bad(r->lines, r->diag, "requests",
						 "expected POSITION+NEW, in "
						 "tokens (%.*s)",
						 SPAN_ARGS(chunk));
	if (step->tokens > 0.0)
		return 0;
	return lines_bad(r->lines, r->diag, "requests",
			 "expected at least one POSITION+NEW (none)");
}

static int read_counts(struct reader *r, const struct span *fields,
		       struct step *step)
{
	uint64_t tokens;

	if (!span_u64(fields[COLUMN_TOKENS], 1, INT32_MAX, &tokens))
		return lines_bad(r->lines, r->diag, "tokens",
				 "expected a whole number from 1 to %d (%.*s)",
				 INT32_MAX, SPAN_ARGS(fields[COLUMN_TOKENS]));
	step->tokens = (double)tokens;
	/* Each token attends at least to itself. */
	if (!span_real(fields[COLUMN_PAIRS], step->tokens, MAX_PAIRS,
		       &step->pairs))
		return lines_bad(r->lines, r->diag, "pairs",
				 "expected a number, at least the tokens "
				 "(%.*s)",
				 SPAN_ARGS(fields[COLUMN_PAIRS]));
	return 0;
}

static int add(struct reader *r, const struct step *step)
{
	struct steps *steps = &r->steps;
	struct step *list = mem_grow(steps->list, &steps->cap, steps->num + 1,
				     sizeof(*list));

	if (!list)
		return diag_set(r->diag, -ENOMEM, "%s: not enough memory",
				r->lines->path);
	steps->list = list;
	steps->list[steps->num++] = *step;
	return 0;
}

static int read_row(struct reader *r, struct span line)
{
	struct step step = {.line = r->lines->number};
	struct span fields[NUM_NAMED];
	int ret = csv_split(&r->csv, r->lines, line, fields, r->diag);

	if (ret)
		return ret;
	if (!span_real(fields[COLUMN_SECONDS], MIN_SECONDS, MAX_SECONDS,
		       &step.seconds))
		return lines_bad(r->lines, r->diag, "seconds",
				 "expected seconds from %g to %g (%.*s)",
				 MIN_SECONDS, MAX_SECONDS,
				 SPAN_ARGS(fields[COLUMN_SECONDS]));
	if (csv_has(&r->csv, COLUMN_REQUESTS))
		ret = read_requests(r, fields[COLUMN_REQUESTS], &step);
	else
		ret = read_counts(r, fields, &step);
	return ret ? ret : add(r, &step);
}

static int read_lines(struct reader *r)
{
	struct span line;
	int ret;

	while ((ret = lines_next(r->lines, &line.at, &line.len, r->diag)) > 0) {
		if (*line.at == '#')
			continue;
		ret = r->csv.num_columns ? read_row(r, line)
					 : read_header(r, line);
		if (ret)
			return ret;
	}
	if (ret || r->steps.num)
		return ret;
	return diag_set(r->diag, -EINVAL,
			"%s: expected at least one measured step (none)",
			r->lines->path);
}

int steps_parse(struct steps *steps, struct lines *lines, struct diag *diag)
{
	struct reader r = {
		.lines = lines,
		.csv = {.names = names, .num_names = NUM_NAMED},
		.diag = diag,
	};
	int ret = read_lines(&r);

	if (ret)
		steps_destroy(&r.steps);
	else
		*steps = r.steps;
	return ret;
}

static int parse(void *steps, struct lines *lines, struct diag *diag)
{
	return steps_parse(steps, lines, diag);
}

int steps_read(struct steps *steps, const char *path, struct diag *diag)
{
	return unpack_read(path, parse, steps, diag);
}

void steps_destroy(struct steps *steps)
{
	free(steps->list);
	*steps = (struct steps){.list = NULL};
}
