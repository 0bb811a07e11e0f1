/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include <fairway/fairway.h>

#include "tools/base/json_value.h"
#include "tools/base/out.h"
#include "runs.h"

/*
 * A finished run is one file, written beside and renamed, so that whatever
 * ends the command leaves whole files only. The file repeats all that the run
 * was made of; where that is not what is asked for, the run is made again.
 */

#define SCHEMA "fairway.paper-run/2"

int paper_store_open(const char *folder, struct diag *diag)
{
	struct stat st;

	if (!mkdir(folder, 0777))
		return 0;
	if (errno == EEXIST && !stat(folder, &st) && S_ISDIR(st.st_mode))
		return 0;
	return diag_set(diag, -errno, "--resume %s: %s", folder,
			strerror(errno == EEXIST ? ENOTDIR : errno));
}

static void make_key(const struct paper_run *run, char *key, size_t size)
{
	snprintf(key, size, "fairway %s; %s; %016" PRIx64 "; %s", fw_version(),
		 run->scenario->name, run->scenario->hash, run->policy);
}

/* Named so that one sees what it is; the digits keep inputs apart. */
static int make_path(const struct paper_run *run, const char *folder,
		     char *path, size_t size)
{
	int num =
		snprintf(path, size, "%s/%s_%s_%016" PRIx64 ".json", folder,
			 run->scenario->name, run->policy, run->scenario->hash);

	if (num < 0 || (size_t)num >= size)
		return -ENAMETOOLONG;
	for (char *at = path + strlen(folder) + 1; *at; at++)
		if (strchr(" :=/", *at))
			*at = '-';
	return 0;
}

static json_t *quantiles(const struct quantiles *q)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "num",
			 json_count(q->num), "mean", json_finite(q->mean),
			 "p50", json_finite(q->p50), "p90", json_finite(q->p90),
			 "p99", json_finite(q->p99), "max",
			 json_finite(q->max));
}

static json_t *groups(const struct paper_figures *f)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < f->num_groups; i++)
		json_array_append_new(array,
				      json_pack("{s:s, s:o}", "name",
						f->groups[i].name, "ttft_s",
						quantiles(&f->groups[i].ttft)));
	if (json_array_size(array) == f->num_groups)
		return array;
	json_decref(array);
	return NULL;
}

json_t *paper_figures_json(const struct paper_figures *f)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o}",
		"requests", json_count(f->requests), "rejected",
		json_count(f->rejected), "starved", json_count(f->starved),
		"steps", json_count(f->steps), "busy_s", json_finite(f->busy_s),
		"hit_rate", json_finite(f->hit_rate), "worst_ttft_s", "miss",
		json_finite(f->worst_miss), "hit", json_finite(f->worst_hit),
		"ttft_s", quantiles(&f->ttft), "groups", groups(f));
}

/* A missing figure stands as null. */
static double real_of(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : NO_FIGURE;
}

static uint64_t count_of(const json_t *object, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(object, name));
}

static void read_quantiles(struct quantiles *q, const json_t *from)
{
	*q = (struct quantiles){
		.num = count_of(from, "num"),
		.mean = real_of(from, "mean"),
		.p50 = real_of(from, "p50"),
		.p90 = real_of(from, "p90"),
		.p99 = real_of(from, "p99"),
		.max = real_of(from, "max"),
	};
}

static bool read_groups(struct paper_figures *f, const json_t *from)
{
	size_t num = json_array_size(from);

	if (!json_is_array(from) || num > PAPER_MAX_GROUPS)
		return false;
	for (size_t i = 0; i < num; i++) {
		const json_t *one = json_array_get(from, i);
		const char *name =
			json_string_value(json_object_get(one, "name"));

		if (!name)
			return false;
		snprintf(f->groups[i].name, sizeof(f->groups[i].name), "%s",
			 name);
		read_quantiles(&f->groups[i].ttft,
			       json_object_get(one, "ttft_s"));
	}
	f->num_groups = (unsigned int)num;
	return true;
}

static bool read_figures(struct paper_figures *f, const json_t *from)
{
	const json_t *worst = json_object_get(from, "worst_ttft_s");

	if (!json_is_object(from))
		return false;
	*f = (struct paper_figures){
		.requests = count_of(from, "requests"),
		.rejected = count_of(from, "rejected"),
		.starved = count_of(from, "starved"),
		.steps = count_of(from, "steps"),
		.busy_s = real_of(from, "busy_s"),
		.hit_rate = real_of(from, "hit_rate"),
		.worst_miss = real_of(worst, "miss"),
		.worst_hit = real_of(worst, "hit"),
	};
	read_quantiles(&f->ttft, json_object_get(from, "ttft_s"));
	return read_groups(f, json_object_get(from, "groups"));
}

static bool says(const json_t *object, const char *name, const char *text)
{
	const char *value = json_string_value(json_object_get(object, name));

	return value && !strcmp(value, text);
}

bool paper_store_take(struct paper_run *run, const char *folder)
{
	struct paper_figures found;
	char path[PATH_MAX], key[512];
	json_t *json;
	bool taken;

	if (make_path(run, folder, path, sizeof(path)))
		return false;
	json = json_load_file(path, 0, NULL);
	make_key(run, key, sizeof(key));
	taken = says(json, "schema", SCHEMA) && says(json, "key", key) &&
		read_figures(&found, json_object_get(json, "figures"));
	if (taken)
		run->figures = found;
	json_decref(json);
	return taken;
}

static int put(const struct paper_run *run, const char *folder,
	       struct diag *diag)
{
	char path[PATH_MAX], key[512];
	struct out out;
	int err = make_path(run, folder, path, sizeof(path));

	if (err)
		return diag_set(diag, err, "--resume %s: %s", folder,
				strerror(-err));
	err = out_open(&out, path, diag);
	if (err)
		return err;
	make_key(run, key, sizeof(key));
	err = json_write(json_pack("{s:s, s:o, s:o}", "schema", SCHEMA, "key",
				   json_text(key), "figures",
				   paper_figures_json(&run->figures)),
			 out.file);
	if (!err)
		return out_commit(&out, diag);
	out_abort(&out);
	return diag_set(diag, err, "--resume %s: %s", path, strerror(-err));
}

/*
 * One at a time: a file waits for its disk, and out.c holds fewer of them open
 * than --jobs has threads.
 */
int paper_store_put(const struct paper_run *run, const char *folder,
		    struct diag *diag)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int err;

	pthread_mutex_lock(&lock);
	err = put(run, folder, diag);
	pthread_mutex_unlock(&lock);
	return err;
}
