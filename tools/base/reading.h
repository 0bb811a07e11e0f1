/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_READING_H
#define TOOLS_BASE_READING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "progress.h"

/**
 * struct reading - the line on a terminal while a file is being read
 * @bytes: of the file so far; the reader adds to it
 * @size: of the file, 0 where it is not known
 * @progress: the line
 */
struct reading {
	_Atomic uint64_t bytes;
	uint64_t size;
	struct progress progress;
};

/**
 * reading_start() - begin to show it
 * @path: "-" is standard input
 * @quiet: show nothing
 */
void reading_start(struct reading *reading, const char *path, bool quiet);
void reading_stop(struct reading *reading);

#endif
