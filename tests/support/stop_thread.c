/* SPDX-License-Identifier: Apache-2.0 */
#include "stop_thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Answers of the tracer. */
enum {
	STANDS,
	THROUGH,
	FAILED,
};

/* Questions that are no step. */
#define LET_GO UINT32_MAX
#define COUNT (UINT32_MAX - 1)

/* Where the action begins and where it ends, for the tracer to see. */
static void mark(void)
{
	syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGTRAP);
}

static void *be_victim(void *arg)
{
	struct stopper *stopper = arg;

	stopper->tid = (pid_t)syscall(SYS_gettid);
	sem_post(&stopper->ready);
	for (;;) {
		while (sem_wait(&stopper->go) && errno == EINTR)
			;
		if (stopper->over)
			return NULL;
		mark();
		stopper->action(stopper->arg);
		mark();
	}
}

/*
 * Wait until the victim stops. Is it at a mark? -1 when it is gone. Only a
 * mark is a SIGTRAP that somebody sent.
 */
static int wait_stop(pid_t tid)
{
	siginfo_t info;
	int status;

	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return -1;
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info))
		return -1;
	return WSTOPSIG(status) == SIGTRAP && info.si_code == SI_TKILL;
}

static int go_on(pid_t tid, int how)
{
	return (int)ptrace((enum __ptrace_request)how, tid, NULL, NULL);
}

/* From the mark at the beginning. What is left of @step says how far it is. */
static int step_to(pid_t tid, uint32_t *step)
{
	int at_mark = wait_stop(tid);

	if (at_mark != 1)
		return FAILED;
	for (; *step; --*step) {
		if (go_on(tid, PTRACE_SINGLESTEP))
			return FAILED;
		at_mark = wait_stop(tid);
		if (at_mark < 0)
			return FAILED;
		if (at_mark)
			return go_on(tid, PTRACE_CONT) ? FAILED : THROUGH;
	}
	return STANDS;
}

/* To the mark at the end. */
static int let_go(pid_t tid)
{
	if (go_on(tid, PTRACE_CONT) || wait_stop(tid) != 1 ||
	    go_on(tid, PTRACE_CONT))
		return FAILED;
	return THROUGH;
}

static void answer(const struct stopper *stopper, int what)
{
	if (write(stopper->answer[1], &what, sizeof(what)) != sizeof(what))
		_exit(1);
}

/* How many instructions is it from mark to mark? */
static int count(pid_t tid)
{
	uint32_t left = INT32_MAX;

	return step_to(tid, &left) == THROUGH ? INT32_MAX - (int)left : -1;
}

static int answer_to(pid_t tid, uint32_t question)
{
	switch (question) {
	case LET_GO:
		return let_go(tid);
	case COUNT:
		return count(tid);
	default:
		return step_to(tid, &question);
	}
}

static void be_tracer(const struct stopper *stopper)
{
	pid_t tid = stopper->tid;
	uint32_t step;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(stopper->ask[1]);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL)) {
		answer(stopper, FAILED);
		_exit(1);
	}
	answer(stopper, THROUGH);
	while (read(stopper->ask[0], &step, sizeof(step)) == sizeof(step))
		answer(stopper, answer_to(tid, step));
	_exit(0);
}

static int hear(struct stopper *stopper)
{
	int what;

	if (read(stopper->answer[0], &what, sizeof(what)) != sizeof(what))
		return FAILED;
	return what;
}

static int ask(struct stopper *stopper, uint32_t step)
{
	if (write(stopper->ask[1], &step, sizeof(step)) != sizeof(step))
		return FAILED;
	return hear(stopper);
}

static void end_victim(struct stopper *stopper)
{
	stopper->over = true;
	sem_post(&stopper->go);
	pthread_join(stopper->thread, NULL);
}

int stopper_init(struct stopper *stopper, void (*action)(void *arg), void *arg)
{
	*stopper = (struct stopper){.action = action, .arg = arg};
	sem_init(&stopper->ready, 0, 0);
	sem_init(&stopper->go, 0, 0);
	if (pipe(stopper->ask) || pipe(stopper->answer))
		return -errno;
	if (pthread_create(&stopper->thread, NULL, be_victim, stopper))
		return -EAGAIN;
	while (sem_wait(&stopper->ready) && errno == EINTR)
		;
	/* Where only descendants may be traced, say that this one may. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	stopper->tracer = fork();
	if (!stopper->tracer)
		be_tracer(stopper);
	close(stopper->answer[1]);
	if (stopper->tracer > 0 && hear(stopper) == THROUGH)
		return 0;
	end_victim(stopper);
	return -EPERM;
}

void stopper_destroy(struct stopper *stopper)
{
	int status;

	close(stopper->ask[1]);
	close(stopper->ask[0]);
	close(stopper->answer[0]);
	while (waitpid(stopper->tracer, &status, 0) < 0 && errno == EINTR)
		;
	end_victim(stopper);
	sem_destroy(&stopper->ready);
	sem_destroy(&stopper->go);
}

static void do_nothing(void *arg)
{
	(void)arg;
}

bool stopper_possible(void)
{
	struct stopper stopper;

#ifndef __x86_64__
	/* A step between an exclusive load and its store makes it fail. */
	puts("single steps break the loops of exclusive loads and stores");
	return false;
#endif
	if (stopper_init(&stopper, do_nothing, NULL)) {
		puts("no process may trace another here");
		return false;
	}
	stopper_destroy(&stopper);
	return true;
}

bool stopper_stop_at(struct stopper *stopper, uint32_t step)
{
	int what;

	sem_post(&stopper->go);
	what = ask(stopper, step);
	if (what == FAILED)
		abort();
	return what == STANDS;
}

uint32_t stopper_count(struct stopper *stopper)
{
	int num;

	sem_post(&stopper->go);
	num = ask(stopper, COUNT);
	if (num < 0)
		abort();
	return (uint32_t)num;
}

void stopper_release(struct stopper *stopper)
{
	if (ask(stopper, LET_GO) != THROUGH)
		abort();
}
