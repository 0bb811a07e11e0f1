/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "page_parts.h"

enum {
	MAX_WORST = 5 /* of each policy */
};

/**
 * struct ahead - requests that were served in front of one
 * @num: how many
 * @tokens: that they had to compute
 */
struct ahead {
	uint64_t num;
	uint64_t tokens;
};

/**
 * struct why - what a request waited for
 * @running: began before it came, and were not through
 * @earlier: came before it, and began while it waited
 * @later: came after it, and began while it waited: they overtook
 */
struct why {
	struct ahead running;
	struct ahead earlier;
	struct ahead later;
};

static void count(struct ahead *ahead, uint32_t tokens)
{
	ahead->num++;
	ahead->tokens += tokens;
}

/* Of two that came at once the one that the trace has first was earlier. */
static struct why explain(const struct trace *trace,
			  const struct sim_result *result, size_t id)
{
	const struct sim_request *own = &result->reqs[id];
	struct why why = {{0, 0}, {0, 0}, {0, 0}};

	for (size_t i = 0; i < result->num_reqs; i++) {
		const struct sim_request *other = &result->reqs[i];
		uint32_t tokens = trace->reqs[i].len - other->cached;

		if (i == id || other->outcome != SIM_DONE ||
		    other->start_s >= own->start_s)
			continue;
		if (other->start_s < own->arrival_s) {
			if (other->arrival_s + other->ttft_s > own->arrival_s)
				count(&why.running, tokens);
		} else if (other->arrival_s < own->arrival_s ||
			   (other->arrival_s <= own->arrival_s && i < id)) {
			count(&why.earlier, tokens);
		} else {
			count(&why.later, tokens);
		}
	}
	return why;
}

/* The ids of the longest TTFTs, longest first. Return: how many. */
static size_t find_worst(const struct sim_result *result, size_t *ids)
{
	size_t num = 0;

	for (size_t i = 0; i < result->num_reqs; i++) {
		size_t at = num < MAX_WORST ? num : MAX_WORST;

		if (result->reqs[i].outcome != SIM_DONE)
			continue;
		while (at && result->reqs[ids[at - 1]].ttft_s <
				     result->reqs[i].ttft_s)
			at--;
		if (at == MAX_WORST)
			continue;
		if (num < MAX_WORST)
			num++;
		for (size_t k = num - 1; k > at; k--)
			ids[k] = ids[k - 1];
		ids[at] = i;
	}
	return num;
}

static void put_seconds(struct grid *grid, double seconds)
{
	char text[32];

	page_seconds(text, sizeof(text), seconds);
	grid_text(grid, text);
}

static void put_ahead(struct grid *grid, const struct ahead *ahead)
{
	char num[32], tokens[32], text[80];

	format_count(num, sizeof(num), ahead->num);
	format_count(tokens, sizeof(tokens), ahead->tokens);
	if (ahead->num)
		snprintf(text, sizeof(text), "%s with %s", num, tokens);
	else
		snprintf(text, sizeof(text), "none");
	grid_text(grid, text);
}

static void put_request(const struct page *page, struct grid *grid, size_t i,
			size_t id)
{
	const struct trace *trace = page->report->trace;
	const struct sim_result *result = page_result(page, i);
	const struct sim_request *ended = &result->reqs[id];
	const struct trace_req *req = &trace->reqs[id];
	struct why why = explain(trace, result, id);
	double waited = ended->start_s - ended->arrival_s;
	char text[64];

	grid_text(grid, page_name(page, i));
	snprintf(text, sizeof(text), "%zu", id);
	grid_text(grid, text);
	grid_text(grid, trace->phases[req->phase]);
	put_seconds(grid, ended->ttft_s);
	put_seconds(grid, waited);
	put_seconds(grid, ended->ttft_s - waited);
	grid_count(grid, req->len - ended->cached);
	grid_count(grid, ended->cached);
	put_ahead(grid, &why.running);
	put_ahead(grid, &why.earlier);
	put_ahead(grid, &why.later);
}

static void put_head(struct grid *grid)
{
	static const char *const head[] = {"policy",
					   "request",
					   "phase",
					   "first token",
					   "waited",
					   "own work took",
					   "tokens to compute",
					   "cached",
					   "running when it came",
					   "earlier, ahead",
					   "later, ahead"};

	grid_init(grid, 11, 1);
	for (size_t i = 0; i < 11; i++)
		grid_text(grid, head[i]);
}

void page_worst(struct page *page)
{
	size_t ids[MAX_WORST];
	struct grid grid;

	put_head(&grid);
	for (size_t i = 0; i < page->report->num && i < PAGE_COMPARED; i++) {
		size_t num = find_worst(page_result(page, i), ids);

		for (size_t k = 0; k < num; k++)
			put_request(page, &grid, i, ids[k]);
	}
	html_section(&page->html, "Who waited longest, and why");
	html_grid(&page->html, &grid,
		  "The requests with the longest times, by their place in the "
		  "trace (from 0, as in --requests). What was ahead of one: "
		  "requests that were being computed when it came, and those "
		  "that began while it waited, with the tokens that they had "
		  "to compute. Later ones overtook it.",
		  false);
	grid_destroy(&grid);
}
