/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "tools/base/json_value.h"
#include "analyze.h"

static json_t *pair(struct pair pair)
{
	return json_pack("{s:o, s:o}", "p50", json_finite(pair.p50), "p90",
			 json_finite(pair.p90));
}

static json_t *input(const struct analysis *a)
{
	return json_pack(
		"{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
		json_text(a->path), "kind", a->form ? "log" : "trace", "form",
		a->form ? json_text(a->form) : json_null(), "requests",
		json_count(a->requests), "left_out", json_count(a->left_out),
		"rejected", json_count(a->rejected), "prompt_tokens",
		json_count(a->prompt_tokens), "hit_rate",
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

static json_t *policy(const struct analysis *a, int i)
{
	const struct quantiles *base = &a->sums[ANALYZE_FCFS].ttft;
	const struct quantiles *q = &a->sums[i].ttft;

	return json_pack("{s:s, s:{s:o, s:o, s:o, s:o, s:o}, s:{s:o, s:o}, "
			 "s:o}",
			 "name", analyze_policy_names[i], "ttft_s", "mean",
			 json_finite(q->mean), "p50", json_finite(q->p50),
			 "p90", json_finite(q->p90), "p99", json_finite(q->p99),
			 "max", json_finite(q->max), "over_fcfs", "p50",
			 json_finite(q->p50 / base->p50), "p99",
			 json_finite(q->p99 / base->p99), "hit_rate",
			 json_finite(a->sums[i].hit_rate));
}

static json_t *simulation(const struct analysis *a)
{
	return json_pack("{s:o, s:[o, o, o]}", "load", json_finite(a->load),
			 "policies", policy(a, ANALYZE_FCFS),
			 policy(a, ANALYZE_LPM), policy(a, ANALYZE_FAIRWAY));
}

static json_t *thresholds(void)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
			 "share_with_two_or_more", ANALYZE_MIN_TOGETHER,
			 "hit_rate", ANALYZE_MIN_HIT_RATE, "p90_over_p10",
			 ANALYZE_MIN_SPREAD, "gain_worth_it", ANALYZE_MIN_GAIN,
			 "gain_pays", ANALYZE_GOOD_GAIN, "p99_loss",
			 ANALYZE_MAX_LOSS, "astray", ANALYZE_MAX_ASTRAY);
}

int analyze_json(const struct analysis *a, FILE *to)
{
	char why[ANALYZE_REASON_SIZE];

	reason_text(a, why, sizeof(why));
	return json_write(
		json_pack("{s:s, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:{s:o, "
			  "s:o}, s:s, s:s, s:o}",
			  "schema", "fairway.analyze/1", "input", input(a),
			  "device", device(a), "queue", queue(a), "spread",
			  "max_over_min", pair(a->queue.max_min),
			  "p90_over_p10", pair(a->queue.p90_p10), "simulation",
			  simulation(a), "gain", "p50",
			  json_finite(a->gain_p50), "p99",
			  json_finite(a->gain_p99), "verdict",
			  verdict_text(a->verdict), "reason", why, "thresholds",
			  thresholds()),
		to);
}
