/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_H
#define TOOLS_CMD_H

#include "diag.h"

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

/* Standard output took it all? 0 or -errno with @diag set. */
int cmd_flush_stdout(struct diag *diag);

#endif
