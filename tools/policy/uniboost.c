/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/cost/device.h"
#include "tools/base/doubles.h"
#include "flags.h"
#include "keyed.h"

/*
 * UniBoost (arXiv 2606.18431, SGLang's pull request 35637; the boost is Yu and
 * Scully's, arXiv 2404.08826): arrivals dated back by
 * B = (1 / g) ln(1 / (1 - exp(-g w))), w seconds of work by the device model.
 * A small g orders by work, a large one by arrival.
 *
 * With `ada`, g = ln 5 / (t99 - t95) over the TTFTs of the last 256 requests
 * that ended, refit at every 64th of them: as we read it. A key changes with
 * the request's hit and with g only, so a heap does; a new g makes it anew.
 *
 * The only order that calls exp() and log(): another libm may decide near-ties
 * in another way.
 */

#define RECENT 256u
#define FIT_FROM 128u
#define FIT_EVERY 64u
#define MIN_GAMMA 0.001
#define MAX_GAMMA 5.0

/**
 * struct uniboost_args - its flags
 * @gamma: a second
 * @ada: fit gamma to the tail of the run
 */
struct uniboost_args {
	double gamma;
	bool ada;
};

/**
 * struct uniboost - the order
 * @gamma: a second
 * @ada: is it refit?
 * @ttfts: of those that ended last, a ring
 * @ended: how many ended
 */
struct uniboost {
	struct keyed keyed;
	double gamma;
	bool ada;
	double ttfts[RECENT];
	uint64_t ended;
};

static double key(struct keyed *keyed, const struct waiter *waiter)
{
	double gamma = container_of(keyed, struct uniboost, keyed)->gamma;
	const struct fw_device *device = keyed->env.device;
	double c = keyed_cost(waiter);
	double work = device->a * c +
		      device->b * c * ((double)waiter->hit + (c + 1) / 2);

	return waiter->arrival -
	       (1 / gamma) * log(1 / (1 - exp(-gamma * work)));
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {.key = key};
	const struct uniboost_args *args = policy_args_const(spec);
	struct uniboost *p = keyed_create(sizeof(*p), &rule, env);

	if (!p)
		return -ENOMEM;
	p->gamma = args->gamma;
	p->ada = args->ada;
	*policy = p;
	return 0;
}

/* The ceil(@percent * @num / 100)-th smallest. */
static double nearest_rank(const double *sorted, size_t num, size_t percent)
{
	return sorted[(num * percent + 99) / 100 - 1];
}

/* Where the tail is flat the quotient is infinite, and the limit holds. */
static double fit(const struct uniboost *p)
{
	size_t num = p->ended < RECENT ? (size_t)p->ended : RECENT;
	double sorted[RECENT], tail;

	memcpy(sorted, p->ttfts, num * sizeof(*sorted));
	doubles_sort(sorted, num);
	tail = nearest_rank(sorted, num, 99) - nearest_rank(sorted, num, 95);
	return fmin(fmax(log(5.0) / tail, MIN_GAMMA), MAX_GAMMA);
}

static void ended(void *policy, double ttft)
{
	struct uniboost *p = policy;

	p->ttfts[p->ended++ % RECENT] = ttft;
	if (!p->ada || p->ended < FIT_FROM || p->ended % FIT_EVERY)
		return;
	p->gamma = fit(p);
	keyed_touch_all(&p->keyed);
}

static int set_gamma(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	struct uniboost_args *args = policy_args(spec);

	return flag_real(what, value, &args->gamma, diag);
}

static int set_ada(struct policy_spec *spec, const char *what,
		   const char *value, struct diag *diag)
{
	struct uniboost_args *args = policy_args(spec);

	(void)what;
	(void)value;
	(void)diag;
	args->ada = true;
	return 0;
}

static const struct policy_flag flags[] = {
	{"gamma", VALUE_NEEDED, set_gamma, "gamma=G",
	 "a second (default 0.2); small: by work"},
	{"ada", VALUE_NONE, set_ada, "ada",
	 "fit gamma to the tail, as we read it"},
	POLICY_FLAGS_END,
};

static const struct uniboost_args defaults = {.gamma = 0.2};

const struct policy policy_uniboost = {
	.name = "uniboost",
	.help = "arrivals dated back, the more the less work",
	.flags = flags,
	.defaults = &defaults,
	.size = sizeof(defaults),
	.order = &keyed_order,
	.create = create,
	.destroy = keyed_destroy,
	.ended = ended,
};
