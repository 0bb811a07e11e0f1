/* SPDX-License-Identifier: Apache-2.0 */
#include "span.h"

struct span span_trim(struct span span)
{
	while (span.len && (*span.at == ' ' || *span.at == '\t')) {
		span.at++;
		span.len--;
	}
	while (span.len &&
	       (span.at[span.len - 1] == ' ' || span.at[span.len - 1] == '\t'))
		span.len--;
	return span;
}

bool span_cut(struct span *rest, char separator, struct span *field)
{
	const char *end;

	if (!rest->at)
		return false;
	end = memchr(rest->at, separator, rest->len);
	*field = *rest;
	if (end) {
		field->len = (size_t)(end - rest->at);
		rest->at = end + 1;
		rest->len -= field->len + 1;
	} else {
		*rest = (struct span){NULL, 0};
	}
	*field = span_trim(*field);
	return true;
}
