/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "tools/base/json_value.h"
#include "analyze.h"

static json_t *pair(struct pair pair)
{
	return json_pack("{s:o, s:o}", "p50", json_finite(pair.p50), "p90",
			 json_finite(pair.p90));
}

static json_t *name_or_null(const char *name)
{
	return name ? json_text(name) : json_null();
}

/* Requests a second; a log's are not told, it says its times by itself. */
static json_t *pace(const struct analysis *a)
{
	if (a->form || a->span_s <= 0.0)
		return json_null();
	return json_finite((double)(a->results[0].num_reqs - 1) / a->span_s);
}

static json_t *input(const struct analysis *a)
{
	const char *form = a->form ? a->form : a->source.form;

	return json_pack(
		"{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o}",
		"name", json_text(a->path), "kind", a->form ? "log" : "trace",
		"form", name_or_null(form), "time_unit",
		name_or_null(a->source.unit), "requests_per_s", pace(a),
		"requests", json_count(a->requests), "left_out",
		json_count(a->left_out), "rejected", json_count(a->rejected),
		"prompt_tokens", json_count(a->prompt_tokens), "hit_rate",
		json_finite(analyze_share(a->cached_tokens, a->prompt_tokens)),
		"requests_with_hit",
		json_finite(analyze_share(a->hits, a->requests)), "span_s",
		json_finite(a->span_s));
}

static json_t *device(const struct analysis *a)
{
	const struct sim_config *config = a->config;

	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", config->device,
			 "table", a->table ? json_text(a->table) : json_null(),
			 "budget", json_count(config->budget), "max_running",
			 json_count(config->max_running), "kv_blocks",
			 a->form ? json_null() : json_count(config->kv_blocks));
}

static json_t *queue(const struct analysis *a)
{
	static const char *const from[] = {
		[QUEUE_LOGGED] = "start_s",
		[QUEUE_FROM_TTFT] = "ttft_s",
		[QUEUE_SIMULATED] = "simulation",
	};
	const struct queue_spread *q = &a->queue;

	return json_pack("{s:s, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o, "
			 "s:{s:o, s:o, s:o}}",
			 "from", from[a->from], "instants",
			 json_count(q->arrivals), "with_two_or_more",
			 json_count(q->together), "share_with_two_or_more",
			 json_finite(analyze_share(q->together, q->arrivals)),
			 "waiting", "p50", json_finite(q->waiting.p50), "p90",
			 json_finite(q->waiting.p90), "max",
			 json_finite(q->max_waiting), "wait_s", pair(q->wait_s),
			 "simulated", "share_with_two_or_more",
			 json_finite(analyze_share(a->simulated.together,
						   a->simulated.arrivals)),
			 "wait_s", pair(a->simulated.wait_s), "astray",
			 json_boolean(a->astray));
}

static json_t *times(const struct node_times *t)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "device",
			 t->device ? json_text(t->device) : json_null(), "p50",
			 json_finite(t->p50), "p99", json_finite(t->p99),
			 "apart", json_finite(t->apart), "fits",
			 json_boolean(node_fits(t)));
}

static json_t *devices(const struct match *m)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < m->num_devices; i++)
		if (json_array_append_new(array, times(&m->devices[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/* A log's times beside the simulated ones; null where there are none. */
static json_t *match(const struct analysis *a)
{
	const struct match *m = &a->match;

	if (m->times == LOG_NO_TIMES)
		return json_null();
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "of", match_times_text(m),
			 "under", a->names[m->under], "logged",
			 times(&m->logged), "simulated", times(&m->simulated),
			 "devices", devices(m));
}

static json_t *gain_p99(const struct analysis *a, unsigned int i)
{
	return analyze_tells_p99(a, i) ? json_finite(a->gains[i].p99)
				       : json_null();
}

static json_t *policy(const struct analysis *a, unsigned int i)
{
	const struct quantiles *q = &a->sums[i].ttft;

	return json_pack("{s:s, s:{s:o, s:o, s:o, s:o, s:o}, s:{s:o, s:o}, "
			 "s:o}",
			 "name", a->names[i], "ttft_s", "mean",
			 json_finite(q->mean), "p50", json_finite(q->p50),
			 "p90", json_finite(q->p90), "p99", json_finite(q->p99),
			 "max", json_finite(q->max), "gain", "p50",
			 json_finite(a->gains[i].p50), "p99", gain_p99(a, i),
			 "hit_rate", json_finite(a->sums[i].hit_rate));
}

static json_t *policies(const struct analysis *a)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < a->num; i++)
		if (json_array_append_new(array, policy(a, i))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *simulation(const struct analysis *a)
{
	return json_pack("{s:o, s:s, s:o}", "load", json_finite(a->load),
			 "base", a->names[a->base], "policies", policies(a));
}

/* The gain of the verdict; null where the node is not the logged one. */
static json_t *gain(const struct analysis *a)
{
	if (a->verdict == VERDICT_OTHER_NODE)
		return json_null();
	return json_pack("{s:s, s:o, s:o}", "policy", a->names[a->best], "p50",
			 json_finite(a->gains[a->best].p50), "p99",
			 gain_p99(a, a->best));
}

static json_t *advice(const struct analysis *a)
{
	char text[ANALYZE_REASON_SIZE];

	if (a->verdict != VERDICT_OTHER_NODE)
		return json_null();
	advice_text(a, text, sizeof(text));
	return json_text(text);
}

static json_t *thresholds(void)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:i}",
			 "share_with_two_or_more", ANALYZE_MIN_TOGETHER,
			 "hit_rate", ANALYZE_MIN_HIT_RATE, "p90_over_p10",
			 ANALYZE_MIN_SPREAD, "gain_worth_it", ANALYZE_MIN_GAIN,
			 "gain_pays", ANALYZE_GOOD_GAIN, "p99_loss",
			 ANALYZE_MAX_LOSS, "longest", ANALYZE_MAX_WORST,
			 "apart", MATCH_MAX_APART, "medians_equal", ANALYZE_TIE,
			 "requests_over_p99", ANALYZE_MIN_TAIL);
}

int analyze_json(const struct analysis *a, FILE *to)
{
	char why[ANALYZE_REASON_SIZE];

	reason_text(a, why, sizeof(why));
	return json_write(
		json_pack("{s:s, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o, "
			  "s:s, s:o, s:o, s:o}",
			  "schema", "fairway.analyze/2", "input", input(a),
			  "device", device(a), "queue", queue(a), "spread",
			  "max_over_min", pair(a->queue.max_min),
			  "p90_over_p10", pair(a->queue.p90_p10), "match",
			  match(a), "simulation", simulation(a), "gain",
			  gain(a), "verdict", verdict_text(a->verdict),
			  "reason", json_text(why), "advice", advice(a),
			  "thresholds", thresholds()),
		to);
}
