/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_GUARD_H
#define TOOLS_BASE_GUARD_H

#include <sys/stat.h>

/*
 * No output takes the place of a file that is read. Every file that is opened
 * for reading is kept here until the process ends, and every file that an
 * open output will replace. They are known by device and inode, so a link or
 * another path does not matter. Only regular files count.
 *
 * Context: Any thread, but no signal handler.
 */

/**
 * guard_read() - a file is read from now on
 * @fd: of the file, open
 *
 * Return: 0, -EBUSY when an open output will replace it, -ENOMEM.
 */
int guard_read(int fd);

/* The same for a file that may be read later; one that is not there is fine. */
int guard_read_later(const char *path);

/**
 * guard_replace() - an output will replace a file
 * @st: of the file
 *
 * Return: 0, -EBUSY when the file is read, -ENOMEM.
 */
int guard_replace(const struct stat *st);

/* The output of guard_replace() was written or given up. */
void guard_replace_end(const struct stat *st);

#endif
