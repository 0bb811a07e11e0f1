/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_CMD_H
#define TOOLS_CMD_CMD_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/base/diag.h"
#include "tools/base/options.h"

/*
 * Each subcommand has a file and a function here. The function reads its
 * arguments, of which argv[0] is the subcommand's name, and returns an exit
 * status. It writes what went wrong into @diag, and main() prints that.
 */
int cmd_analyze(int argc, char **argv, struct diag *diag);
int cmd_bench(int argc, char **argv, struct diag *diag);
int cmd_calibrate(int argc, char **argv, struct diag *diag);
int cmd_compare(int argc, char **argv, struct diag *diag);
int cmd_completion(int argc, char **argv, struct diag *diag);
int cmd_flood(int argc, char **argv, struct diag *diag);
int cmd_gen(int argc, char **argv, struct diag *diag);
int cmd_paper(int argc, char **argv, struct diag *diag);
int cmd_replay(int argc, char **argv, struct diag *diag);
int cmd_sim(int argc, char **argv, struct diag *diag);

/* The name of the bench at a place of the list, NULL at its end. */
const char *cmd_bench_name(size_t i);

/* Before cmd_completion(): what to complete. The list names that, too. */
struct command;
void cmd_completion_of(const struct command *list);

/* Their options. Those of sim stand in tools/node/sim_args.h. */
extern const struct opt_def analyze_options[];
extern const struct opt_def bench_options[];
extern const struct opt_def calibrate_options[];
extern const struct opt_def compare_options[];
extern const struct opt_def completion_options[];
extern const struct opt_def flood_options[];
extern const struct opt_def gen_options[];
extern const struct opt_def paper_options[];
extern const struct opt_def replay_options[];

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
