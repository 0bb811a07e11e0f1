/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_LIMITS_H
#define TOOLS_BASE_LIMITS_H

#include <stdint.h>

#include "diag.h"

/**
 * struct limits - how much an input may ask for
 * @unpacked: bytes that a packed file unpacks to; 0 is the default, which
 *	grows with the packed file, see unpack.h
 * @blank_lines: in a row
 * @prompt: tokens of a prompt whose block ids a reader makes
 * @blocks: of a trace, those that a reader makes; 0 is the default, which
 *	grows with the file
 *
 * A few bytes must not ask for hours or for all of the memory. Each bound is
 * far past what engines write, and --limit raises it.
 */
struct limits {
	uint64_t unpacked;
	uint64_t blank_lines;
	uint64_t prompt;
	uint64_t blocks;
};

extern const struct limits limits_default;

/**
 * limits_parse() - read what --limit takes, NAME=N[,NAME=N]...
 * @limits: changed on success only; names that are not given stay
 *
 * Return: 0 or -EINVAL with @diag set.
 */
int limits_parse(struct limits *limits, const char *text, struct diag *diag);

#endif
