/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tools/base/grid.h"
#include "analyze.h"

#define WRAP_WIDTH 78

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
		100.0 * analyze_share(a->cached_tokens, a->prompt_tokens),
		100.0 * analyze_share(a->hits, a->requests));
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
		100.0 * analyze_share(q->together, q->arrivals), q->waiting.p50,
		q->waiting.p90, q->max_waiting, q->wait_s.p50, q->wait_s.p90);
	if (a->from != QUEUE_SIMULATED)
		fprintf(to,
			"  in the simulation: two or more at %.1f%%; median "
			"%.3f s, p90 %.3f s\n",
			100.0 * analyze_share(a->simulated.together,
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

		grid_indented(grid, analyze_policy_names[i]);
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
	char why[ANALYZE_REASON_SIZE];

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
