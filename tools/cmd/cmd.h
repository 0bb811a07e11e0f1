/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_CMD_H
#define TOOLS_CMD_CMD_H

#include <stdio.h>

#include "tools/base/diag.h"

/*
 * One file a subcommand. Each reads its own arguments, argv[0] being its
 * name, and returns an exit status; what went wrong stands in @diag, and
 * main() prints it.
 */
int cmd_analyze(int argc, char **argv, struct diag *diag);
int cmd_bench(int argc, char **argv, struct diag *diag);
int cmd_calibrate(int argc, char **argv, struct diag *diag);
int cmd_flood(int argc, char **argv, struct diag *diag);
int cmd_gen(int argc, char **argv, struct diag *diag);
int cmd_paper(int argc, char **argv, struct diag *diag);
int cmd_replay(int argc, char **argv, struct diag *diag);
int cmd_sim(int argc, char **argv, struct diag *diag);

/**
 * cmd_status() - exit status of a subcommand that met bad input
 * @err: 0 or a negative errno
 * @diag: says "out of memory" where nobody else did
 *
 * Return: EXIT_OK, EXIT_INPUT, or EXIT_RUN when the machine is to blame.
 */
int cmd_status(int err, struct diag *diag);

/**
 * cmd_go() - do what the arguments ask for
 * @err: of reading the arguments: 0, 1 when help was asked for, -errno
 * @help: prints the help; returns an exit status
 * @run: does the work; returns an exit status
 * @ctx: handed to @run
 * @diag: as in cmd_status()
 *
 * Return: an exit status.
 */
int cmd_go(int err, int (*help)(struct diag *diag),
	   int (*run)(void *ctx, struct diag *diag), void *ctx,
	   struct diag *diag);

/**
 * cmd_flush() - end what was written to a standard stream
 * @to: stdout or stderr
 * @err: of the writing so far, 0 or a negative errno
 * @diag: names the stream where it did not take all
 *
 * Return: 0 or a negative errno.
 */
int cmd_flush(FILE *to, int err, struct diag *diag);

/* The same for standard output, where only its own state tells. */
int cmd_flush_stdout(struct diag *diag);

#endif
