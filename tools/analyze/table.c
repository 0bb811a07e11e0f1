/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/grid.h"
#include "tools/base/json_value.h"
#include "analyze.h"

#define WRAP_WIDTH 78
#define REASON_SIZE 400

static const char *const policy_names[ANALYZE_POLICIES] = {
	[ANALYZE_FCFS] = "fcfs",
	[ANALYZE_LPM] = "lpm",
	[ANALYZE_FAIRWAY] = "fairway",
};

const char *verdict_text(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PAYS:
		return "reordering pays";
	case VERDICT_LITTLE:
		return "pays little";
	default:
		return "not worth it";
	}
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NO_FIGURE;
}

/* "59% shorter", "7% longer", "the same". */
static const char *change(double gain, char *buf, size_t size)
{
	long percent = lround(100.0 * gain);

	if (percent)
		snprintf(buf, size, "%ld%% %s", labs(percent),
			 percent > 0 ? "shorter" : "longer");
	else
		snprintf(buf, size, "the same");
	return buf;
}

static const char *cause(const struct analysis *a, char *buf, size_t size)
{
	const struct queue_spread *queue = &a->queue;
	uint64_t alone = queue->arrivals - queue->together;

	switch (a->reason) {
	case REASON_SHORT_QUEUE:
		snprintf(buf, size,
			 "fewer than two requests wait at %.1f%% of the "
			 "arrivals",
			 100.0 * share(alone, queue->arrivals));
		break;
	case REASON_FEW_HITS:
		snprintf(buf, size,
			 "only %.1f%% of the prompt tokens are cached",
			 100.0 * share(a->cached_tokens, a->prompt_tokens));
		break;
	case REASON_TAIL:
		snprintf(buf, size, "the tail pays for the median");
		break;
	default:
		snprintf(buf, size,
			 "the work of requests that wait together is spread "
			 "%s%.1f times (p90/p10)",
			 a->reason == REASON_NARROW ? "only " : "",
			 queue->p90_p10.p50);
	}
	return buf;
}

void reason_text(const struct analysis *a, char *buf, size_t size)
{
	bool for_it = a->reason == REASON_WIDE;
	bool although = for_it != (a->verdict == VERDICT_PAYS);
	char why[128], p50[32], p99[32];

	if (a->reason == REASON_TAIL)
		although = false;
	snprintf(buf, size,
		 "%s%s%s fairway's simulated median is %s%s "
		 "first-come-first-served's, its p99 %s%s",
		 although ? "although " : "", cause(a, why, sizeof(why)),
		 although ? "," : ";", change(a->gain_p50, p50, sizeof(p50)),
		 lround(100.0 * a->gain_p50) ? " than" : " as",
		 change(a->gain_p99, p99, sizeof(p99)),
		 a->astray ? "; but the simulated queue is far from the logged "
			     "one: --device or --table should name the node"
			   : "");
}

static json_t *pair(struct pair pair)
{
	return json_pack("{s:o, s:o}", "p50", json_finite(pair.p50), "p90",
			 json_finite(pair.p90));
}

static json_t *input(const struct analysis *a)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "name", json_text(a->path), "kind",
			 a->form ? "log" : "trace", "form",
			 a->form ? json_text(a->form) : json_null(), "requests",
			 json_count(a->requests), "left_out",
			 json_count(a->left_out), "rejected",
			 json_count(a->rejected), "prompt_tokens",
			 json_count(a->prompt_tokens), "hit_rate",
			 json_finite(share(a->cached_tokens, a->prompt_tokens)),
			 "requests_with_hit",
			 json_finite(share(a->hits, a->requests)), "span_s",
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
			 json_finite(share(q->together, q->arrivals)),
			 "waiting", "p50", json_finite(q->waiting.p50), "p90",
			 json_finite(q->waiting.p90), "max",
			 json_finite(q->max_waiting), "wait_s", pair(q->wait_s),
			 "simulated", "share_with_two_or_more",
			 json_finite(share(a->simulated.together,
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
			 "name", policy_names[i], "ttft_s", "mean",
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
	char why[REASON_SIZE];

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

static void print_requests(const struct analysis *a, FILE *to)
{
	char requests[32], tokens[32];

	format_count(requests, sizeof(requests), a->requests);
	format_count(tokens, sizeof(tokens), a->prompt_tokens);
	fprintf(to, "%s: %s requests in %.1f s, %s prompt tokens\n", a->path,
		requests, a->span_s, tokens);
	if (a->left_out || a->rejected) {
		format_count(requests, sizeof(requests),
			     a->form ? a->left_out : a->rejected);
		fprintf(to, "  left out: %s that %s\n", requests,
			a->form ? "never started" : "do not fit the KV pool");
	}
	fprintf(to,
		"  cached: %.1f%% of the tokens; %.1f%% of the requests "
		"have a hit\n",
		100.0 * share(a->cached_tokens, a->prompt_tokens),
		100.0 * share(a->hits, a->requests));
}

static void print_queue(const struct analysis *a, FILE *to)
{
	const struct queue_spread *q = &a->queue;

	fprintf(to, "\nQueue, looked at at each arrival; ");
	if (a->from == QUEUE_LOGGED)
		fprintf(to, "as logged\n");
	else if (a->from == QUEUE_FROM_TTFT)
		fprintf(to,
			"starts are the first tokens' times less\n"
			"the prefill alone on %s\n",
			a->config->device);
	else
		fprintf(to, "simulated on %s, first come, first served\n",
			a->config->device);
	fprintf(to,
		"  two or more wait at %.1f%% of the arrivals\n"
		"  waiting: median %.0f, p90 %.0f, at most %.0f\n"
		"  time to start: median %.3f s, p90 %.3f s\n",
		100.0 * share(q->together, q->arrivals), q->waiting.p50,
		q->waiting.p90, q->max_waiting, q->wait_s.p50, q->wait_s.p90);
	if (a->from != QUEUE_SIMULATED)
		fprintf(to,
			"  in the simulation: two or more at %.1f%%; median "
			"%.3f s, p90 %.3f s\n",
			100.0 * share(a->simulated.together,
				      a->simulated.arrivals),
			a->simulated.wait_s.p50, a->simulated.wait_s.p90);
}

static int print_spread(const struct analysis *a, FILE *to)
{
	struct grid grid;
	int err;

	if (!a->queue.together)
		return 0;
	fprintf(to, "\nSpread of the uncached tokens of requests that wait "
		    "together\n");
	grid_init(&grid, 3, 1);
	grid_text(&grid, "");
	grid_text(&grid, "median");
	grid_text(&grid, "p90");
	grid_indented(&grid, "largest / smallest");
	grid_real(&grid, a->queue.max_min.p50, 1);
	grid_real(&grid, a->queue.max_min.p90, 1);
	grid_indented(&grid, "p90 / p10");
	grid_real(&grid, a->queue.p90_p10.p50, 1);
	grid_real(&grid, a->queue.p90_p10.p90, 1);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	return err;
}

static void fill_policies(const struct analysis *a, struct grid *grid)
{
	const struct quantiles *base = &a->sums[ANALYZE_FCFS].ttft;

	for (int i = 0; i < ANALYZE_POLICIES; i++) {
		const struct quantiles *q = &a->sums[i].ttft;

		grid_indented(grid, policy_names[i]);
		grid_real(grid, q->p50, 3);
		grid_real(grid, q->p99, 3);
		grid_real(grid, q->max, 3);
		grid_real(grid, q->p50 / base->p50, 2);
		grid_real(grid, q->p99 / base->p99, 2);
	}
}

static int print_policies(const struct analysis *a, FILE *to)
{
	static const char *const heads[] = {"",	   "median",	  "p99",
					    "max", "median/fcfs", "p99/fcfs"};
	struct grid grid;
	int err;

	fprintf(to, "\nSimulated time to first token in seconds; %s",
		a->config->device);
	if (isfinite(a->load))
		fprintf(to, ", load %.2f", a->load);
	fputs(a->form ? ", hits as logged\n" : "\n", to);
	grid_init(&grid, 6, 1);
	for (int i = 0; i < 6; i++)
		grid_text(&grid, heads[i]);
	fill_policies(a, &grid);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	return err;
}

/* Words of @text, broken into lines. */
static void print_wrapped(const char *text, FILE *to)
{
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (column && column + 1 + len > WRAP_WIDTH) {
			fputc('\n', to);
			column = 0;
		}
		fprintf(to, "%s%.*s", column ? " " : "  ", (int)len, text);
		column += len + (column ? 1 : 2);
		text += len + (text[len] == ' ');
	}
}

static void print_verdict(const struct analysis *a, FILE *to)
{
	char why[REASON_SIZE];

	reason_text(a, why, sizeof(why));
	fprintf(to, "\nVerdict: %s\n", verdict_text(a->verdict));
	print_wrapped(why, to);
	fprintf(to,
		".\n\nThresholds: a median shorter by %.0f%% is worth it, by "
		"%.0f%% pays; p99 at most %.0f%%\n"
		"longer; two or more wait at %.0f%% of the arrivals, in a log "
		"and its simulation\n"
		"within %.0f times of each other; %.0f%% of the tokens cached; "
		"p90/p10 of %.0f.\n",
		100.0 * ANALYZE_MIN_GAIN, 100.0 * ANALYZE_GOOD_GAIN,
		100.0 * ANALYZE_MAX_LOSS, 100.0 * ANALYZE_MIN_TOGETHER,
		ANALYZE_MAX_ASTRAY, 100.0 * ANALYZE_MIN_HIT_RATE,
		ANALYZE_MIN_SPREAD);
}

int analyze_table(const struct analysis *a, FILE *to)
{
	int err;

	print_requests(a, to);
	print_queue(a, to);
	err = print_spread(a, to);
	if (!err)
		err = print_policies(a, to);
	if (err)
		return err;
	print_verdict(a, to);
	return ferror(to) ? -EIO : 0;
}
