/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy of one's own: fewest tokens to compute first, but each second of
 * waiting counts as so many tokens less. Build it and compare it:
 *
 *	cc -shared -fPIC -o mine.so policy.c $(pkg-config --cflags fairway)
 *	fairway sim --workload sec-dynamic --policy fcfs,spf,./mine.so:500
 */
#include <stdlib.h>

#include <fairway/policy.h>

/* What a second is worth where nothing is said, in tokens. */
#define DEFAULT_RATE 300.0

struct aging {
	double rate;
};

static void *create(const struct fw_policy_node *node, const char *flags)
{
	struct aging *aging = malloc(sizeof(*aging));
	char *end = NULL;

	(void)node;
	if (!aging)
		return NULL;
	aging->rate = *flags ? strtod(flags, &end) : DEFAULT_RATE;
	if (!end || (end != flags && !*end))
		return aging;
	free(aging);
	return NULL;
}

/*
 * All wait equally long from now on, so the order between two of them does not
 * change with time: the arrival stands for the wait, and no key changes.
 */
static double key(void *ctx, const struct fw_policy_waiter *waiter, double now)
{
	const struct aging *aging = ctx;

	(void)now;
	return (double)(waiter->len - waiter->hit) +
	       aging->rate * waiter->arrival;
}

extern const struct fw_policy fairway_policy;
const struct fw_policy fairway_policy = {
	.size = sizeof(fairway_policy),
	.help = "fewest tokens to compute first, less for each second",
	.create = create,
	.destroy = free,
	.key = key,
};
