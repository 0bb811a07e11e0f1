/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_TORTURE_H
#define TESTS_SUPPORT_TORTURE_H

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "draw.h"

/*
 * What torture programs share. Threads start inside a test, since those of an
 * unchecked fixture are missing in check's child; they count what goes wrong,
 * and the test asserts when they are joined: a failed assertion in a thread
 * would leave the others running.
 */

#if defined(TORTURE_SLOW)
/* The build says so. */
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TORTURE_SLOW 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define TORTURE_SLOW 1
#endif
#endif

/* Fewer rounds where each takes ten times as long; or as many as asked for. */
static inline uint32_t torture_rounds(uint32_t rounds)
{
	const char *text = getenv("FAIRWAY_TORTURE");
	uint32_t times = text && *text ? (uint32_t)strtoul(text, NULL, 0) : 1;

#ifdef TORTURE_SLOW
	rounds /= 10;
#endif
	return rounds * (times ? times : 1);
}

/* Now and then let another thread run, at a place the caller chose. */
static inline void torture_pause(struct draw *draw)
{
	if (one_in(draw, 64))
		sched_yield();
}

static inline int64_t torture_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline void torture_start(pthread_t *thread, void *(*run)(void *),
				 void *arg)
{
	ck_assert_int_eq(pthread_create(thread, NULL, run, arg), 0);
}

#endif
