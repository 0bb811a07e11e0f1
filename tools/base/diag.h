/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_DIAG_H
#define TOOLS_BASE_DIAG_H

#include <stddef.h>

/*
 * One clear line about bad input: where it is, what it is, what was expected.
 * A function that can meet bad input takes a struct diag, fills it and returns
 * -errno. Only main() prints it.
 */

/* Exit status of the command. */
enum {
	EXIT_OK = 0,
	EXIT_RUN = 1, /* the run itself failed */
	EXIT_INPUT = 2, /* the input or the command line is wrong */
	EXIT_SIGINT = 130,
};

/**
 * struct diag - what is wrong
 * @text: one line without a newline; "" while nothing is
 */
struct diag {
	char text[512];
};

/**
 * diag_set() - say what is wrong
 * @diag: filled only while it is empty, so that the first cause stays
 * @err: a negative errno
 * @fmt: without a newline; control characters of the input are made visible
 *
 * Return: @err, so that callers can return diag_set(...).
 */
int diag_set(struct diag *diag, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * closest() - the name that a mistyped word most likely meant
 * @word: what was given
 * @names: known names, ended by NULL
 *
 * Return: One of @names, or NULL when none is near.
 */
const char *closest(const char *word, const char *const *names);

/**
 * list_names() - names in a row, as a message has them: "a, b or c"
 * @buf: gets them, cut where it is too small
 * @size: of @buf
 * @names: ended by NULL
 * @last: the word before the last one
 */
void list_names(char *buf, size_t size, const char *const *names,
		const char *last);

#endif
