/* SPDX-License-Identifier: Apache-2.0 */
#include "documents.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "tools/base/mem.h"
#include "tools/base/number.h"

void documents_destroy(struct documents *docs)
{
	fw_key_map_destroy(&docs->index);
	free(docs->tokens);
	docs->tokens = NULL;
}

uint32_t documents_find(const struct documents *docs, uint64_t id)
{
	const struct fw_key key = {.lo = id};

	return fw_key_map_get(&docs->index, &key);
}

static int add(struct documents *docs, uint64_t id, uint32_t tokens)
{
	const struct fw_key key = {.lo = id};
	uint32_t *grown;

	if (docs->num + 1 >= DOCUMENT_NONE ||
	    fw_key_map_reserve(&docs->index, docs->num + 1))
		return -ENOMEM;
	grown = mem_grow(docs->tokens, &docs->cap, docs->num + 1,
			 sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	docs->tokens = grown;
	fw_key_map_add(&docs->index, &key, (uint32_t)docs->num);
	docs->tokens[docs->num++] = tokens;
	return 0;
}

static int read_id(const struct documents *docs, const struct lines *lines,
		   struct span text, uint64_t *id, struct diag *diag)
{
	if (!span_u64(text, 0, UINT64_MAX, id))
		return lines_bad(lines, diag, "id",
				 "expected a whole number from 0 to %" PRIu64
				 " (%.*s)",
				 UINT64_MAX, SPAN_ARGS(text));
	if (documents_find(docs, *id) != DOCUMENT_NONE)
		return lines_bad(lines, diag, "id",
				 "expected each document once (%" PRIu64
				 " again)",
				 *id);
	return 0;
}

static int read_line(struct documents *docs, const struct lines *lines,
		     struct span line, struct diag *diag)
{
	struct span id_text, tokens_text;
	uint64_t id, tokens;
	int ret;

	span_cut(&line, '\t', &id_text);
	if (!span_cut(&line, '\t', &tokens_text))
		return lines_bad(lines, diag, "line",
				 "expected id, tokens and label, apart by tabs "
				 "(no tab%s)",
				 lines->whole ? "" : "; cut off");
	ret = read_id(docs, lines, id_text, &id, diag);
	if (ret)
		return ret;
	if (!span_u64(tokens_text, 1, INT32_MAX, &tokens))
		return lines_bad(lines, diag, "tokens",
				 "expected a whole number from 1 to %d (%.*s)",
				 INT32_MAX, SPAN_ARGS(tokens_text));
	if (add(docs, id, (uint32_t)tokens))
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				lines->path);
	return 0;
}

int documents_read(struct documents *docs, struct lines *lines,
		   struct diag *diag)
{
	struct documents read = {.num = 0};
	struct span line;
	int ret;

	fw_key_map_init(&read.index, &fw_allocator_default);
	while ((ret = lines_next(lines, &line.at, &line.len, diag)) > 0) {
		if (*line.at == '#')
			continue;
		ret = read_line(&read, lines, line, diag);
		if (ret)
			break;
	}
	if (!ret && !read.num)
		ret = diag_set(diag, -EINVAL,
			       "%s: expected at least one document (none)",
			       lines->path);
	if (ret)
		documents_destroy(&read);
	else
		*docs = read;
	return ret;
}
