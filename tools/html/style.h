/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_HTML_STYLE_H
#define TOOLS_HTML_STYLE_H

/* How every page looks: a style sheet. */
extern const char html_style[];

#endif
