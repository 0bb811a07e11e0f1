/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tools/base/doubles.h"

/* A request starves past this many times its run's p99. */
#define STARVED 3.0

/* The sums behind a summary, of one phase or of all. */
struct sums {
	double *ttft; /* of those served, in the order of the trace */
	uint64_t cached;
	uint64_t tokens;
};

static void fill_quantiles(struct quantiles *q, double *ttft, uint64_t num,
			   const struct percentiles *of)
{
	double sum = 0.0;

	*q = (struct quantiles){
		.num = num,
		.mean = NO_FIGURE,
		.p50 = NO_FIGURE,
		.p90 = NO_FIGURE,
		.p99 = NO_FIGURE,
		.max = NO_FIGURE,
		.of = of,
	};
	for (unsigned int i = 0; of && i < of->num; i++)
		q->more[i] = NO_FIGURE;
	if (!num)
		return;
	for (uint64_t i = 0; i < num; i++)
		sum += ttft[i];
	q->mean = sum / (double)num;
	doubles_sort(ttft, num);
	q->p50 = percentile_of(ttft, num, 50000);
	q->p90 = percentile_of(ttft, num, 90000);
	q->p99 = percentile_of(ttft, num, 99000);
	q->max = ttft[num - 1];
	for (unsigned int i = 0; of && i < of->num; i++)
		q->more[i] = percentile_of(ttft, num, of->at[i]);
}

void quantiles_init(struct quantiles *q, double *ttft, uint64_t num)
{
	fill_quantiles(q, ttft, num, NULL);
}

double quantiles_at(const struct quantiles *q, uint32_t at)
{
	for (unsigned int i = 0; q->of && i < q->of->num; i++)
		if (q->of->at[i] == at)
			return q->more[i];
	return NO_FIGURE;
}

static void count_request(struct summary *sum, struct sums *sums,
			  const struct trace_req *req,
			  const struct sim_request *ended)
{
	double *worst = ended->cached ? &sum->worst_hit : &sum->worst_miss;

	sum->requests++;
	if (ended->outcome == SIM_REJECTED) {
		sum->rejected++;
		return;
	}
	sums->ttft[sum->completed++] = ended->ttft_s;
	sums->cached += ended->cached;
	sums->tokens += req->len;
	*worst = fmax(*worst, ended->ttft_s); /* a NAN gives way */
}

static bool in_phase(const struct trace_req *req, int64_t phase)
{
	return phase < 0 || req->phase == (uint64_t)phase;
}

/* @phase is an index, or below 0 for the whole run. */
static void fill(struct summary *sum, const struct trace *trace,
		 const struct sim_result *result, int64_t phase, double *ttft,
		 const struct percentiles *percentiles)
{
	struct sums sums = {.ttft = ttft};

	*sum = (struct summary){.worst_miss = NO_FIGURE,
				.worst_hit = NO_FIGURE};
	for (size_t i = 0; i < result->num_reqs; i++)
		if (in_phase(&trace->reqs[i], phase))
			count_request(sum, &sums, &trace->reqs[i],
				      &result->reqs[i]);
	sum->hit_rate = sums.tokens ? (double)sums.cached / (double)sums.tokens
				    : NO_FIGURE;
	fill_quantiles(&sum->ttft, ttft, sum->completed, percentiles);
}

/* After fill(), which left @ttft sorted; @p99 is that of the whole run. */
static void count_starved(struct summary *sum, const double *ttft, double p99)
{
	for (uint64_t i = sum->completed; i && ttft[i - 1] > STARVED * p99; i--)
		sum->starved++;
}

int summary_init(struct summary *sum, const struct trace *trace,
		 const struct sim_result *result,
		 const struct percentiles *percentiles)
{
	double *ttft = calloc(result->num_reqs + 1, sizeof(*ttft));
	struct summary *phases = calloc(trace->num_phases, sizeof(*phases));

	if (!ttft || (!phases && trace->num_phases)) {
		free(phases);
		free(ttft);
		return -ENOMEM;
	}
	fill(sum, trace, result, -1, ttft, percentiles);
	count_starved(sum, ttft, sum->ttft.p99);
	for (uint32_t i = 0; i < trace->num_phases; i++) {
		fill(&phases[i], trace, result, i, ttft, percentiles);
		count_starved(&phases[i], ttft, sum->ttft.p99);
	}
	sum->phases = phases;
	sum->num_phases = trace->num_phases;
	free(ttft);
	return 0;
}

void summary_destroy(struct summary *sum)
{
	free(sum->phases);
	sum->phases = NULL;
	sum->num_phases = 0;
}
