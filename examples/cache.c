/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order mode with an engine's own cache: the engine tells which blocks it
 * stores and evicts, and the order knows each hit by itself. Three prompts
 * begin with the same document. Once the first one has computed it, the other
 * two overtake a prompt that came before them; when the document is evicted,
 * they do not.
 */
#include <stdio.h>

#include <fairway/fairway.h>

#define MS 1000000
#define BLOCKS 50u
#define TOKENS 16u

static struct fw_key document[BLOCKS], other[BLOCKS];

/* What an engine's cache does when it computed a prompt, or evicts it. */
static void tell(struct fw_cache *cache, enum fw_cache_kind kind)
{
	struct fw_cache_event events[BLOCKS];

	for (uint32_t i = 0; i < BLOCKS; i++)
		events[i] = (struct fw_cache_event){
			.kind = i || kind == FW_CACHE_ABSENT ? kind
							     : FW_CACHE_FIRST,
			.key = document[i],
			.parent = document[i ? i - 1 : 0],
		};
	fw_cache_apply(cache, events, BLOCKS);
}

static void show(struct fw_order *order, const char *when)
{
	struct fw_request *req;
	uint32_t hit;

	printf("%s:", when);
	fw_pass_begin(order, 100 * MS, 1u << 20);
	while ((req = fw_pass_peek(order))) {
		fw_pass_hit(order, &hit, NULL);
		printf(" %s (%u cached)", (const char *)req->user, hit);
		/* An engine admits; here all shall go on waiting. */
		fw_pass_skip(order);
	}
	fw_pass_end(order);
	printf("\n");
}

int main(void)
{
	static char names[3][8] = {"other", "first", "second"};
	struct fw_cache_config cache_config = {.size = sizeof(cache_config)};
	struct fw_order_config config = {.size = sizeof(config)};
	struct fw_request reqs[3] = {{0}};
	struct fw_cache *cache;
	struct fw_order *order;

	cache_config.block_tokens = TOKENS;
	if (fw_cache_open(&cache, &cache_config))
		return 1;
	config.cache = cache;
	if (fw_order_open(&order, &config))
		return 1;
	for (uint32_t i = 0; i < BLOCKS; i++) {
		document[i] = fw_key_widen(i);
		other[i] = fw_key_widen(1000 + i);
	}
	for (int i = 0; i < 3; i++) {
		reqs[i].keys = i ? document : other;
		reqs[i].num_keys = BLOCKS;
		reqs[i].len = BLOCKS * TOKENS + 20;
		reqs[i].arrival = i * MS;
		reqs[i].user = names[i];
		if (fw_order_add(order, &reqs[i]))
			return 1;
	}
	show(order, "nothing is cached");
	tell(cache, FW_CACHE_BEHIND);
	show(order, "the document is cached");
	tell(cache, FW_CACHE_ABSENT);
	show(order, "it was evicted");
	fw_order_close(order);
	return fw_cache_close(cache);
}
