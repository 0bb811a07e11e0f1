/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FIT_STEPS_H
#define TOOLS_FIT_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/lines.h"

/*
 * Measured steps of a device, the file of --fit. It is CSV, and its first line
 * that is no comment names the columns: seconds, and either requests or tokens
 * and pairs. requests lists the chunks of the step, with blanks or semicolons
 * between them. A chunk is POSITION+NEW: tokens before it, tokens computed.
 *
 *	requests,seconds
 *	0+1500 4096+548,0.311
 */

/**
 * struct step - a step as it was measured
 * @tokens: tokens that it computed
 * @pairs: pairs of a query token and one that it attends to, see
 *	lib/cost/device.h
 * @seconds: time that it took
 * @line: its line of the file
 */
struct step {
	double tokens;
	double pairs;
	double seconds;
	uint64_t line;
};

/**
 * struct steps - all of a file
 * @list: in the order of the file
 * @num: how many, at least 1
 * @cap: room for
 */
struct steps {
	struct step *list;
	size_t num;
	size_t cap;
};

/**
 * steps_read() - read such a file
 * @steps: initialised here, only on success
 * @path: packed or not; "-" is standard input
 *
 * Return: 0 or -errno with @diag set.
 */
int steps_read(struct steps *steps, const char *path, struct diag *diag);

/* The same from open lines, which the caller closes. */
int steps_parse(struct steps *steps, struct lines *lines, struct diag *diag);

void steps_destroy(struct steps *steps);

#endif
