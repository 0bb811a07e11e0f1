/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "golden.h"

static const struct {
	const char *name;
	uint32_t pool_blocks;
} pools[GOLDEN_TRACES] = {
	{"g1", 1000}, {"g2", 100},  {"g3", 10},	  {"g4", 8},   {"g5", 2000},
	{"g6", 400},  {"g7", 6000}, {"g8", 6000}, {"g9", 865},
};

const char *shared_path(const char *name)
{
	static char path[4096];
	const char *folder = getenv("FAIRWAY_SHARED");

	if (!folder || !*folder)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return access(path, R_OK) == 0 ? path : NULL;
}

static int read_ids(struct naive_request *req, const json_t *list)
{
	size_t full = req->len / GOLDEN_BLOCK;
	uint64_t *ids;

	if (json_array_size(list) < full)
		return -EINVAL;
	ids = calloc(full + 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < full; i++)
		ids[i] = (uint64_t)json_integer_value(json_array_get(list, i));
	req->ids = ids;
	req->num_ids = (uint32_t)full;
	return 0;
}

static int read_request(struct naive_request *req, const char *line)
{
	json_t *object = json_loads(line, 0, NULL);
	const json_t *stamp = json_object_get(object, "timestamp");
	const json_t *len = json_object_get(object, "input_length");
	int err = -EINVAL;

	if (json_is_number(stamp) && json_is_integer(len)) {
		req->arrival = json_number_value(stamp) / 1000;
		req->len = (uint32_t)json_integer_value(len);
		err = read_ids(req, json_object_get(object, "hash_ids"));
	}
	json_decref(object);
	return err;
}

static int read_trace(struct golden_trace *trace, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	while (!err && getline(&line, &room, file) > 0) {
		size_t bytes = (trace->num + 1) * sizeof(*trace->reqs);
		struct naive_request *reqs = realloc(trace->reqs, bytes);

		if (!reqs) {
			err = -ENOMEM;
			break;
		}
		trace->reqs = reqs;
		err = read_request(&reqs[trace->num], line);
		if (!err)
			trace->num++;
	}
	free(line);
	return err;
}

static int load_trace(struct golden_trace *trace)
{
	char name[32];
	const char *path;
	FILE *file;
	int err;

	snprintf(name, sizeof(name), "golden/%s.jsonl", trace->name);
	path = shared_path(name);
	file = path ? fopen(path, "r") : NULL;
	if (!file)
		return -ENOENT;
	err = read_trace(trace, file);
	fclose(file);
	return err;
}

static int add_row(struct golden *golden, const char *line)
{
	struct golden_row row;
	struct golden_row *rows;

	if (sscanf(line, "%7[^,],%55[^,],%u,%*f,%u,%lf,%u", row.trace,
		   row.policy, &row.id, &row.len, &row.ttft, &row.cached) != 6)
		return -EINVAL;
	rows = realloc(golden->rows, (golden->num_rows + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	rows[golden->num_rows++] = row;
	golden->rows = rows;
	return 0;
}

static int load_rows(struct golden *golden, const char *name)
{
	const char *path = shared_path(name);
	FILE *file = path ? fopen(path, "r") : NULL;
	char line[256];
	int err = 0;

	if (!file)
		return -ENOENT;
	if (!fgets(line, sizeof(line), file)) /* the names of the columns */
		err = -EINVAL;
	while (!err && fgets(line, sizeof(line), file))
		err = add_row(golden, line);
	fclose(file);
	return err;
}

int golden_load(struct golden *golden)
{
	int err = 0;

	memset(golden, 0, sizeof(*golden));
	for (size_t i = 0; i < GOLDEN_TRACES && !err; i++) {
		golden->traces[i].name = pools[i].name;
		golden->traces[i].pool_blocks = pools[i].pool_blocks;
		err = load_trace(&golden->traces[i]);
	}
	if (!err)
		err = load_rows(golden, "golden/expected.csv");
	if (!err)
		err = load_rows(golden, "golden/srpf.csv");
	if (err)
		golden_destroy(golden);
	return err;
}

void golden_destroy(struct golden *golden)
{
	for (size_t i = 0; i < GOLDEN_TRACES; i++) {
		struct golden_trace *trace = &golden->traces[i];

		for (size_t j = 0; j < trace->num; j++)
			free((void *)(uintptr_t)trace->reqs[j].ids);
		free(trace->reqs);
	}
	free(golden->rows);
	memset(golden, 0, sizeof(*golden));
}

const struct golden_trace *golden_find(const struct golden *golden,
				       const struct golden_row *row)
{
	for (size_t i = 0; i < GOLDEN_TRACES; i++) {
		if (strcmp(golden->traces[i].name, row->trace) == 0)
			return &golden->traces[i];
	}
	return NULL;
}

size_t golden_run_rows(const struct golden *golden,
		       const struct golden_row *row)
{
	const struct golden_row *end = golden->rows + golden->num_rows;
	size_t num = 0;

	while (row + num < end && strcmp(row[num].trace, row->trace) == 0 &&
	       strcmp(row[num].policy, row->policy) == 0)
		num++;
	return num;
}

bool golden_matches(const struct golden_row *row, double ttft, uint32_t cached)
{
	/* Half a unit of the last decimal written is the file's own error. */
	return fabs(row->ttft - ttft) <= GOLDEN_TOLERANCE &&
	       row->cached == cached;
}
