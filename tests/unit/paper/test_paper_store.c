/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/run.h"
#include "tools/paper/paper.h"

/*
 * Finished runs in a folder, as many threads at once as --jobs allows on a
 * large machine, on a disk that takes its time.
 */

#define THREADS 64u

static char folder[] = "paper_store_XXXXXX";
static struct paper_scenario scenario = {.name = "s"};
static struct paper_run runs[THREADS];
static pthread_barrier_t start;

/* Instead of the C library's: all threads are in here before one is out. */
int fsync(int fd)
{
	const struct timespec disk = {.tv_nsec = 2000000};

	(void)fd;
	return nanosleep(&disk, NULL);
}

static void *put(void *arg)
{
	struct paper_run *run = arg;
	struct diag diag = {.text = ""};
	int err;

	pthread_barrier_wait(&start);
	err = paper_store_put(run, folder, &diag);
	if (err)
		fprintf(stderr, "%s\n", diag.text);
	return err ? run : NULL;
}

START_TEST(test_runs_that_end_at_once_are_all_kept)
{
	pthread_t threads[THREADS];
	unsigned int failed = 0;

	pthread_barrier_init(&start, NULL, THREADS);
	for (unsigned int i = 0; i < THREADS; i++) {
		runs[i].scenario = &scenario;
		runs[i].figures.requests = i;
		snprintf(runs[i].policy, sizeof(runs[i].policy), "p%u", i);
		ck_assert_int_eq(pthread_create(&threads[i], NULL, put,
						&runs[i]),
				 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		void *bad;

		pthread_join(threads[i], &bad);
		failed += bad != NULL;
	}
	pthread_barrier_destroy(&start);
	ck_assert_uint_eq(failed, 0);
	for (unsigned int i = 0; i < THREADS; i++) {
		struct paper_run found = runs[i];

		found.figures.requests = THREADS;
		ck_assert(paper_store_take(&found, folder));
		ck_assert_uint_eq(found.figures.requests, i);
	}
}
END_TEST

/* The folder is the test's own: a file for each run and nothing else. */
static void remove_folder(void)
{
	char path[64];

	for (unsigned int i = 0; i < THREADS; i++) {
		snprintf(path, sizeof(path), "%s/s_p%u_%016x.json", folder, i,
			 0u);
		unlink(path);
	}
	if (rmdir(folder))
		perror(folder);
}

int main(void)
{
	Suite *suite = suite_create("paper_store");
	TCase *tcase = tcase_create("paper_store");
	int ret;

	if (!mkdtemp(folder))
		return 1;
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_runs_that_end_at_once_are_all_kept);
	suite_add_tcase(suite, tcase);
	ret = run_suite(suite);
	remove_folder();
	return ret;
}
