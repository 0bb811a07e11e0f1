/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_ID_LIST_H
#define TOOLS_TRACE_ID_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "id_runs.h"

/*
 * Nine tenths of a trace are lists of ids. A JSON parser spends a dozen
 * nanoseconds and a call back on each; this reads the plain ones, and leaves
 * whatever else there may be, and all that is wrong, to the parser.
 */

/**
 * id_list_scan() - read a list of whole numbers as JSON writes them
 * @list: the ids are added; as before where the scan fails
 * @text: what follows the list's '['
 * @len: bytes of it
 *
 * Return: Bytes before the list's ']', or 0 where the text is anything but at
 * least one number of 64 bits, apart by commas and blanks, and a ']', or where
 * there is no memory: the parser will say why.
 */
size_t id_list_scan(struct id_runs *list, const char *text, size_t len);

#endif
