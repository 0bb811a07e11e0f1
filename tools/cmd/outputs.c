/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs.h"

#include <errno.h>
#include <string.h>

void outputs_abort(struct outputs *outputs)
{
	for (int i = 0; i < (int)outputs->num; i++)
		if (outputs->list[i].path)
			out_abort(&outputs->list[i].out);
}

int outputs_open(struct outputs *outputs, struct diag *diag)
{
	int err = 0;
	int i;

	for (i = 0; i < (int)outputs->num && !err; i++)
		if (outputs->list[i].path)
			err = out_open(&outputs->list[i].out,
				       outputs->list[i].path, diag);
	if (!err)
		return 0;
	/* The last one that was tried did not open. */
	for (i -= 2; i >= 0; i--)
		if (outputs->list[i].path)
			out_abort(&outputs->list[i].out);
	return err;
}

/* All are filled before one is renamed: all are written, or none. */
int outputs_fill(struct outputs *outputs, const void *report, struct diag *diag)
{
	for (int i = 0; i < (int)outputs->num; i++) {
		FILE *to = outputs->list[i].out.file;
		int err;

		if (!outputs->list[i].path)
			continue;
		err = outputs->list[i].write(report, to);
		errno = 0;
		if (!err && fflush(to))
			err = errno ? -errno : -EIO;
		if (err)
			return diag_set(diag, err, "%s %s: %s",
					outputs->list[i].option,
					outputs->list[i].path, strerror(-err));
	}
	return 0;
}

int outputs_commit(struct outputs *outputs, struct diag *diag)
{
	int first = 0;

	for (int i = 0; i < (int)outputs->num; i++) {
		int err = 0;

		if (outputs->list[i].path && !first)
			err = out_commit(&outputs->list[i].out, diag);
		else if (outputs->list[i].path)
			out_abort(&outputs->list[i].out);
		if (err)
			first = err;
	}
	return first;
}

bool outputs_take_stdout(const struct outputs *outputs)
{
	for (int i = 0; i < (int)outputs->num; i++)
		if (outputs->list[i].path &&
		    !strcmp(outputs->list[i].path, "-"))
			return true;
	return false;
}
