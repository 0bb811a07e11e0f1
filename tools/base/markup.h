/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_MARKUP_H
#define TOOLS_BASE_MARKUP_H

#include <stdio.h>

/**
 * markup_escape() - text as HTML and SVG hold it
 * @to: gets it
 * @text: anything; fit for element content and for quoted attributes. Bytes
 *	that are no UTF-8 and control characters become U+FFFD
 */
void markup_escape(FILE *to, const char *text);

#endif
