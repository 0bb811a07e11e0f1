/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines.h"

#include "guard.h"

/* Large enough that the cost of read(2) does not show. */
enum {
	CHUNK = 256 << 10
};
/* The longest line and as much as one read may bring behind it. */
enum {
	MAX_CAP = LINES_MAX + CHUNK
};

static ssize_t fd_read(void *ctx, void *buf, size_t size)
{
	ssize_t n;

	do {
		n = read((int)(intptr_t)ctx, buf, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static void fd_close(void *ctx)
{
	close((int)(intptr_t)ctx);
}

int lines_open_source(struct lines *lines, const char *path,
		      const struct lines_source *source,
		      _Atomic uint64_t *progress, struct diag *diag)
{
	*lines = (struct lines){
		.source = *source,
		.path = strdup(path),
		.progress = progress,
		.max_blank = LINES_MAX_BLANK,
		.buf = malloc(CHUNK),
		.cap = CHUNK,
	};
	if (lines->path && lines->buf)
		return 0;
	lines_close(lines);
	return diag_set(diag, -ENOMEM, "%s: not enough memory", path);
}

/* A directory can be opened, and says what it is only when it is read. */
static int open_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		return -EISDIR;
	}
	return fd;
}

int lines_file(struct lines_source *source, const char *path, struct diag *diag)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open_file(path);
	int err;

	if (fd < 0)
		return diag_set(diag, fd,
				"%s: expected a file that can be read (%s)",
				path, strerror(-fd));
	err = guard_read(fd);
	if (err) {
		if (!standard)
			close(fd);
		return diag_set(diag, err,
				err == -EBUSY
					? "%s: an output would replace this "
					  "file, which is read"
					: "%s: not enough memory",
				standard ? "standard input" : path);
	}
	*source = (struct lines_source){
		.read = fd_read,
		.close = standard ? NULL : fd_close,
		.ctx = (void *)(intptr_t)fd,
	};
	return 0;
}

int lines_open(struct lines *lines, const char *path,
	       _Atomic uint64_t *progress, struct diag *diag)
{
	struct lines_source source;
	int ret = lines_file(&source, path, diag);

	if (ret)
		return ret;
	return lines_open_source(lines, path, &source, progress, diag);
}

void lines_close(struct lines *lines)
{
	if (lines->source.close)
		lines->source.close(lines->source.ctx);
	free(lines->path);
	free(lines->buf);
	*lines = (struct lines){0};
}

int lines_bad(const struct lines *lines, struct diag *diag, const char *field,
	      const char *fmt, ...)
{
	char text[sizeof(diag->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return diag_set(diag, -EINVAL, "%s:%llu: %s: %s", lines->path,
			(unsigned long long)lines->number, field, text);
}

/* Room for one more chunk, by moving what is left to the front or growing. */
static int make_room(struct lines *lines)
{
	size_t left = lines->end - lines->start;
	size_t cap = lines->cap;
	char *buf;

	if (lines->start)
		memmove(lines->buf, lines->buf + lines->start, left);
	lines->start = 0;
	lines->end = left;
	while (cap - left < CHUNK / 2)
		cap = cap < MAX_CAP / 2 ? 2 * cap : MAX_CAP;
	if (cap == lines->cap)
		return 0;
	buf = realloc(lines->buf, cap);
	if (!buf)
		return -ENOMEM;
	lines->buf = buf;
	lines->cap = cap;
	return 0;
}

static int cannot_read(const struct lines *lines, int err, struct diag *diag)
{
	const struct lines_source *source = &lines->source;
	const char *why = source->why ? source->why(source->ctx) : NULL;

	return diag_set(diag, err, "%s: cannot read (%s)", lines->path,
			why ? why : strerror(-err));
}

static int read_more(struct lines *lines, struct diag *diag)
{
	ssize_t n = make_room(lines);

	if (n)
		return diag_set(diag, (int)n, "%s: not enough memory",
				lines->path);
	n = lines->source.read(lines->source.ctx, lines->buf + lines->end,
			       lines->cap - lines->end);
	if (n < 0)
		return cannot_read(lines, (int)n, diag);
	lines->eof = !n;
	lines->end += (size_t)n;
	lines->bytes += (uint64_t)n;
	/* Relaxed: a figure to look at, nothing is published by it. */
	if (lines->progress)
		atomic_fetch_add_explicit(lines->progress, (uint64_t)n,
					  memory_order_relaxed);
	return 0;
}

/* Length of the line at @start, once it is in the buffer as a whole. */
static int find_end(struct lines *lines, size_t *len, struct diag *diag)
{
	size_t seen = 0;
	const char *nl;
	int ret;

	for (;;) {
		size_t left = lines->end - lines->start;
		const char *from = lines->buf + lines->start;

		nl = memchr(from + seen, '\n', left - seen);
		*len = nl ? (size_t)(nl - from) : left;
		if (*len > LINES_MAX)
			return lines_bad(lines, diag, "line",
					 "expected at most %d bytes (more)",
					 LINES_MAX);
		lines->whole = nl;
		if (nl || lines->eof)
			return 0;
		seen = left;
		ret = read_more(lines, diag);
		if (ret)
			return ret;
	}
}

static void skip_mark(const char **line, size_t *len)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (*len >= 3 && !memcmp(*line, mark, 3)) {
		*line += 3;
		*len -= 3;
	}
}

static bool is_blank(const char *line, size_t len)
{
	while (len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	return !len;
}

uint64_t lines_file_bytes(const struct lines *lines)
{
	const struct lines_source *source = &lines->source;

	return source->file_bytes ? source->file_bytes(source->ctx)
				  : lines->bytes;
}

int lines_next(struct lines *lines, const char **line, size_t *len,
	       struct diag *diag)
{
	uint64_t from = lines->number;

	do {
		int ret;

		if (lines->number - from > lines->max_blank)
			return lines_bad(lines, diag, "line",
					 "expected at most %llu blank lines in "
					 "a row (more; --limit blank-lines=N "
					 "raises it)",
					 (unsigned long long)lines->max_blank);
		lines->number++;
		ret = find_end(lines, len, diag);
		if (ret)
			return ret;
		*line = lines->buf + lines->start;
		lines->last = *len + lines->whole;
		lines->start += lines->last;
		if (!*len && !lines->whole)
			return 0;
		if (lines->number == 1)
			skip_mark(line, len);
		if (*len && (*line)[*len - 1] == '\r')
			--*len;
	} while (is_blank(*line, *len));
	return 1;
}

void lines_again(struct lines *lines)
{
	lines->start -= lines->last;
	lines->last = 0;
	lines->number--;
}
