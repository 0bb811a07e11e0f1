/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_DOCUMENTS_H
#define TOOLS_TRACE_DOCUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/key_map.h"
#include "tools/base/lines.h"

#define DOCUMENT_NONE UINT32_MAX

/**
 * struct documents - what a .docs file says
 * @index: id of a document to its place
 * @tokens: of each document, by place
 * @num: documents
 * @cap: room for
 */
struct documents {
	struct fw_key_map index;
	uint32_t *tokens;
	size_t num;
	size_t cap;
};

/**
 * documents_read() - read a .docs file
 * @docs: initialised here, only on success
 * @lines: id, tokens and label of a document, apart by tabs; the label may be
 *	missing and is not kept; lines that begin with '#' are comments
 *
 * Return: 0 or -errno with @diag set.
 */
int documents_read(struct documents *docs, struct lines *lines,
		   struct diag *diag);
void documents_destroy(struct documents *docs);

/* Place of the document of this id, or DOCUMENT_NONE. */
uint32_t documents_find(const struct documents *docs, uint64_t id);

#endif
