/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "tools/base/out.h"
#include "trace.h"

/*
 * The form that reader_mooncake reads. What the reader would refuse is
 * refused here, so that every trace that was written can be read.
 */

/* Largest number up to which doubles tell whole milliseconds apart. */
static const double max_ms = 9007199254740992.0;

static bool is_whole_ms(double ms)
{
	return ms >= 0 && ms <= max_ms && ms == (double)(uint64_t)ms;
}

static int check_request(const struct trace *trace, size_t i, const char *path,
			 struct diag *diag)
{
	const struct trace_req *req = &trace->reqs[i];
	const char *what = NULL;

	if (!is_whole_ms(req->arrival_ms))
		what = "timestamp: expected whole milliseconds from 0 to 2^53";
	else if (i && req->arrival_ms < req[-1].arrival_ms)
		what = "timestamp: expected no falling time";
	else if (!req->len || req->len > INT32_MAX)
		what = "input_length: expected 1 to 2147483647 tokens";
	else if (req->output_len > INT32_MAX)
		what = "output_length: expected at most 2147483647 tokens";
	else if (req->num_ids != req->len / trace->block_size)
		what = "hash_ids: expected one id for each full block";
	if (!what)
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: request %zu: %s (%.17g ms, %u and %u tokens, %u "
			"ids in blocks of %u)",
			path, i, what, req->arrival_ms, req->len,
			req->output_len, req->num_ids, trace->block_size);
}

static int check_phases(const struct trace *trace, const char *path,
			struct diag *diag)
{
	if (trace->num_phases > TRACE_MAX_PHASES)
		return diag_set(diag, -EINVAL,
				"%s: phase: expected at most %d different ones "
				"(%u)",
				path, TRACE_MAX_PHASES, trace->num_phases);
	for (uint32_t i = 0; i < trace->num_phases; i++) {
		size_t len = strlen(trace->phases[i]);

		if (!len || len > TRACE_MAX_PHASE_NAME)
			return diag_set(diag, -EINVAL,
					"%s: phase: expected a name of 1 to %d "
					"bytes (\"%s\")",
					path, TRACE_MAX_PHASE_NAME,
					trace->phases[i]);
	}
	return 0;
}

/* All of it before the file is opened: standard output has no way back. */
static int check_trace(const struct trace *trace, const char *path,
		       struct diag *diag)
{
	int ret = check_phases(trace, path, diag);

	if (!trace->num_reqs)
		return diag_set(diag, -EINVAL,
				"%s: expected at least one request "
				"(no requests)",
				path);
	for (size_t i = 0; i < trace->num_reqs && !ret; i++)
		ret = check_request(trace, i, path, diag);
	return ret;
}

static void put_key(yajl_gen json, const char *key)
{
	yajl_gen_string(json, (const unsigned char *)key, strlen(key));
}

/* yajl's own integers are signed. */
static void put_u64(yajl_gen json, uint64_t value)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, value);

	yajl_gen_number(json, text, (size_t)len);
}

static void put_ids(yajl_gen json, const struct trace *trace,
		    const struct trace_req *req)
{
	const struct id_run *run = trace->runs + req->first_run;
	const struct id_run *end = run + req->num_runs;

	put_key(json, "hash_ids");
	yajl_gen_array_open(json);
	for (; run < end; run++)
		for (uint32_t i = 0; i < run->num; i++)
			put_u64(json, id_run_first(run) + i);
	yajl_gen_array_close(json);
}

static void put_request(yajl_gen json, const struct trace *trace, size_t i,
			bool with_phase, bool with_tenant)
{
	const struct trace_req *req = &trace->reqs[i];

	yajl_gen_map_open(json);
	put_key(json, "timestamp");
	put_u64(json, (uint64_t)req->arrival_ms);
	put_key(json, "input_length");
	put_u64(json, req->len);
	put_key(json, "output_length");
	put_u64(json, req->output_len);
	if (with_phase) {
		put_key(json, "phase");
		put_key(json, trace->phases[req->phase]);
	}
	if (with_tenant) {
		put_key(json, "tenant");
		put_u64(json, req->tenant);
	}
	if (!i) {
		put_key(json, "block_size");
		put_u64(json, trace->block_size);
	}
	if (!i && trace->kv_blocks) {
		put_key(json, "kv_blocks");
		put_u64(json, trace->kv_blocks);
	}
	put_ids(json, trace, req);
	yajl_gen_map_close(json);
}

/* The next object may follow after this. */
static void put_line(yajl_gen json, FILE *file)
{
	const unsigned char *text;
	size_t len;

	yajl_gen_get_buf(json, &text, &len);
	fwrite(text, 1, len, file);
	fputc('\n', file);
	yajl_gen_reset(json, NULL);
	yajl_gen_clear(json);
}

static bool has_phases(const struct trace *trace)
{
	return trace->num_phases > 1 || strcmp(trace->phases[0], "all");
}

static bool has_tenants(const struct trace *trace)
{
	for (size_t i = 0; i < trace->num_reqs; i++)
		if (trace->reqs[i].tenant)
			return true;
	return false;
}

static int write_lines(const struct trace *trace, struct out *out,
		       struct diag *diag)
{
	bool with_phase = has_phases(trace), with_tenant = has_tenants(trace);
	yajl_gen json = yajl_gen_alloc(NULL);

	if (!json)
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				out->path);
	for (size_t i = 0; i < trace->num_reqs; i++) {
		put_request(json, trace, i, with_phase, with_tenant);
		put_line(json, out->file);
	}
	yajl_gen_free(json);
	return 0;
}

int trace_write_mooncake(const struct trace *trace, const char *path,
			 struct diag *diag)
{
	struct out out;
	int ret = check_trace(trace, path, diag);

	if (ret)
		return ret;
	ret = out_open(&out, path, diag);
	if (ret)
		return ret;
	ret = write_lines(trace, &out, diag);
	if (!ret)
		return out_commit(&out, diag);
	out_abort(&out);
	return ret;
}
