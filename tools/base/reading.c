/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void reading_line(const void *ctx, double seconds, char *buf,
			 size_t size)
{
	const struct reading *reading = ctx;
	/* Relaxed: the figure is only shown, nothing depends on it. */
	double mb = 1e-6 * (double)atomic_load_explicit(&reading->bytes,
							memory_order_relaxed);
	double rate = seconds > 0.0 ? mb / seconds : 0.0;

	if (reading->size)
		snprintf(buf, size, "reading: %.1f / %.1f MB  %.0f MB/s", mb,
			 1e-6 * (double)reading->size, rate);
	else
		snprintf(buf, size, "reading: %.1f MB  %.0f MB/s", mb, rate);
}

void reading_start(struct reading *reading, const char *path, bool quiet)
{
	struct stat st;

	atomic_init(&reading->bytes, 0);
	reading->size = 0;
	if (strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode))
		reading->size = (uint64_t)st.st_size;
	progress_start(&reading->progress, quiet, reading_line, reading);
}

void reading_stop(struct reading *reading)
{
	progress_stop(&reading->progress);
}
