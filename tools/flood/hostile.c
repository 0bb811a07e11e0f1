/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile.h"

#define BLOCK_TOKENS 16u
#define NUM_KEYS 4u
#define LONG_TOKENS 60000u

/* The others' documents are {{n, 0}, {n, 1}, {n, 2}, {n, 3}}, n from 1 to 8. */
static const struct fw_key hit[NUM_KEYS] = {{1, 0}, {1, 1}, {1, 2}, {1, 3}};

static const struct fw_key crafted[][NUM_KEYS] = {
	{{2, 0}, {3, 1}, {2, 2}, {3, 3}},
	{{4, 3}, {4, 2}, {4, 1}, {4, 0}},
	{{5, 0}, {5, 0}, {5, 0}, {5, 0}},
	{{9, 0}, {6, 1}, {6, 2}, {6, 3}},
};

static void with_keys(struct fw_request *req, const struct fw_key *keys)
{
	req->keys = keys;
	req->num_keys = NUM_KEYS;
	req->len = NUM_KEYS * BLOCK_TOKENS + 1;
}

void hostile_prompt(struct rng *rng, struct fw_request *req)
{
	req->tenant = HOSTILE_TENANT;
	req->priority = (uint32_t)rng_below(rng, 2);
	switch (rng_below(rng, 8)) {
	case 0:
		req->len = LONG_TOKENS;
		break;
	case 1:
	case 2:
		req->len = 1;
		break;
	case 3:
	case 4:
		with_keys(req, crafted[rng_below(rng, 4)]);
		break;
	default:
		with_keys(req, hit);
	}
}
