/* SPDX-License-Identifier: Apache-2.0 */
#include "spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tools/base/doubles.h"
#include "summary.h"

int spread_init(struct spread *spread, const struct trace *trace,
		const struct sim_result *result, int64_t phase)
{
	struct spread made = {
		.ttft = calloc(result->num_reqs + 1, sizeof(*made.ttft))};

	if (!made.ttft)
		return -ENOMEM;
	for (size_t i = 0; i < result->num_reqs; i++)
		if (result->reqs[i].outcome == SIM_DONE &&
		    (phase < 0 || trace->reqs[i].phase == (uint64_t)phase))
			made.ttft[made.num++] = result->reqs[i].ttft_s;
	doubles_sort(made.ttft, made.num);
	*spread = made;
	return 0;
}

void spread_destroy(struct spread *spread)
{
	free(spread->ttft);
	spread->ttft = NULL;
	spread->num = 0;
}

double spread_at(const struct spread *spread, double percent)
{
	double rank = ceil((double)spread->num * percent / 100.0 - 1e-9);

	if (!spread->num)
		return NO_FIGURE;
	if (rank < 1.0)
		rank = 1.0;
	return spread->ttft[(size_t)rank - 1];
}

/* Bins closer than this ratio would overlap in a plot: they become one. */
#define LEAST_RATIO 1.12

static void add_bin(struct bins *bins, const double *len, size_t from,
		    size_t to)
{
	double at = len[(from + to - 1) / 2];

	if (bins->num && at < LEAST_RATIO * bins->at[bins->num - 1]) {
		bins->to[bins->num - 1] = len[to - 1];
		return;
	}
	bins->from[bins->num] = len[from];
	bins->to[bins->num] = len[to - 1];
	bins->at[bins->num++] = at;
}

int bins_by_length(struct bins *bins, const struct trace *trace)
{
	size_t num = trace->num_reqs;
	double *len = calloc(num + 1, sizeof(*len));
	size_t from = 0;

	if (!len)
		return -ENOMEM;
	for (size_t i = 0; i < num; i++)
		len[i] = trace->reqs[i].len;
	doubles_sort(len, num);
	bins->num = 0;
	for (size_t i = 1; i <= SPREAD_MAX_BINS && from < num; i++) {
		size_t to = num * i / SPREAD_MAX_BINS;

		if (to <= from)
			continue;
		/* Equal lengths stand in one bin. */
		while (to < num && len[to] <= len[to - 1])
			to++;
		add_bin(bins, len, from, to);
		from = to;
	}
	free(len);
	return 0;
}

/* One bin for nothing cached, five for the shares above. */
void bins_by_share(struct bins *bins)
{
	bins->num = 6;
	bins->from[0] = bins->to[0] = bins->at[0] = 0.0;
	for (size_t i = 1; i < bins->num; i++) {
		bins->from[i] = 20.0 * (double)(i - 1);
		bins->to[i] = 20.0 * (double)i;
		bins->at[i] = bins->to[i] - 10.0;
	}
}

static size_t find(const struct bins *bins, bool share,
		   const struct trace_req *req, const struct sim_request *ended)
{
	double value =
		share ? 100.0 * ended->cached / req->len : (double)req->len;
	size_t i = 0;

	while (i + 1 < bins->num && value > bins->to[i])
		i++;
	return i;
}

/* @ttft has room for all; those of bin i stand from @first[i] on. */
static void sort_in(const struct bins *bins, bool share,
		    const struct trace *trace, const struct sim_result *result,
		    double *ttft, size_t *first)
{
	size_t next[SPREAD_MAX_BINS + 1] = {0};

	for (size_t i = 0; i < result->num_reqs; i++)
		if (result->reqs[i].outcome == SIM_DONE)
			next[find(bins, share, &trace->reqs[i],
				  &result->reqs[i]) +
			     1]++;
	for (size_t i = 0; i < bins->num; i++) {
		next[i + 1] += next[i];
		first[i] = next[i];
	}
	first[bins->num] = next[bins->num];
	for (size_t i = 0; i < result->num_reqs; i++)
		if (result->reqs[i].outcome == SIM_DONE)
			ttft[next[find(bins, share, &trace->reqs[i],
				       &result->reqs[i])]++] =
				result->reqs[i].ttft_s;
}

int bins_fill(const struct bins *bins, bool share, const struct trace *trace,
	      const struct sim_result *result, struct bin *out)
{
	double *ttft = calloc(result->num_reqs + 1, sizeof(*ttft));
	size_t first[SPREAD_MAX_BINS + 1];

	if (!ttft)
		return -ENOMEM;
	sort_in(bins, share, trace, result, ttft, first);
	for (size_t i = 0; i < bins->num; i++) {
		struct spread one = {ttft + first[i], first[i + 1] - first[i]};

		doubles_sort(one.ttft, one.num);
		out[i] = (struct bin){one.num, spread_at(&one, 50.0),
				      spread_at(&one, 99.0)};
	}
	free(ttft);
	return 0;
}
