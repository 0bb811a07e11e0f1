/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_COMMANDS_H
#define TOOLS_CMD_COMMANDS_H

#include "tools/base/diag.h"

struct opt_def;

/**
 * struct command - a subcommand
 * @name: first argument
 * @summary: for --help
 * @run: see cmd.h
 * @options: what it takes, for the completion of shells
 */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv, struct diag *diag);
	const struct opt_def *options;
};

/* All of them, ended by one without a name. */
extern const struct command commands[];

#endif
