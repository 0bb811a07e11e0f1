/* SPDX-License-Identifier: Apache-2.0 */
#include "match.h"

#include "lib/base/compiler.h"

/*
 * The longest match takes few look-ups, and most of them overlap.
 *
 * A probe compares hashes only. "No" is sure, and "yes" is wrong once in many
 * millions. So only the key of the last "yes" is compared. Each other probe
 * costs one cache line, which is fetched before it is needed. When the key
 * differs, the search starts again and compares the key at each probe.
 *
 * The answer was true at some moment, whatever the owner does meanwhile. Each
 * probe is true at its own moment. So the open prefix had at least @lo blocks
 * at one moment, and less than @hi = @lo + 1 at another. The open prefix of a
 * prompt changes by one block at a time. So it had @lo blocks in between.
 */

/* Levels of a bisection that are fetched together, and their probes. */
#define LEVELS 3u
#define PROBES ((1u << LEVELS) - 1)

/**
 * struct search - a match under way
 * @index: where
 * @view: of its table
 * @keys: of the prompt
 * @exact: compare keys at each probe
 * @lo: the first @lo blocks are open
 * @hi: the first @hi blocks are not all open
 */
struct search {
	const struct fw_prefix_index *index;
	const struct fw_map_view *view;
	const struct fw_key *keys;
	bool exact;
	uint32_t lo;
	uint32_t hi;
};

static uint64_t hash_of(const struct search *s, uint32_t blocks)
{
	return fw_map_hash(&s->index->map, &s->keys[blocks - 1]);
}

static bool has_key(const struct search *s, uint32_t blocks, uint64_t hash)
{
	return fw_view_find(s->view, &s->index->arena, &s->keys[blocks - 1],
			    hash) != FW_NODE_NONE;
}

/* Is the prefix of @blocks open? Narrows the search. */
static bool probe(struct search *s, uint32_t blocks, uint64_t hash)
{
	bool open = s->exact ? has_key(s, blocks, hash)
			     : fw_view_maybe(s->view, hash);

	if (open)
		s->lo = blocks;
	else
		s->hi = blocks;
	return open;
}

/**
 * struct probes - probes whose cache lines are being fetched
 * @num: how many
 * @at: for each, the number of blocks that it asks about
 * @hash: of the key of the last of these blocks
 */
struct probes {
	uint32_t num;
	uint32_t at[PROBES + 1];
	uint64_t hash[PROBES + 1];
};

static void add_probe(const struct search *s, struct probes *p, uint32_t blocks)
{
	p->at[p->num] = blocks;
	p->hash[p->num] = hash_of(s, blocks);
	fw_view_prefetch(s->view, p->hash[p->num]);
	p->num++;
}

/* Probe away from the likely end, each time twice as far. */
static void gallop(struct search *s, bool far)
{
	uint32_t step = 1;
	bool inside = true;

	while (inside && s->hi - s->lo > 1) {
		uint32_t lo = s->lo, hi = s->hi;
		struct probes p = {.num = 0};

		for (; p.num < ARRAY_SIZE(p.at) && step < hi - lo; step *= 2)
			add_probe(s, &p, far ? hi - step : lo + step);
		/* Go on until a probe falls on the other side of the answer. */
		inside = p.num > 0;
		for (uint32_t i = 0; i < p.num && inside; i++)
			inside = probe(s, p.at[i], p.hash[i]) != far;
	}
}

/* All probes that the next levels may need. */
static void plan_levels(const struct search *s, struct probes *p)
{
	uint32_t lo[PROBES + 1] = {0, s->lo}, hi[PROBES + 1] = {0, s->hi};

	p->num = 1;
	for (uint32_t i = 1; i <= PROBES; i++) {
		uint32_t mid = lo[i] + (hi[i] - lo[i]) / 2;

		if (hi[i] - lo[i] > 1) {
			add_probe(s, p, mid);
		} else {
			p->at[p->num++] = 0;
			mid = lo[i];
		}
		if (2 * i > PROBES)
			continue;
		lo[2 * i] = lo[i];
		hi[2 * i] = mid;
		lo[2 * i + 1] = mid;
		hi[2 * i + 1] = hi[i];
	}
}

static void bisect(struct search *s)
{
	while (s->hi - s->lo > 1) {
		struct probes p;
		uint32_t i = 1;

		plan_levels(s, &p);
		while (i <= PROBES && p.at[i])
			i = 2 * i + probe(s, p.at[i], p.hash[i]);
	}
}

/*
 * Most prompts hit all blocks, or all but the last ones, or none. So the last
 * block and the first one are fetched together and probed.
 *
 * Return: Is the answer between them?
 */
static bool probe_ends(struct search *s, uint32_t num)
{
	uint64_t first, last = hash_of(s, num);

	fw_view_prefetch(s->view, last);
	first = hash_of(s, s->lo + 1);
	fw_view_prefetch(s->view, first);
	if (has_key(s, num, last)) {
		s->lo = num;
		return false;
	}
	s->hi = num;
	return s->lo + 1 < num && probe(s, s->lo + 1, first);
}

static uint32_t search(const struct fw_prefix_index *index,
		       const struct fw_map_view *view,
		       const struct fw_key *keys, uint32_t from, uint32_t num,
		       bool far, bool exact)
{
	struct search s = {index, view, keys, exact, from, num + 1};

	if (from == num)
		return num;
	if (!far || probe_ends(&s, num)) {
		gallop(&s, far);
		bisect(&s);
	}
	if (s.lo == from || s.lo == num || exact ||
	    has_key(&s, s.lo, hash_of(&s, s.lo)))
		return s.lo;
	return search(index, view, keys, from, num, far, true);
}

uint32_t fw_index_search(const struct fw_prefix_index *index,
			 const struct fw_map_view *view,
			 const struct fw_key *keys, uint32_t from, uint32_t num,
			 bool far)
{
	return search(index, view, keys, from, num, far, false);
}

uint32_t fw_index_match(const struct fw_prefix_index *index,
			const struct fw_key *keys, uint32_t num)
{
	uint32_t blocks;

	if (!num)
		return 0;
	if (!index->shared)
		return search(index, fw_map_view(&index->map), keys, 0, num,
			      true, false);
	fw_rcu_read_lock();
	blocks = search(index, fw_map_view(&index->map), keys, 0, num, true,
			false);
	fw_rcu_read_unlock();
	return blocks;
}
