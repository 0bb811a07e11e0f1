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
 * @has_floor: there were steps on the floor; else tw is t0 and has no effect
 * @on_floor: how many steps were on the floor
 * @set_aside: steps so far off that they did not count
 * @median: of |measured - fitted| / measured, over all steps
 * @p90: the 90th percentile of the same
 * @worst: index of the step that is farthest off
 * @worst_off: its relative error; over 0 where it took longer than fitted
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
 * Relative errors are minimised: an error of a tenth counts the same in a short
 * and in a long step. O(n log n).
 *
 * Return: 0; -EINVAL with @diag set where the steps do not tell the constants;
 * -ENOMEM.
 */
int fit_steps(struct fit *fit, const struct steps *steps, const char *path,
	      struct diag *diag);

#endif
