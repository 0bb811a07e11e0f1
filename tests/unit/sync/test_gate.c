/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sync/gate.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/run.h"

#define MS INT64_C(1000000)

static struct fw_gate gate;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 * MS + now.tv_nsec;
}

START_TEST(test_sleep_ends_by_its_timeout)
{
	int64_t start = now_ns();

	fw_gate_init(&gate);
	fw_gate_prepare(&gate);
	ck_assert_int_eq(fw_gate_wait(&gate, 20 * MS), -ETIMEDOUT);
	ck_assert_int_ge(now_ns() - start, 20 * MS);
	fw_gate_destroy(&gate);
}
END_TEST

/* Between prepare and wait is where a wake-up would be lost. */
START_TEST(test_wake_before_the_sleep_counts)
{
	fw_gate_init(&gate);
	fw_gate_prepare(&gate);
	fw_gate_wake(&gate);
	fw_gate_wake(&gate);
	ck_assert_int_eq(fw_gate_wait(&gate, -1), 0);
	fw_gate_destroy(&gate);
}
END_TEST

START_TEST(test_wake_of_a_busy_consumer_leaves_nothing)
{
	fw_gate_init(&gate);
	fw_gate_wake(&gate);
	fw_gate_prepare(&gate);
	fw_gate_cancel(&gate);
	fw_gate_wake(&gate);
	fw_gate_prepare(&gate);
	ck_assert_int_eq(fw_gate_wait(&gate, MS), -ETIMEDOUT);
	fw_gate_destroy(&gate);
}
END_TEST

static void nothing(int signal)
{
	(void)signal;
}

static void *interrupt_then_wake(void *arg)
{
	pthread_t sleeper = *(pthread_t *)arg;
	int i;

	for (i = 0; i < 20; i++) {
		pthread_kill(sleeper, SIGUSR1);
		usleep(1000);
	}
	fw_gate_wake(&gate);
	return NULL;
}

START_TEST(test_signals_do_not_end_the_sleep)
{
	struct sigaction action = {.sa_handler = nothing};
	pthread_t self = pthread_self();
	pthread_t waker;

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	fw_gate_init(&gate);
	fw_gate_prepare(&gate);
	ck_assert_int_eq(pthread_create(&waker, NULL, interrupt_then_wake,
					&self),
			 0);
	errno = 0;
	ck_assert_int_eq(fw_gate_wait(&gate, -1), 0);
	/* The library leaves errno alone. */
	ck_assert_int_eq(errno, 0);
	pthread_join(waker, NULL);
	fw_gate_destroy(&gate);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gate");
	TCase *tc = tcase_create("gate");

	tcase_add_test(tc, test_sleep_ends_by_its_timeout);
	tcase_add_test(tc, test_wake_before_the_sleep_counts);
	tcase_add_test(tc, test_wake_of_a_busy_consumer_leaves_nothing);
	tcase_add_test(tc, test_signals_do_not_end_the_sleep);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
