/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "unpack.h"

enum {
	IN_SIZE = 128 << 10,
	MAGIC = 4, /* bytes that tell the forms apart */
};

/**
 * struct unpack - a packed file that is being read
 * @packed: its bytes
 * @progress: counts those
 * @unpack: fills a buffer; NULL until the form is known
 * @gzip: where the form is gzip
 * @zstd: where it is zstd
 * @open: inside a member or frame, so that the end would come too early
 * @why: what is wrong with the file, or NULL
 * @size: of @packed where it is known, else 0
 * @max: bytes that may be given out; 0 is the default
 * @got: bytes read of @packed
 * @given: bytes given out
 * @eof: @packed has no more
 * @pos: first byte of @in that was not used
 * @end: bytes in @in
 */
struct unpack {
	struct lines_source packed;
	_Atomic uint64_t *progress;
	ssize_t (*unpack)(struct unpack *u, void *buf, size_t size);
	z_stream gzip;
	ZSTD_DStream *zstd;
	bool open;
	const char *why;
	uint64_t size;
	uint64_t max;
	uint64_t got;
	uint64_t given;
	bool eof;
	size_t pos;
	size_t end;
	unsigned char in[IN_SIZE];
};

static ssize_t bad(struct unpack *u, int err, const char *why)
{
	u->why = why;
	return err;
}

/* Return: Bytes that @buf got, 0 at the end, -errno. */
static ssize_t read_packed(struct unpack *u, void *buf, size_t size)
{
	ssize_t n = u->packed.read(u->packed.ctx, buf, size);

	if (n < 0)
		return n;
	u->eof = !n;
	u->got += (uint64_t)n;
	/* Relaxed: a figure to look at, nothing is published by it. */
	if (u->progress)
		atomic_fetch_add_explicit(u->progress, (uint64_t)n,
					  memory_order_relaxed);
	return n;
}

/* Until at least @want bytes wait in @in, or the file ended. */
static int fill(struct unpack *u, size_t want)
{
	assert(want <= IN_SIZE);
	if (u->end - u->pos >= want)
		return 0;
	memmove(u->in, u->in + u->pos, u->end - u->pos);
	u->end -= u->pos;
	u->pos = 0;
	while (u->end < want && !u->eof) {
		ssize_t n = read_packed(u, u->in + u->end, IN_SIZE - u->end);

		if (n < 0)
			return (int)n;
		u->end += (size_t)n;
	}
	return 0;
}

static ssize_t copy_plain(struct unpack *u, void *buf, size_t size)
{
	size_t n = u->end - u->pos;

	if (!n)
		return u->eof ? 0 : read_packed(u, buf, size);
	if (n > size)
		n = size;
	memcpy(buf, u->in + u->pos, n);
	u->pos += n;
	return (ssize_t)n;
}

/* Where a member ended, another one may follow; anything else may not. */
static int next_gzip(struct unpack *u)
{
	int ret = fill(u, 2);

	if (ret)
		return ret;
	if (u->end == u->pos)
		return 0;
	if (u->end - u->pos < 2 || u->in[u->pos] != 0x1f ||
	    u->in[u->pos + 1] != 0x8b)
		return (int)bad(u, -EINVAL, "no gzip behind the gzip data");
	if (inflateReset(&u->gzip) != Z_OK)
		return (int)bad(u, -EINVAL, "corrupt gzip data");
	u->open = true;
	return 0;
}

static int gzip_failed(struct unpack *u, int status)
{
	if (status == Z_MEM_ERROR)
		return -ENOMEM;
	return (int)bad(u, -EINVAL, "corrupt gzip data");
}

/* One call of inflate. Return: 0 or -errno; what it gave is in avail_out. */
static int inflate_some(struct unpack *u)
{
	int status, ret;

	ret = fill(u, 1);
	if (ret)
		return ret;
	if (u->end == u->pos)
		return (int)bad(u, -EINVAL, "gzip data is cut off");
	u->gzip.next_in = u->in + u->pos;
	u->gzip.avail_in = (uInt)(u->end - u->pos);
	status = inflate(&u->gzip, Z_NO_FLUSH);
	u->pos = u->end - u->gzip.avail_in;
	if (status == Z_STREAM_END) {
		u->open = false;
		return next_gzip(u);
	}
	return status == Z_OK ? 0 : gzip_failed(u, status);
}

static ssize_t unpack_gzip(struct unpack *u, void *buf, size_t size)
{
	size_t room = size < UINT32_MAX ? size : UINT32_MAX;

	u->gzip.next_out = buf;
	u->gzip.avail_out = (uInt)room;
	while (u->gzip.avail_out == room && u->open) {
		int ret = inflate_some(u);

		if (ret)
			return ret;
	}
	return (ssize_t)(room - u->gzip.avail_out);
}

static int zstd_failed(struct unpack *u, size_t status)
{
	if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation)
		return -ENOMEM;
	if (ZSTD_getErrorCode(status) ==
	    ZSTD_error_frameParameter_windowTooLarge)
		return (int)bad(u, -EINVAL,
				"zstd data needs a window of over 128 MiB");
	return (int)bad(u, -EINVAL, "corrupt zstd data");
}

static ssize_t unpack_zstd(struct unpack *u, void *buf, size_t size)
{
	ZSTD_outBuffer out = {.dst = buf, .size = size};

	while (!out.pos) {
		ZSTD_inBuffer in = {.src = u->in};
		size_t status;
		int ret = fill(u, 1);

		if (ret)
			return ret;
		if (u->end == u->pos && !u->open)
			return 0;
		in.size = u->end;
		in.pos = u->pos;
		status = ZSTD_decompressStream(u->zstd, &out, &in);
		u->pos = in.pos;
		if (ZSTD_isError(status))
			return zstd_failed(u, status);
		/* At the file's end there may still be some inside it. */
		if (u->eof && u->end == u->pos && status && !out.pos)
			return bad(u, -EINVAL, "zstd data is cut off");
		u->open = status;
	}
	return (ssize_t)out.pos;
}

/* 16 + 15: a gzip header, and the largest window. */
static int begin_gzip(struct unpack *u)
{
	if (inflateInit2(&u->gzip, 16 + MAX_WBITS) != Z_OK)
		return -ENOMEM;
	u->unpack = unpack_gzip;
	u->open = true;
	return 0;
}

static int begin_zstd(struct unpack *u)
{
	u->zstd = ZSTD_createDStream();
	if (!u->zstd)
		return -ENOMEM;
	u->unpack = unpack_zstd;
	return 0;
}

static bool is_zstd(const unsigned char *in)
{
	static const unsigned char frame[MAGIC] = {0x28, 0xb5, 0x2f, 0xfd};
	static const unsigned char skipped[MAGIC - 1] = {0x2a, 0x4d, 0x18};

	return !memcmp(in, frame, MAGIC) ||
	       ((in[0] & 0xf0) == 0x50 &&
		!memcmp(in + 1, skipped, sizeof(skipped)));
}

static int begin(struct unpack *u)
{
	int ret = fill(u, MAGIC);

	if (ret)
		return ret;
	if (u->end >= 2 && u->in[0] == 0x1f && u->in[1] == 0x8b)
		return begin_gzip(u);
	if (u->end >= MAGIC && is_zstd(u->in))
		return begin_zstd(u);
	u->unpack = copy_plain;
	return 0;
}

static bool too_large(const struct unpack *u)
{
	uint64_t packed = u->size > u->got ? u->size : u->got;
	uint64_t ratio = packed > UNPACK_SMALL_BYTES ? UNPACK_LARGE_RATIO
						     : UNPACK_SMALL_RATIO;

	if (u->unpack == copy_plain)
		return false;
	if (u->max)
		return u->given > u->max;
	return u->given > UNPACK_MAX_BYTES ||
	       (u->given > UNPACK_FREE_BYTES && u->given / ratio > packed);
}

static ssize_t source_read(void *ctx, void *buf, size_t size)
{
	struct unpack *u = ctx;
	ssize_t n = u->unpack ? 0 : begin(u);

	if (!n)
		n = u->unpack(u, buf, size);
	if (n < 0)
		return n;
	u->given += (uint64_t)n;
	if (too_large(u))
		return bad(u, -EFBIG,
			   "it unpacks to far more than its size; --limit "
			   "unpacked=BYTES raises what it may");
	return n;
}

static const char *source_why(void *ctx)
{
	const struct unpack *u = ctx;

	if (!u->why && u->packed.why)
		return u->packed.why(u->packed.ctx);
	return u->why;
}

static uint64_t source_file_bytes(void *ctx)
{
	return ((const struct unpack *)ctx)->got;
}

static void source_close(void *ctx)
{
	struct unpack *u = ctx;

	/* A no-op where inflateInit2() never ran: the state is NULL. */
	inflateEnd(&u->gzip);
	ZSTD_freeDStream(u->zstd);
	if (u->packed.close)
		u->packed.close(u->packed.ctx);
	free(u);
}

int unpack_source(struct lines_source *source,
		  const struct lines_source *packed, uint64_t size,
		  uint64_t max, _Atomic uint64_t *progress)
{
	struct unpack *u = calloc(1, sizeof(*u));

	if (!u) {
		if (packed->close)
			packed->close(packed->ctx);
		return -ENOMEM;
	}
	u->packed = *packed;
	u->size = size;
	u->max = max;
	u->progress = progress;
	*source = (struct lines_source){
		.read = source_read,
		.why = source_why,
		.file_bytes = source_file_bytes,
		.close = source_close,
		.ctx = u,
	};
	return 0;
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	return (uint64_t)st.st_size;
}

int unpack_open(struct lines *lines, const char *path,
		const struct limits *limits, _Atomic uint64_t *progress,
		struct diag *diag)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	struct lines_source packed, source;
	int ret = lines_file(&packed, path, diag);

	if (ret)
		return ret;
	if (!limits)
		limits = &limits_default;
	ret = unpack_source(&source, &packed, size_of(path), limits->unpacked,
			    progress);
	if (ret)
		return diag_set(diag, ret, "%s: not enough memory", name);
	ret = lines_open_source(lines, name, &source, NULL, diag);
	if (!ret)
		lines->max_blank = limits->blank_lines;
	return ret;
}

int unpack_read(const char *path,
		int (*parse)(void *ctx, struct lines *lines, struct diag *diag),
		void *ctx, struct diag *diag)
{
	struct lines lines;
	int ret = unpack_open(&lines, path, NULL, NULL, diag);

	if (ret)
		return ret;
	ret = parse(ctx, &lines, diag);
	lines_close(&lines);
	return ret;
}

static bool ends_in(const char *path, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(path + len - n, end, n);
}

size_t unpack_stem(const char *path)
{
	size_t len = strlen(path);

	if (ends_in(path, len, ".gz"))
		return len - strlen(".gz");
	if (ends_in(path, len, ".zst"))
		return len - strlen(".zst");
	return len;
}
