/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

int cmd_status(int err, struct diag *diag)
{
	if (!err)
		return EXIT_OK;
	diag_set(diag, err, "%s",
		 err == -ENOMEM ? "out of memory" : strerror(-err));
	return err == -ENOMEM ? EXIT_RUN : EXIT_INPUT;
}

int cmd_go(int err, int (*help)(struct diag *diag),
	   int (*run)(void *ctx, struct diag *diag), void *ctx,
	   struct diag *diag)
{
	if (err > 0)
		return help(diag);
	if (err)
		return cmd_status(err, diag);
	return run(ctx, diag);
}

bool cmd_reader_gone(void)
{
	struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return ferror(stdout) && poll(&fd, 1, 0) > 0 && fd.revents & POLLERR;
}

int cmd_flush(FILE *to, int err, struct diag *diag)
{
	errno = 0;
	if (!err && (fflush(to) || ferror(to)))
		err = errno ? -errno : -EIO;
	if (err && to == stdout && cmd_reader_gone())
		return 0;
	if (err)
		diag_set(diag, err, "%s: %s",
			 to == stderr ? "standard error" : "standard output",
			 strerror(-err));
	return err;
}

int cmd_flush_stdout(struct diag *diag)
{
	return cmd_flush(stdout, 0, diag);
}
