/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_THREAD_H
#define TOOLS_BASE_THREAD_H

#include <pthread.h>

/**
 * thread_start() - pthread_create() for a thread that takes no signals
 * @thread: written only on success
 * @run: the thread
 * @arg: handed to @run
 *
 * The handlers of signals then run on the main thread, whose state they know.
 *
 * Return: 0 or a negative errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
