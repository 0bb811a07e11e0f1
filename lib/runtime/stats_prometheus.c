/* SPDX-License-Identifier: Apache-2.0 */
#include <fairway/stats.h>

#include <ctype.h>
#include <errno.h>

#include "call.h"
#include "stats_text.h"

/**
 * struct family - a metric of one figure
 * @name: of the metric
 * @type: "counter" or "gauge"
 * @help: what it counts
 * @counter: FW_COUNTER() of the figure
 * @label: name of a label, NULL without one
 * @values: of the label, for the figures from @counter on; ends with NULL
 */
struct family {
	const char *name;
	const char *type;
	const char *help;
	size_t counter;
	const char *label;
	const char *values[FW_STEP_ENDS + 2];
};

static const struct family families[] = {
	{"fairway_submitted_total",
	 "counter",
	 "Requests taken over by the scheduler.",
	 FW_COUNTER(submitted),
	 NULL,
	 {NULL}},
	{"fairway_refused_total",
	 "counter",
	 "Submissions refused because the queue was full.",
	 FW_COUNTER(refused),
	 NULL,
	 {NULL}},
	{"fairway_ended_total",
	 "counter",
	 "Requests by how they ended.",
	 FW_COUNTER(done),
	 "outcome",
	 {"done", "cancelled", "rejected", "expired", "failed"}},
	{"fairway_retried_total",
	 "counter",
	 "Times that a request went back to the queue after its plan failed.",
	 FW_COUNTER(retried),
	 NULL,
	 {NULL}},
	{"fairway_waiting",
	 "gauge",
	 "Requests that wait.",
	 FW_COUNTER(waiting),
	 NULL,
	 {NULL}},
	{"fairway_running",
	 "gauge",
	 "Requests that were admitted and have not ended.",
	 FW_COUNTER(running),
	 NULL,
	 {NULL}},
	{"fairway_queued",
	 "gauge",
	 "Requests submitted and not admitted.",
	 FW_COUNTER(queued),
	 NULL,
	 {NULL}},
	{"fairway_queued_bytes",
	 "gauge",
	 "Memory of these requests, where it is bounded.",
	 FW_COUNTER(queued_bytes),
	 NULL,
	 {NULL}},
	{"fairway_uncached_waiting_tokens",
	 "gauge",
	 "Tokens to compute of all requests that wait.",
	 FW_COUNTER(uncached_waiting),
	 NULL,
	 {NULL}},
	{"fairway_plans_total",
	 "counter",
	 "Plans submitted.",
	 FW_COUNTER(plans),
	 NULL,
	 {NULL}},
	{"fairway_plans_failed_total",
	 "counter",
	 "Plans that failed.",
	 FW_COUNTER(plans_failed),
	 NULL,
	 {NULL}},
	{"fairway_plan_tokens_total",
	 "counter",
	 "Tokens planned.",
	 FW_COUNTER(plan_tokens),
	 NULL,
	 {NULL}},
	{"fairway_prompt_tokens_total",
	 "counter",
	 "Prompt tokens of admitted requests.",
	 FW_COUNTER(prompt_tokens),
	 NULL,
	 {NULL}},
	{"fairway_hit_tokens_total",
	 "counter",
	 "Of these, cached at admission.",
	 FW_COUNTER(hit_tokens),
	 NULL,
	 {NULL}},
	{"fairway_released_total",
	 "counter",
	 "Admissions by lane.",
	 FW_COUNTER(released_fast),
	 "lane",
	 {"fast", "fair"}},
	{"fairway_skipped_total",
	 "counter",
	 "Requests passed over because the engine said not now.",
	 FW_COUNTER(skipped),
	 NULL,
	 {NULL}},
	{"fairway_overtaken_total",
	 "counter",
	 "Releases ahead of the oldest request.",
	 FW_COUNTER(overtaken),
	 NULL,
	 {NULL}},
	{"fairway_bound_broken_total",
	 "counter",
	 "Releases that broke the bound on overtaking.",
	 FW_COUNTER(bound_broken),
	 NULL,
	 {NULL}},
	{"fairway_max_ahead_tokens",
	 "gauge",
	 "Most work admitted ahead of one request while it was the oldest.",
	 FW_COUNTER(max_ahead),
	 NULL,
	 {NULL}},
	{"fairway_steps_total",
	 "counter",
	 "Scheduling steps by why they planned no more.",
	 FW_COUNTER(step_ends),
	 "end",
	 {"empty", "budget", "sequences", "memory"}},
	{"fairway_blocks",
	 "gauge",
	 "Blocks of the cache.",
	 FW_COUNTER(blocks),
	 NULL,
	 {NULL}},
	{"fairway_blocks_free",
	 "gauge",
	 "Blocks that hold nothing.",
	 FW_COUNTER(blocks_free),
	 NULL,
	 {NULL}},
	{"fairway_evictions_total",
	 "counter",
	 "Cached blocks that made room.",
	 FW_COUNTER(evictions),
	 NULL,
	 {NULL}},
	{"fairway_events_total",
	 "counter",
	 "Cache events taken over.",
	 FW_COUNTER(events),
	 NULL,
	 {NULL}},
	{"fairway_events_refused_total",
	 "counter",
	 "Cache events refused because too many were on their way.",
	 FW_COUNTER(events_refused),
	 NULL,
	 {NULL}},
	{"fairway_wakeups_total",
	 "counter",
	 "Times that the scheduler was woken.",
	 FW_COUNTER(wakeups),
	 NULL,
	 {NULL}},
	{"fairway_reports_ignored_total",
	 "counter",
	 "Ends reported of plans that were not in flight.",
	 FW_COUNTER(reports_ignored),
	 NULL,
	 {NULL}},
	{"fairway_aged_total",
	 "counter",
	 "Times that a request rose to a higher class, having waited.",
	 FW_COUNTER(aged),
	 NULL,
	 {NULL}},
};

/**
 * struct metric - a metric of one distribution
 * @name: of the metric
 * @help: what it distributes
 * @unit: of the values
 * @first_bit: as fw_stats_text_histogram() takes it
 * @last_bit: the same
 */
struct metric {
	const char *name;
	const char *help;
	enum fw_stats_unit unit;
	unsigned int first_bit;
	unsigned int last_bit;
};

static const struct metric metrics[FW_METRICS] = {
	[FW_METRIC_QUEUE] = {"fairway_queue_seconds",
			     "From arrival to admission.", FW_STATS_NS, 20, 40},
	[FW_METRIC_TTFT] = {"fairway_ttft_seconds",
			    "From arrival to the end of the last chunk.",
			    FW_STATS_NS, 20, 40},
	[FW_METRIC_STEP] = {"fairway_step_seconds",
			    "What a scheduling step took.", FW_STATS_NS, 10,
			    30},
	[FW_METRIC_BATCH] = {"fairway_batch_tokens", "Tokens of a plan.",
			     FW_STATS_NUMBER, 4, 17},
	[FW_METRIC_HIT] = {"fairway_request_hit_tokens",
			   "Cached tokens of an admitted request.",
			   FW_STATS_NUMBER, 4, 20},
	[FW_METRIC_UNCACHED] = {"fairway_request_uncached_tokens",
				"Tokens to compute of an admitted request.",
				FW_STATS_NUMBER, 4, 20},
	[FW_METRIC_AHEAD] = {"fairway_request_ahead_tokens",
			     "Work admitted ahead of a request while it was "
			     "the oldest.",
			     FW_STATS_NUMBER, 4, 24},
};

static bool name_valid(const char *name)
{
	if (!name || (!isalpha((unsigned char)*name) && *name != '_'))
		return false;
	while (*name == '_' || isalnum((unsigned char)*name))
		name++;
	return !*name;
}

/* Labels of the caller with room for one of ours behind them. */
#define MAX_LABELS 16u

static int read_labels(struct fw_stats_label *to, const struct fw_label *from,
		       size_t num)
{
	if (num > MAX_LABELS)
		return -E2BIG;
	for (size_t i = 0; i < num; i++) {
		if (!name_valid(from[i].name) || !from[i].value)
			return -EINVAL;
		to[i] = (struct fw_stats_label){from[i].name, from[i].value};
	}
	return 0;
}

static void write_family(struct fw_stats_text *text,
			 const struct family *family, const uint64_t *values,
			 struct fw_stats_label *labels, size_t num)
{
	fw_stats_text_family(text, family->name, family->type, family->help,
			     FW_STATS_NUMBER);
	if (!family->label)
		fw_stats_text_value(text, labels, num,
				    (int64_t)values[family->counter]);
	for (size_t i = 0; family->values[i]; i++) {
		labels[num] = (struct fw_stats_label){family->label,
						      family->values[i]};
		fw_stats_text_value(text, labels, num + 1,
				    (int64_t)values[family->counter + i]);
	}
}

static void write_metric(struct fw_stats_text *text, const struct fw *fw,
			 enum fw_metric metric,
			 const struct fw_stats_label *labels, size_t num)
{
	const struct metric *m = &metrics[metric];
	struct fw_histogram_view view = {.num = 0};

	fw_histogram_read(&fw->counters.metrics[metric], &view);
	fw_stats_text_family(text, m->name, "histogram", m->help, m->unit);
	fw_stats_text_histogram(text, labels, num, &view, m->first_bit,
				m->last_bit);
}

static int64_t write_all(const struct fw *fw, const struct fw_label *given,
			 size_t num, char *buf, size_t size)
{
	struct fw_stats_label labels[MAX_LABELS + 1];
	struct fw_stats stats = {.size = sizeof(stats)};
	struct fw_stats_text text;
	int ret;

	ret = read_labels(labels, given, num);
	if (!ret)
		ret = fw_read_stats(fw, &stats);
	if (ret)
		return ret;
	fw_stats_text_init(&text, buf, size);
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		write_family(&text, &families[i], &stats.submitted, labels,
			     num);
	fw_stats_text_tenants(&text, fw, labels, num);
	for (int i = 0; i < FW_METRICS; i++)
		write_metric(&text, fw, (enum fw_metric)i, labels, num);
	return (int64_t)text.len;
}

int64_t fw_stats_text(const struct fw *fw, const struct fw_label *labels,
		      size_t num, char *buf, size_t size)
{
	int64_t ret = fw_call_enter(fw);

	if (ret)
		return ret;
	ret = write_all(fw, labels, num, buf, size);
	fw_call_exit(fw, 0);
	return ret;
}
