/* SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <errno.h>

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
	id_runs_clear(ids);
	if (id_runs_add(ids, in->next_id, num))
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				lines->path);
	in->next_id += num;
	return 0;
}

int input_settle(struct trace_input *in, struct trace *trace, struct diag *diag)
{
	int ret = arrival_settle(&in->arrivals, trace, &in->opt.rate, in->field,
				 in->file ? in->file : in->lines->path, diag);

	if (ret) {
		trace_destroy(trace);
		return ret;
	}
	trace->source.unit = time_unit_name(in->unit);
	trace->source.unit_asked = in->opt.unit;
	return 0;
}
