/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tools/base/grid.h"
#include "analyze.h"

#define WRAP_WIDTH 78

/* As fairway sim says it. */
static void print_source(const struct analysis *a, FILE *to)
{
	double rate = NO_FIGURE;
	char text[192];

	if (a->span_s > 0.0)
		rate = (double)(a->results[0].num_reqs - 1) / a->span_s;
	trace_source_text(text, sizeof(text), &a->source, rate);
	if (*text)
		fprintf(to, "  %s\n", text);
}

static void print_requests(const struct analysis *a, FILE *to)
{
	char requests[32], tokens[32];

	format_count(requests, sizeof(requests), a->requests);
	format_count(tokens, sizeof(tokens), a->prompt_tokens);
	fprintf(to, "%s: %s requests in %.1f s, %s prompt tokens\n", a->path,
		requests, a->span_s, tokens);
	print_source(a, to);
	if (a->left_out || a->rejected) {
		format_count(requests, sizeof(requests),
			     a->form ? a->left_out : a->rejected);
		fprintf(to, "  left out: %s that %s\n", requests,
			a->form ? "never started or are recorded incomplete"
				: "do not fit the KV pool");
	}
	fprintf(to,
		"  cached: %.1f%% of the tokens; %.1f%% of the requests "
		"have a hit\n",
		100.0 * analyze_share(a->cached_tokens, a->prompt_tokens),
		100.0 * analyze_share(a->hits, a->requests));
	if (a->source.no_ids)
		fputs("  this trace says nothing of prefixes; all is taken as "
		      "uncached\n",
		      to);
}

/* A log's own times say whether the simulation fits it. */
static void print_load_warning(const struct analysis *a, FILE *to)
{
	if (a->form ||
	    (a->load >= ANALYZE_MIN_LOAD && a->load <= ANALYZE_MAX_LOAD) ||
	    !isfinite(a->load))
		return;
	fprintf(to,
		"  Warning: a load of %.3g is not that of a node in use; are "
		"the times in %s?\n"
		"  --time-unit says their unit, --load and --time-scale change "
		"their pace.\n",
		a->load, a->source.unit ? a->source.unit : "their unit");
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
	const struct quantiles *base = &a->sums[a->base].ttft;

	for (unsigned int i = 0; i < a->num; i++) {
		const struct quantiles *q = &a->sums[i].ttft;

		grid_indented(grid, a->names[i]);
		grid_real(grid, q->p50, 3);
		grid_real(grid, q->p99, 3);
		grid_real(grid, q->max, 3);
		grid_real(grid, q->p50 / base->p50, 2);
		grid_real(grid,
			  analyze_tells_p99(a, i) ? q->p99 / base->p99
						  : NO_FIGURE,
			  2);
	}
}

static void policies_head(const struct analysis *a, struct grid *grid)
{
	static const char *const heads[] = {"", "median", "p99", "max"};
	char text[64];

	grid_init(grid, 6, 1);
	for (int i = 0; i < 4; i++)
		grid_text(grid, heads[i]);
	snprintf(text, sizeof(text), "median/%s", a->names[a->base]);
	grid_text(grid, text);
	snprintf(text, sizeof(text), "p99/%s", a->names[a->base]);
	grid_text(grid, text);
}

static int print_policies(const struct analysis *a, FILE *to)
{
	struct grid grid;
	int err;

	fprintf(to, "\nSimulated time to first token in seconds; %s",
		a->config->device);
	if (isfinite(a->load))
		fprintf(to, ", load %.2f", a->load);
	fputs(a->form ? ", hits as logged\n" : "\n", to);
	policies_head(a, &grid);
	fill_policies(a, &grid);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	return err;
}

static void add_times(struct grid *grid, const struct node_times *times,
		      const char *name)
{
	grid_indented(grid, name);
	grid_real(grid, times->p50, 3);
	grid_real(grid, times->p99, 3);
	if (times->apart > 1.0)
		grid_real(grid, times->apart, 1);
	else
		grid_text(grid, "");
	grid_text(grid, times->device && node_fits(times) ? "fits" : "");
}

/* Instead of gains, where the node is not the one that was logged. */
static int print_devices(const struct analysis *a, FILE *to)
{
	static const char *const heads[] = {"", "median", "p99", "apart", ""};
	const struct match *match = &a->match;
	struct grid grid;
	int err;

	fprintf(to,
		"\nThe %s in seconds; simulated first come, first served, "
		"hits as logged\n",
		match_times_text(match));
	grid_init(&grid, 5, 1);
	for (int i = 0; i < 5; i++)
		grid_text(&grid, heads[i]);
	add_times(&grid, &match->logged, "as logged");
	if (!match->num_devices || a->config->own_device)
		add_times(&grid, &match->simulated, a->config->device);
	for (unsigned int i = 0; i < match->num_devices; i++)
		add_times(&grid, &match->devices[i], match->devices[i].device);
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

static void print_reason(const struct analysis *a, FILE *to)
{
	char text[ANALYZE_REASON_SIZE];

	reason_text(a, text, sizeof(text));
	print_wrapped(text, to);
	fputs(".\n", to);
	if (a->verdict != VERDICT_OTHER_NODE)
		return;
	advice_text(a, text, sizeof(text));
	print_wrapped(text, to);
	fputc('\n', to);
}

static void print_verdict(const struct analysis *a, FILE *to)
{
	bool gains = a->verdict == VERDICT_PAYS || a->verdict == VERDICT_LITTLE;

	fprintf(to, "\nVerdict: %s%s%s\n", verdict_text(a->verdict),
		gains ? ", with " : "", gains ? a->names[a->best] : "");
	print_reason(a, to);
	print_load_warning(a, to);
	if (a->form && a->match.times == LOG_NO_TIMES)
		fprintf(to,
			"  The log has no times: whether %s is the logged node "
			"is not checked.\n",
			a->config->device);
	fprintf(to,
		"\nThresholds: a median shorter by %.0f%% is worth it, by "
		"%.0f%% pays; the p99 at most\n"
		"%.0f%% longer, the longest at most %.0f times; two or more "
		"wait at %.0f%% of the\n"
		"arrivals; median and p99 of a log and its simulation within "
		"%.0f times of each\n"
		"other; %.0f%% of the tokens cached; p90/p10 of %.0f.\n",
		100.0 * ANALYZE_MIN_GAIN, 100.0 * ANALYZE_GOOD_GAIN,
		100.0 * ANALYZE_MAX_LOSS, ANALYZE_MAX_WORST,
		100.0 * ANALYZE_MIN_TOGETHER, MATCH_MAX_APART,
		100.0 * ANALYZE_MIN_HIT_RATE, ANALYZE_MIN_SPREAD);
}

int analyze_table(const struct analysis *a, FILE *to)
{
	int err;

	print_requests(a, to);
	print_queue(a, to);
	err = print_spread(a, to);
	if (!err)
		err = a->verdict == VERDICT_OTHER_NODE ? print_devices(a, to)
						       : print_policies(a, to);
	if (err)
		return err;
	print_verdict(a, to);
	return ferror(to) ? -EIO : 0;
}
