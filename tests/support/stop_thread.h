/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_STOP_THREAD_H
#define TESTS_SUPPORT_STOP_THREAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A thread that is stopped at an instruction of one's choice: another process
 * single-steps it through a function by ptrace and lets it stand there, while
 * the threads of this process go on. Linux only.
 *
 *	if (stopper_init(&stopper, action, arg))
 *		skip: tracing is not allowed here
 *	for (k = 0; stopper_stop_at(&stopper, k); k++) {
 *		whatever must go on beside it;
 *		stopper_release(&stopper);
 *		whatever must hold once it went on;
 *	}
 *	stopper_destroy(&stopper);
 */

/**
 * struct stopper - the thread, and the process that traces it
 * @action: what the thread does at each call of stopper_stop_at()
 * @arg: handed to @action
 * @thread: the victim
 * @tid: its id, once @ready was posted
 * @ready: posted by the victim
 * @go: posted to the victim
 * @over: the victim ends at the next @go
 * @tracer: the process
 * @ask: pipe to it
 * @answer: pipe from it
 */
struct stopper {
	void (*action)(void *arg);
	void *arg;
	pthread_t thread;
	pid_t tid;
	sem_t ready;
	sem_t go;
	bool over;
	pid_t tracer;
	int ask[2];
	int answer[2];
};

/**
 * stopper_possible() - can a thread be stopped at its instructions here?
 *
 * Says why not on standard output, for a test that is then skipped.
 */
bool stopper_possible(void);

/* Return: 0, -errno when this process must not be traced. */
int stopper_init(struct stopper *stopper, void (*action)(void *arg), void *arg);
void stopper_destroy(struct stopper *stopper);

/**
 * stopper_stop_at() - run the action up to an instruction
 * @stopper: whose victim is not standing
 * @step: instructions that it executes, from 0
 *
 * Return: Whether it stands there now; false when it was through before.
 */
bool stopper_stop_at(struct stopper *stopper, uint32_t step);

/* Run the action to its end. Return: the instructions that it executed. */
uint32_t stopper_count(struct stopper *stopper);

/* Let the victim go on, and wait until it is through. */
void stopper_release(struct stopper *stopper);

#endif
