/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_LINES_BUFFER_H
#define TESTS_SUPPORT_LINES_BUFFER_H

#include <string.h>

#include "tools/base/lines.h"

/**
 * struct lines_buffer - memory that is read as a file
 * @data: the bytes
 * @size: of them
 * @pos: read so far
 * @step: bytes that one read gives at most, so that lines are cut anywhere
 */
struct lines_buffer {
	const char *data;
	size_t size;
	size_t pos;
	size_t step;
};

static inline ssize_t lines_buffer_read(void *ctx, void *buf, size_t size)
{
	struct lines_buffer *from = ctx;
	size_t n = from->size - from->pos;

	if (n > size)
		n = size;
	if (n > from->step)
		n = from->step;
	memcpy(buf, from->data + from->pos, n);
	from->pos += n;
	return (ssize_t)n;
}

static inline struct lines_source lines_buffer_source(struct lines_buffer *from)
{
	return (struct lines_source){.read = lines_buffer_read, .ctx = from};
}

#endif
