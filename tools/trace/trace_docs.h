/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_TRACE_DOCS_H
#define TOOLS_TRACE_TRACE_DOCS_H

#include "input.h"
#include "trace.h"

/**
 * trace_parse_docs() - read requests over documents
 * @trace: initialised here, only on success
 * @docs: lines of the .docs file
 * @reqs: lines of the .reqs file
 * @in: its lines are not used
 *
 * A request is its arrival in ms or '-', output tokens or '-', tokens of its
 * own question, and the documents that come before it, in the order of the
 * prompt.
 *
 * Return: 0 or -errno with @diag set.
 */
int trace_parse_docs(struct trace *trace, struct lines *docs,
		     struct lines *reqs, struct trace_input *in,
		     struct diag *diag);

#endif
