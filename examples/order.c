/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order mode: the engine keeps its loop, its cache and its memory, and asks
 * only what comes next. Six cheap hits wait behind one expensive miss, which
 * came first; the hits may overtake it until they have cost a quarter of its
 * work. So five go first, and the sixth comes after the miss.
 */
#include <stdio.h>

#include <fairway/fairway.h>

#define MS 1000000

/* What an engine would do: give it blocks and start it; tokens computed now. */
static uint32_t engine_start(const struct fw_request *req)
{
	printf("%s: %u of %u tokens are cached\n", (const char *)req->user,
	       req->hit, req->len);
	return req->len - req->hit;
}

int main(void)
{
	static char names[7][8] = {"miss",  "hit 1", "hit 2", "hit 3",
				   "hit 4", "hit 5", "hit 6"};
	struct fw_order_config config = {.size = sizeof(config)};
	struct fw_request reqs[7] = {{0}}, *req;
	struct fw_order *order;

	config.budget = 16384;
	if (fw_order_open(&order, &config))
		return 1;
	for (int i = 0; i < 7; i++) {
		reqs[i].len = i ? 6300 : 6000;
		reqs[i].hit = i ? 6000 : 0;
		reqs[i].arrival = i * MS;
		reqs[i].user = names[i];
		if (fw_order_add(order, &reqs[i]))
			return 1;
	}
	/* One scheduling step: in an engine, all of its life. */
	fw_pass_begin(order, 10 * MS, config.budget);
	while ((req = fw_pass_peek(order)))
		fw_pass_admit(order, engine_start(req));
	fw_pass_end(order);
	fw_order_close(order);
	return 0;
}
