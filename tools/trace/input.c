/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <errno.h>
#include <stdio.h>

/*
 * Blocks that a trace may have without listing them: so many in any case, and
 * so many for each byte of the file. Recorded traces have about three for a
 * byte.
 */
#define FREE_BLOCKS (UINT64_C(1) << 20)
#define BLOCKS_A_BYTE UINT64_C(8)

const struct limits *input_limits(const struct trace_input *in)
{
	return in->opt.limits ? in->opt.limits : &limits_default;
}

enum time_unit input_unit(struct trace_input *in, enum time_unit of_form)
{
	in->unit = in->opt.unit ? in->opt.unit : of_form;
	return in->unit;
}

int input_check_prompt(const struct trace_input *in, const struct lines *lines,
		       const char *field, uint64_t tokens, struct diag *diag)
{
	uint64_t max = input_limits(in)->prompt;

	if (tokens <= max)
		return 0;
	return lines_bad(lines, diag, field,
			 "expected a prompt of at most %llu tokens (%llu; "
			 "--limit prompt=N raises it)",
			 (unsigned long long)max, (unsigned long long)tokens);
}

int input_count_blocks(struct trace_input *in, const struct lines *lines,
		       uint64_t num, struct diag *diag)
{
	uint64_t max = input_limits(in)->blocks;

	if (!max)
		max = FREE_BLOCKS + BLOCKS_A_BYTE * lines_file_bytes(lines);
	in->made += num;
	if (in->made <= max)
		return 0;
	return lines_bad(lines, diag, "line",
			 "expected at most %llu blocks in all prompts up to "
			 "here (%llu; --limit blocks=N raises it)",
			 (unsigned long long)max, (unsigned long long)in->made);
}

int input_fresh_ids(struct trace_input *in, const struct lines *lines,
		    struct id_runs *ids, uint32_t num, struct diag *diag)
{
	int ret = input_count_blocks(in, lines, num, diag);

	if (ret)
		return ret;
	in->without_ids++;
	id_runs_clear(ids);
	if (id_runs_add(ids, in->next_id, num))
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				lines->path);
	in->next_id += num;
	return 0;
}

/* The file that messages about times name. */
static const char *times_in(const struct trace_input *in)
{
	return *in->file ? in->file : in->lines->path;
}

/*
 * A clock that began in 1970 tells its unit. Times in a wrong one give a wrong
 * rate, and with it a wrong verdict, so they are not guessed at.
 */
static int check_unit(const struct trace_input *in, const struct trace *trace,
		      struct diag *diag)
{
	double first = trace->source.origin_s * time_unit_per_s(in->unit);
	enum time_unit like = time_unit_of_epoch(first);

	if (in->opt.unit || trace->source.drawn || like == TIME_UNKNOWN ||
	    like == in->unit)
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: %s: expected times in %s (the first, %.0f, looks "
			"like %s since 1970; --time-unit %s reads it so, "
			"--time-unit %s as it is)",
			times_in(in), in->field, time_unit_name(in->unit),
			first, time_unit_name(like), time_unit_name(like),
			time_unit_name(in->unit));
}

int input_settle(struct trace_input *in, struct trace *trace, struct diag *diag)
{
	int ret = arrival_settle(&in->arrivals, trace, &in->opt.rate, in->field,
				 times_in(in), diag);

	if (!ret)
		ret = check_unit(in, trace, diag);
	if (ret) {
		trace_destroy(trace);
		return ret;
	}
	trace->source.unit = time_unit_name(in->unit);
	trace->source.unit_asked = in->opt.unit;
	trace->source.no_ids = in->without_ids == trace->num_reqs;
	return 0;
}

void trace_source_text(char *buf, size_t size,
		       const struct trace_source *source, double rate)
{
	char times[64] = "times drawn";
	char text[64] = "";

	buf[0] = '\0';
	if (!source->form)
		return;
	if (!source->drawn && source->unit)
		snprintf(times, sizeof(times), "times in %s%s", source->unit,
			 source->unit_asked ? " as asked" : "");
	if (rate > 0.0)
		snprintf(text, sizeof(text), ", %.4g requests a second", rate);
	snprintf(buf, size, "read as %s, %s%s%s", source->form, times,
		 source->origin_s > 0.0 ? " from the first arrival on" : "",
		 text);
}
