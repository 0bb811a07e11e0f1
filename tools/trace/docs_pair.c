/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/unpack.h"
#include "reader.h"
#include "trace_docs.h"

/* Requests over documents: the pair of files that they are in. */

/* The files are a pair by name: X.docs and X.reqs, each packed or not. */
static const char *const ends[] = {".docs", ".reqs"};

/* Return: Which of the two @path is, or -1; @len is that of X. */
static int which(const char *path, size_t *len)
{
	size_t stem = unpack_stem(path);

	for (int i = 0; i < 2; i++) {
		size_t n = strlen(ends[i]);

		if (stem > n && !memcmp(path + stem - n, ends[i], n)) {
			*len = stem - n;
			return i;
		}
	}
	return -1;
}

/* The other one may be packed where this one is not; plain where none is. */
static char *find_other(const char *path, size_t len, const char *end)
{
	static const char *const packed[] = {"", ".gz", ".zst"};
	char *other = malloc(len + strlen(end) + sizeof(".zst"));

	for (int i = 0; other && i < 3; i++) {
		sprintf(other, "%.*s%s%s", (int)len, path, end, packed[i]);
		if (!access(other, F_OK))
			return other;
	}
	if (other)
		other[len + strlen(end)] = '\0';
	return other;
}

static int read_pair(struct trace *trace, struct trace_input *in, int given,
		     const char *other, struct diag *diag)
{
	struct lines more;
	int ret = unpack_open(&more, other, in->opt.limits, NULL, diag);

	if (ret)
		return ret;
	ret = trace_parse_docs(trace, given ? &more : in->lines,
			       given ? in->lines : &more, in, diag);
	lines_close(&more);
	return ret;
}

static int read_input(struct trace *trace, struct trace_input *in,
		      struct diag *diag)
{
	size_t len;
	int given = which(in->path, &len);
	char *other;
	int ret;

	if (given < 0)
		return diag_set(diag, -EINVAL,
				"%s: expected a file named X.docs or X.reqs, "
				"with the other one beside it (read as docs; "
				"--format names another form)",
				in->lines->path);
	other = find_other(in->path, len, ends[!given]);
	if (!other)
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				in->path);
	ret = read_pair(trace, in, given, other, diag);
	free(other);
	return ret;
}

/* Enough to say what is missing, for a file of another name. */
static bool looks_like_docs(struct span line)
{
	return *line.at == '#' || memchr(line.at, '\t', line.len);
}

static const char *const suffixes[] = {".docs", ".reqs", NULL};

const struct trace_reader reader_docs = {
	.name = "docs",
	.help = "X.docs and X.reqs, requests over documents",
	.suffix = suffixes,
	.pair = true,
	.probe = looks_like_docs,
	.read = read_input,
};
