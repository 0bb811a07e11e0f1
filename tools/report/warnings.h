/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPORT_WARNINGS_H
#define TOOLS_REPORT_WARNINGS_H

#include <stddef.h>

#include "report.h"

/**
 * struct warnings - what a reader must know before trusting the figures
 * @texts: a sentence each, without a stop
 * @num: how many
 */
struct warnings {
	char texts[8][200];
	size_t num;
};

void warnings_init(struct warnings *warnings, const struct report *report);

#endif
