/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_MARKUP_H
#define TOOLS_BASE_MARKUP_H

#include <stdio.h>

/**
 * markup_escape() - text as HTML and SVG hold it
 * @to: where the text goes
 * @text: any bytes; those that are no UTF-8, and control characters, become
 *	U+FFFD
 *
 * The result may stand in an element and in a quoted attribute.
 */
void markup_escape(FILE *to, const char *text);

#endif
