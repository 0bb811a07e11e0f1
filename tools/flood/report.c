/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>

#include "tools/base/grid.h"
#include "tools/base/interrupt.h"
#include "tools/base/json_value.h"

bool flood_clean(const struct flood_result *result)
{
	return !result->lost && !result->twice && !result->out_of_order &&
	       !result->bound_broken && !result->broken;
}

static void count(struct grid *grid, const char *name, uint64_t value)
{
	grid_text(grid, name);
	grid_count(grid, value);
}

static void fill(struct grid *grid, const struct flood_result *result)
{
	count(grid, "submitted", result->submitted);
	count(grid, "done", result->outcomes[FW_DONE]);
	count(grid, "cancelled", result->outcomes[FW_CANCELLED]);
	count(grid, "expired", result->outcomes[FW_EXPIRED]);
	count(grid, "rejected", result->outcomes[FW_REJECTED]);
	count(grid, "failed", result->outcomes[FW_FAILED]);
	count(grid, "lost", result->lost);
	count(grid, "ended twice", result->twice);
	count(grid, "out of order", result->out_of_order);
	count(grid, "not as cancelled", result->broken);
	count(grid, "bound broken", result->bound_broken);
	count(grid, "refused, made again", result->refused);
}

static void print_costs(const struct flood_result *result, FILE *to)
{
	const struct fw_histogram_view *ns = &result->submit_ns;
	const struct fw_distribution *step = &result->step_ns;

	fprintf(to,
		"submit: median %" PRId64 " ns, p99 %" PRId64
		" ns, worst %" PRId64 " ns\n",
		fw_histogram_quantile(ns, 500000),
		fw_histogram_quantile(ns, 990000), ns->max);
	fprintf(to, "step: median %.1f us, p99 %.1f us, worst %.1f us\n",
		(double)step->p50 / 1e3, (double)step->p99 / 1e3,
		(double)step->max / 1e3);
	fprintf(to, "%.1f s, %.0f requests a second, %.0f MiB at most\n",
		result->seconds, (double)result->submitted / result->seconds,
		(double)result->peak_rss / 1048576.0);
	if (interrupted())
		fputs("interrupted: fewer requests than asked for\n", to);
	if (result->stopped)
		fputs("one producer stood still until all others were "
		      "through\n",
		      to);
}

static const char *const sides[] = {"hostile", "others"};

static void print_waits(const struct flood *flood,
			const struct flood_result *result, FILE *to)
{
	for (int i = 0; i < 2 && flood->args.hostile; i++) {
		const struct fw_histogram_view *ns = &result->wait_ns[i];

		fprintf(to,
			"%s: %" PRIu64 " admitted, wait: median %.1f ms, "
			"p99 %.1f ms, worst %.1f ms\n",
			sides[i], ns->num,
			(double)fw_histogram_quantile(ns, 500000) / 1e6,
			(double)fw_histogram_quantile(ns, 990000) / 1e6,
			(double)ns->max / 1e6);
	}
}

int flood_table(const struct flood *flood, const struct flood_result *result,
		FILE *to)
{
	struct grid grid;
	int err;

	errno = 0;
	fprintf(to, "%u producers, seed %" PRIu64 "\n", flood->args.producers,
		flood->args.seed);
	grid_init(&grid, 2, 1);
	grid_text(&grid, "requests");
	grid_text(&grid, "");
	fill(&grid, result);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	print_waits(flood, result, to);
	print_costs(result, to);
	if (!err && ferror(to))
		err = errno ? -errno : -EIO;
	return err;
}

static json_t *submit_json(const struct fw_histogram_view *ns)
{
	return json_pack("{s:I, s:I, s:I}", "p50",
			 (json_int_t)fw_histogram_quantile(ns, 500000), "p99",
			 (json_int_t)fw_histogram_quantile(ns, 990000), "max",
			 (json_int_t)ns->max);
}

static json_t *step_json(const struct fw_distribution *step)
{
	return json_pack("{s:f, s:f, s:f}", "p50", (double)step->p50 / 1e3,
			 "p99", (double)step->p99 / 1e3, "max",
			 (double)step->max / 1e3);
}

static json_t *outcome(const struct flood_result *result,
		       enum fw_outcome outcome)
{
	return json_count(result->outcomes[outcome]);
}

/* Null without a hostile tenant. */
static json_t *waits_json(const struct flood *flood,
			  const struct flood_result *result)
{
	json_t *waits;

	if (!flood->args.hostile)
		return json_null();
	waits = json_object();
	for (int i = 0; i < 2; i++) {
		const struct fw_histogram_view *ns = &result->wait_ns[i];

		json_object_set_new(waits, sides[i],
				    json_pack("{s:o, s:o}", "admitted",
					      json_count(ns->num), "wait_ns",
					      submit_json(ns)));
	}
	return waits;
}

int flood_json(const struct flood *flood, const struct flood_result *result,
	       FILE *to)
{
	return json_write(
		json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			  "s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:f, s:o}",
			  "schema", "fairway.flood/1", "submitted",
			  json_count(result->submitted), "done",
			  outcome(result, FW_DONE), "cancelled",
			  outcome(result, FW_CANCELLED), "expired",
			  outcome(result, FW_EXPIRED), "rejected",
			  outcome(result, FW_REJECTED), "failed",
			  outcome(result, FW_FAILED), "lost",
			  json_count(result->lost), "twice",
			  json_count(result->twice), "out_of_order",
			  json_count(result->out_of_order),
			  "overtaken_bound_broken",
			  json_count(result->bound_broken), "cancel_broken",
			  json_count(result->broken), "refused",
			  json_count(result->refused), "producer_stopped",
			  result->stopped, "interrupted", interrupted(),
			  "tenants", waits_json(flood, result), "submit_ns",
			  submit_json(&result->submit_ns), "step_us",
			  step_json(&result->step_ns), "seconds",
			  result->seconds, "peak_rss_bytes",
			  json_count(result->peak_rss)),
		to);
}
