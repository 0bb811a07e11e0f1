/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_FLAGS_H
#define TOOLS_POLICY_FLAGS_H

#include "ops.h"

/* What the flags of several policies have in common. */

/* A duration or a factor. Return: 0 or -errno. */
int flag_real(const char *what, const char *value, double *out,
	      struct diag *diag);

/**
 * flag_word() - which of some words is @value?
 * @words: at most a few, ended by NULL
 *
 * Return: Its place in @words, or -EINVAL with @diag set.
 */
int flag_word(const char *what, const char *value, const char *const *words,
	      struct diag *diag);

/* The flags that go with every policy. */
extern const struct policy_flag policy_common_flags[];

#endif
