/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "facts.h"

/* A field by RFC 4180: quoted where it has to be. */
static void field(const char *text, FILE *to)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

/* An absent figure is an empty field. */
static void real(double value, FILE *to)
{
	if (isfinite(value))
		fprintf(to, ",%.17g", value);
	else
		fputc(',', to);
}

static void count(uint64_t value, FILE *to)
{
	fprintf(to, ",%" PRIu64, value);
}

static void figures(const char *policy, const char *phase,
		    const struct summary *sum, FILE *to)
{
	field(policy, to);
	fputc(',', to);
	field(phase, to);
	count(sum->requests, to);
	count(sum->completed, to);
	count(sum->rejected, to);
	real(sum->ttft.mean, to);
	real(sum->ttft.p50, to);
	real(sum->ttft.p90, to);
	real(sum->ttft.p99, to);
	real(sum->ttft.max, to);
	real(sum->worst_miss, to);
	real(sum->worst_hit, to);
	real(sum->hit_rate, to);
	count(sum->starved, to);
	real(facts_worst_over_p99(sum), to);
}

/* Behind all others, so that what reads the columns by place goes on. */
static void more(const struct summary *sum, FILE *to)
{
	const struct quantiles *q = &sum->ttft;

	for (unsigned int i = 0; q->of && i < q->of->shown; i++)
		real(q->more[i], to);
	fputc('\n', to);
}

static void more_heads(const struct report *report, FILE *to)
{
	char name[16];

	for (unsigned int i = 0; i < report_num_shown(report); i++) {
		percentile_name(name, sizeof(name), report->percentiles->at[i]);
		fprintf(to, ",%s_s", name);
	}
	fputc('\n', to);
}

static void whole_run(const struct report *report, unsigned int i, FILE *to)
{
	figures(report->specs[i].name, "all", &report->sums[i], to);
	count(report->results[i].steps, to);
	real(report->results[i].busy_s, to);
	more(&report->sums[i], to);
}

/* A step serves requests of several phases, so a phase has no step count. */
static void one_phase(const struct report *report, unsigned int i,
		      uint32_t phase, FILE *to)
{
	figures(report->specs[i].name, report->trace->phases[phase],
		&report->sums[i].phases[phase], to);
	fputs(",,", to);
	more(&report->sums[i].phases[phase], to);
}

static int stream_error(FILE *to)
{
	if (!ferror(to))
		return 0;
	return errno ? -errno : -EIO;
}

int report_csv(const struct report *report, FILE *to)
{
	errno = 0;
	fputs("policy,phase,requests,completed,rejected,mean_s,p50_s,p90_s,"
	      "p99_s,max_s,worst_miss_s,worst_hit_s,hit_rate,starved,"
	      "worst_over_p99,steps,busy_s",
	      to);
	more_heads(report, to);
	for (unsigned int i = 0; i < report->num; i++) {
		whole_run(report, i, to);
		for (uint32_t k = 0; k < report->trace->num_phases; k++)
			if (report->trace->num_phases > 1)
				one_phase(report, i, k, to);
	}
	return stream_error(to);
}

static void one_request(const struct report *report, unsigned int policy,
			size_t id, FILE *to)
{
	static const char *const outcomes[] = {
		[SIM_DONE] = "done",
		[SIM_REJECTED] = "rejected",
	};
	const struct trace_req *req = &report->trace->reqs[id];
	const struct sim_request *ended = &report->results[policy].reqs[id];

	field(report->specs[policy].name, to);
	fprintf(to, ",%zu,", id);
	field(report->trace->phases[req->phase], to);
	fprintf(to, ",%.9f,%" PRIu32 ",%" PRIu32 ",%.9f,%s\n", ended->arrival_s,
		req->len, ended->cached, ended->ttft_s,
		outcomes[ended->outcome]);
}

int report_requests(const struct report *report, FILE *to)
{
	errno = 0;
	fputs("policy,id,phase,arrival_s,prompt_tokens,cached_tokens,ttft_s,"
	      "outcome\n",
	      to);
	for (unsigned int i = 0; i < report->num; i++)
		for (size_t id = 0; id < report->results[i].num_reqs; id++)
			one_request(report, i, id, to);
	return stream_error(to);
}
