/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_COMPLETE_H
#define TOOLS_CMD_COMPLETE_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/base/options.h"

/*
 * Completion scripts for shells, made from the tables of options. So they offer
 * what --help tells, and nothing is kept twice.
 */

/* What a shell offers as an option's value. */
enum complete_kind {
	COMPLETE_NOTHING, /* a number, or what nobody can guess */
	COMPLETE_FILE,
	COMPLETE_FOLDER,
	COMPLETE_WORD, /* one of some words */
	COMPLETE_LIST, /* several of them, by commas */
};

/* Words of any value; checked by an assertion of complete_value(). */
enum {
	COMPLETE_MAX_WORDS = 64
};

/**
 * struct complete_value - the values of one option or operand
 * @kind: what they are
 * @words: for a word or a list, ended by NULL
 */
struct complete_value {
	enum complete_kind kind;
	const char *words[COMPLETE_MAX_WORDS + 1];
};

/* The values of @def, which takes one. */
void complete_value(struct complete_value *value, const struct opt_def *def);

/* Length of the first line of a help text, without a stop at its end. */
int complete_line(const char *help);

/* Text between single quotes, as each of the shells reads it. */
void complete_quote(const char *text, int len, const char *special, FILE *to);

/* Is it the end of a table of options? */
static inline bool complete_is_end(const struct opt_def *def)
{
	return !def->name && !def->help;
}

/* An option or the operand, not a heading? */
static inline bool complete_is_real(const struct opt_def *def)
{
	return def->name || def->key;
}

/* The scripts for the commands of a list. Errors stay in the stream. */
struct command;
void complete_bash(const struct command *list, FILE *to);
void complete_fish(const struct command *list, FILE *to);
void complete_zsh(const struct command *list, FILE *to);

#endif
