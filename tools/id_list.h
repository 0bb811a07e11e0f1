/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ID_LIST_H
#define TOOLS_ID_LIST_H

#include <stddef.h>
#include <stdint.h>

/*
 * Nine tenths of a trace are lists of ids. A JSON parser spends a dozen
 * nanoseconds and a call back on each; this reads the plain ones, and leaves
 * whatever else there may be, and all that is wrong, to the parser.
 */

/**
 * struct id_list - ids of one line; begins as zeros
 * @ids: the ids
 * @num: how many
 * @cap: room for
 */
struct id_list {
	uint64_t *ids;
	size_t num;
	size_t cap;
};

/* Return: 0, -ENOMEM. */
int id_list_add(struct id_list *list, uint64_t id);

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
size_t id_list_scan(struct id_list *list, const char *text, size_t len);

void id_list_destroy(struct id_list *list);

#endif
