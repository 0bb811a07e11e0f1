/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_OPTIONS_H
#define TOOLS_BASE_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "diag.h"

/**
 * struct opt_def - one long option of a subcommand
 * @key: handed to the setter; over 255, or a letter that is a short form too
 * @name: without the dashes
 * @arg: what the help calls its value, NULL when it takes none
 * @help: one or more lines, split by newlines
 *
 * A table ends with OPT_END. An entry that has a help text and no name is a
 * heading. If it has a key too, it is the operand, which is set last.
 */
struct opt_def {
	int key;
	const char *name;
	const char *arg;
	const char *help;
};

/* Every subcommand has it; its setter is never called for it. */
#define OPT_HELP                                              \
	{                                                     \
		'h', "help", NULL, "print this help and exit" \
	}
#define OPT_HEADING(text)           \
	{                           \
		0, NULL, NULL, text \
	}
/* The one argument without dashes that a subcommand takes. */
#define OPT_OPERAND(key, arg, text)  \
	{                            \
		key, NULL, arg, text \
	}
#define OPT_END                     \
	{                           \
		0, NULL, NULL, NULL \
	}

/**
 * opt_parse() - read a subcommand's arguments
 * @defs: its options
 * @set: called for each in turn; returns 0 or -errno with @diag set
 * @ctx: handed to @set
 * @diag: says what is wrong with the arguments
 *
 * Return: 0, 1 when help was asked for, -errno.
 */
int opt_parse(int argc, char **argv, const struct opt_def *defs,
	      int (*set)(void *ctx, int key, char *value, struct diag *diag),
	      void *ctx, struct diag *diag);

/* The same with up to @operands operands, one call of @set for each. */
int opt_parse_operands(int argc, char **argv, const struct opt_def *defs,
		       unsigned int operands,
		       int (*set)(void *ctx, int key, char *value,
				  struct diag *diag),
		       void *ctx, struct diag *diag);

/* The options, aligned, as --help shows them. */
void opt_print(const struct opt_def *defs, FILE *to);

/* The option that @key stands for, without the dashes; NULL for an operand. */
const char *opt_name(const struct opt_def *defs, int key);

/*
 * Numbers as number.h reads them, with a diagnosis that names @what, what it
 * takes and what it got.
 */
int opt_u64(const char *what, const char *text, uint64_t min, uint64_t max,
	    uint64_t *out, struct diag *diag);
int opt_u32(const char *what, const char *text, uint32_t min, uint32_t max,
	    uint32_t *out, struct diag *diag);
int opt_real(const char *what, const char *text, double min, double max,
	     double *out, struct diag *diag);

#endif
