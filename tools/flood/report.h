/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FLOOD_REPORT_H
#define TOOLS_FLOOD_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "flood.h"

/* Did every request end once, in order, as its cancels were told? */
bool flood_clean(const struct flood_result *result);

/* Each returns 0, -ENOMEM, or what stdio met. */
int flood_table(const struct flood *flood, const struct flood_result *result,
		FILE *to);
int flood_json(const struct flood *flood, const struct flood_result *result,
	       FILE *to);

#endif
