/* SPDX-License-Identifier: Apache-2.0 */
#include "naive_filings.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/support/draw.h"
#include "tests/support/trace_ids.h"

enum {
	MAX_PASSAGES = 16,
	MAX_PROMPT = 16000,
	BLOCK = 16,
};

struct filing {
	unsigned int tokens[MAX_PASSAGES];
	unsigned int by_rank[MAX_PASSAGES];
};

struct naive {
	const struct naive_filings *of;
	struct draw draw;
	struct filing *filings;
	uint64_t private_ids;
	struct trace *trace;
};

/* In (0, 1). */
static double unit(struct draw *draw)
{
	return ((double)(draw_u64(draw) >> 11) + 0.5) / 9007199254740992.0;
}

/* By the polar method, one of the pair thrown away. */
static double normal(struct draw *draw)
{
	double x, y, r;

	do {
		x = 2.0 * unit(draw) - 1.0;
		y = 2.0 * unit(draw) - 1.0;
		r = x * x + y * y;
	} while (r >= 1.0 || r == 0.0);
	return x * sqrt(-2.0 * log(r) / r);
}

/* By rejection: a rank is kept with the probability that its weight is. */
static unsigned int ranked(struct draw *draw, unsigned int num, double s)
{
	unsigned int rank;

	do
		rank = draw_below(draw, num);
	while (unit(draw) >= pow(rank + 1.0, -s));
	return rank;
}

static void make_filing(struct naive *n, struct filing *filing)
{
	for (unsigned int i = 0; i < n->of->passages; i++) {
		unsigned int j = draw_below(&n->draw, i + 1);
		double tokens = round(n->of->median *
				      exp(n->of->sigma * normal(&n->draw)));

		filing->tokens[i] = tokens < 100 ? 100 : (unsigned int)tokens;
		filing->by_rank[i] = filing->by_rank[j];
		filing->by_rank[j] = i;
	}
}

/* What stands before the end of a block, as one number. */
static uint64_t mix(uint64_t before, uint64_t next)
{
	struct draw draw = {.state = before ^ (next * 0xd6e8feb86659fd93)};

	return draw_u64(&draw) >> 1;
}

/* Ids are of the passages up to a block's end and of its place. */
static unsigned int add_passages(struct naive *n, unsigned int number,
				 const bool *taken, unsigned int own,
				 uint64_t *ids)
{
	const struct filing *filing = &n->filings[number];
	uint64_t prefix = number + 1;
	unsigned int len = 0;

	for (unsigned int rank = 0; rank < n->of->passages; rank++) {
		unsigned int passage = filing->by_rank[rank];
		unsigned int end = len + filing->tokens[passage];

		if (!taken[rank])
			continue;
		if (end + own > MAX_PROMPT)
			break;
		prefix = mix(prefix, passage + 1);
		for (unsigned int i = len / BLOCK; i < end / BLOCK; i++)
			ids[i] = mix(prefix, i + 1000);
		len = end;
	}
	return len;
}

static void add_prompt(struct naive *n, double seconds)
{
	const struct naive_filings *of = n->of;
	unsigned int number = ranked(&n->draw, of->filings, of->zipf);
	unsigned int left =
		of->least + draw_below(&n->draw, of->most - of->least + 1);
	unsigned int own = 30 + draw_below(&n->draw, 271);
	bool taken[MAX_PASSAGES] = {false};
	uint64_t ids[MAX_PROMPT / BLOCK];
	struct trace_req req = {.output_len = 1};
	unsigned int len;

	while (left) {
		unsigned int rank =
			ranked(&n->draw, of->passages, of->passage_zipf);

		left -= !taken[rank];
		taken[rank] = true;
	}
	len = add_passages(n, number, taken, own, ids);
	for (unsigned int i = len / BLOCK; i < (len + own) / BLOCK; i++)
		ids[i] = (1ull << 63) + n->private_ids++;
	req.arrival_ms = round(seconds * 1000.0);
	req.len = len + own;
	req.num_ids = req.len / BLOCK;
	if (trace_add_ids(n->trace, &req, ids))
		abort();
}

void naive_filings(struct trace *trace, const struct naive_filings *of,
		   uint64_t seed)
{
	struct naive n = {
		.of = of,
		.draw = {.state = seed},
		.filings = calloc(of->filings, sizeof(*n.filings)),
		.trace = trace,
	};
	double seconds = 0.0;

	if (!n.filings)
		abort();
	trace_init(trace, BLOCK);
	for (unsigned int i = 0; i < of->filings; i++)
		make_filing(&n, &n.filings[i]);
	for (unsigned int i = 0; i < of->requests; i++) {
		seconds -= log(unit(&n.draw)) / 2.5;
		add_prompt(&n, seconds);
	}
	free(n.filings);
	if (trace_pool(trace, 0.25, &trace->kv_blocks))
		abort();
}
