/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int cmd_status(int err, struct diag *diag)
{
	if (!err)
		return EXIT_OK;
	diag_set(diag, err, "%s",
		 err == -ENOMEM ? "out of memory" : strerror(-err));
	return err == -ENOMEM ? EXIT_RUN : EXIT_INPUT;
}

int cmd_flush_stdout(struct diag *diag)
{
	int err;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	err = errno ? -errno : -EIO;
	return diag_set(diag, err, "standard output: %s", strerror(-err));
}
