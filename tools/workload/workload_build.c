/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_build.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool build_check(struct build *build, int err)
{
	if (err && !build->err)
		build->err = err;
	return !build->err;
}

uint64_t build_ids(struct build *build, uint64_t num)
{
	uint64_t first = build->next_id;

	build->next_id += num;
	return first;
}

uint32_t build_phase(struct build *build, const char *name)
{
	int phase = trace_phase(&build->trace, name);

	return build_check(build, phase < 0 ? phase : 0) ? (uint32_t)phase : 0;
}

uint32_t build_uniform(struct build *build, uint32_t min, uint32_t max)
{
	assert(min <= max);
	return min + (uint32_t)rng_below(&build->rng, (uint64_t)max - min + 1);
}

uint32_t build_lognormal(struct build *build, double median, double sigma,
			 uint32_t min, uint32_t max)
{
	double len = rng_lognormal(&build->rng, median, sigma);

	if (len <= min)
		return min;
	if (len >= max)
		return max;
	return (uint32_t)(len + 0.5);
}

void prompt_extend(struct build *build, uint32_t tokens, uint64_t id)
{
	uint32_t blocks;

	assert(tokens <= UINT32_MAX - build->len);
	blocks = (build->len + tokens) / WORKLOAD_BLOCK -
		 build->len / WORKLOAD_BLOCK;
	build->len += tokens;
	if (!build->err)
		build_check(build, id_runs_add(&build->ids, id, blocks));
}

void prompt_own(struct build *build, uint32_t tokens)
{
	uint32_t blocks = (build->len + tokens) / WORKLOAD_BLOCK -
			  build->len / WORKLOAD_BLOCK;

	prompt_extend(build, tokens, build_ids(build, blocks));
}

void prompt_end(struct build *build, double arrival_ms, uint32_t phase)
{
	struct trace_req req = {
		.arrival_ms = arrival_ms,
		.num_ids = build->len / WORKLOAD_BLOCK,
		.len = build->len,
		.output_len = 1,
		.phase = phase,
		.tenant = build->tenant,
	};

	assert(build->len);
	if (!build->err)
		build_check(build, trace_add(&build->trace, &req, &build->ids));
	id_runs_clear(&build->ids);
	build->len = 0;
}

double whole_ms(double seconds)
{
	return floor(seconds * 1000.0 + 0.5);
}

void arrivals_count(struct arrivals *arrivals, struct build *build, double rate,
		    double start, uint64_t num)
{
	*arrivals = (struct arrivals){
		.build = build,
		.now = start,
		.gap = 1.0 / rate,
		.end = HUGE_VAL,
		.left = num,
	};
}

void arrivals_span(struct arrivals *arrivals, struct build *build, double rate,
		   double start, double end)
{
	double expected = rate * (end - start);

	arrivals_count(arrivals, build, rate, start, UINT64_MAX);
	arrivals->end = end;
	if (expected > WORKLOAD_MAX_REQUESTS)
		build_check(build, diag_set(build->diag, -EINVAL,
					    "--workload: expected at most %d "
					    "arrivals (%.12g a second for "
					    "%.12g seconds are %.12g)",
					    WORKLOAD_MAX_REQUESTS, rate,
					    end - start, expected));
}

void arrivals_spec(struct arrivals *arrivals, struct build *build,
		   const struct workload_spec *spec)
{
	double rate = spec->value[KEY_RATE];

	if (spec->given[KEY_COUNT])
		arrivals_count(arrivals, build, rate, 0.0,
			       (uint64_t)spec->value[KEY_COUNT]);
	else
		arrivals_span(arrivals, build, rate, 0.0,
			      spec->value[KEY_SECONDS]);
}

bool arrivals_next(struct arrivals *arrivals)
{
	struct build *build = arrivals->build;

	if (build->err || !arrivals->left)
		return false;
	arrivals->left--;
	arrivals->now += rng_exponential(&build->rng, arrivals->gap);
	return arrivals->now < arrivals->end;
}

void zipf_init(struct zipf *zipf, struct build *build, uint32_t num, double s)
{
	double total = 0.0;

	zipf->num = num;
	zipf->sum = malloc(num * sizeof(*zipf->sum));
	if (!build_check(build, zipf->sum ? 0 : -ENOMEM))
		return;
	for (uint32_t k = 0; k < num; k++) {
		total += rng_exp(-s * rng_log(k + 1.0));
		zipf->sum[k] = total;
	}
}

void zipf_destroy(struct zipf *zipf)
{
	free(zipf->sum);
}

/* The first rank whose sum is over a uniform share of the total. */
uint32_t zipf_draw(const struct zipf *zipf, struct rng *rng)
{
	uint32_t low = 0;
	uint32_t high = zipf->num - 1;
	double x = rng_unit(rng) * zipf->sum[high];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (zipf->sum[mid] > x)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

void document_init(struct document *doc, struct build *build, uint32_t len)
{
	doc->len = len;
	doc->first_id = build_ids(build, len / WORKLOAD_BLOCK);
}
