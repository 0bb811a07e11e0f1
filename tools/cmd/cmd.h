/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_CMD_H
#define TOOLS_CMD_CMD_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/base/diag.h"

/*
 * Each subcommand has a file and a function here. The function reads its
 * arguments, of which argv[0] is the subcommand's name, and returns an exit
 * status. It writes what went wrong into @diag, and main() prints that.
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
 * @diag: filled with the text of @err where it is still empty
 *
 * Return: EXIT_OK without an error, EXIT_RUN for -ENOMEM, else EXIT_INPUT.
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
 * cmd_flush() - flush a standard stream and check that it took all
 * @to: stdout or stderr
 * @err: of the writing so far, 0 or a negative errno
 * @diag: names the stream that failed
 *
 * When the reader of standard output is gone, the rest of the command still
 * runs, so that its files are written. main() then ends it without a message.
 *
 * Return: 0 or a negative errno.
 */
int cmd_flush(FILE *to, int err, struct diag *diag);

/* The same for standard output, where no error is known so far. */
int cmd_flush_stdout(struct diag *diag);

/* Did a write to standard output fail because its reader is gone? */
bool cmd_reader_gone(void);

#endif
