/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FIT_FIT_H
#define TOOLS_FIT_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cost/device.h"
#include "tools/base/diag.h"
#include "steps.h"

/**
 * struct fit - step times fitted to measured steps
 * @device: the constants; its name is "table"
 * @has_floor: steps on the floor were seen; else tw is t0, which never binds
 * @on_floor: steps whose time is the floor's
 * @set_aside: steps so far off that they did not count
 * @median: of |measured - fitted| / measured, over all steps
 * @p90: the same
 * @worst: the step that is farthest off, by its place
 * @worst_off: how far, with its sign: over 0 it took longer than fitted
 */
struct fit {
	struct fw_device device;
	bool has_floor;
	size_t on_floor;
	size_t set_aside;
	double median;
	double p90;
	size_t worst;
	double worst_off;
};

/**
 * fit_steps() - T = max(Tw, t0 + a * N) + b * P, by robust least squares
 * @fit: written only on success
 * @steps: in any order
 * @path: for messages
 *
 * Relative errors are minimised, since a step that is off by a tenth matters
 * as much whatever its length. O(n log n).
 *
 * Return: 0; -EINVAL with @diag set where the steps do not tell the constants;
 * -ENOMEM.
 */
int fit_steps(struct fit *fit, const struct steps *steps, const char *path,
	      struct diag *diag);

#endif
