/* SPDX-License-Identifier: Apache-2.0 */
#include "keyed.h"
#include "lpm.h"

/*
 * lpm with protection: what PEEK's public description says of its order and
 * its cache, hence "peek-like". How PEEK is fair is not public.
 */

const struct policy policy_peek = {
	.name = "peek",
	.help = "lpm with protect: the public part of PEEK",
	.protect = true,
	.order = &keyed_order,
	.create = lpm_create,
	.destroy = keyed_destroy,
};
