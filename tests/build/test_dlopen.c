/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fairway/fairway.h>

#include "tests/support/run.h"

/*
 * The library as a plugin of somebody who loads and unloads it: nothing that
 * it leaves behind, threads and their destructors, may run into the void. This
 * program is not linked with it.
 */

#define THREADS 4

/* What is looked up by name. */
struct calls {
	int (*executor_host)(struct fw_executor *out,
			     const struct fw_host_config *config);
	int (*open)(struct fw **out, const struct fw_config *config);
	int (*submit)(struct fw *fw, struct fw_request *req, uint64_t *handle);
	int (*quiesce)(struct fw *fw);
	int (*run)(struct fw *fw);
	int (*close)(struct fw *fw, int64_t timeout);
};

static char path[4096];
static struct calls calls;
static struct fw *fw;
static pthread_barrier_t submitted, unloaded;
static int num_done;

static int compute(void *ctx, const struct fw_plan *plan)
{
	(void)ctx;
	return plan->num_entries ? 0 : -1;
}

static void done(void *ctx, struct fw_request *req,
		 const struct fw_result *result)
{
	(void)ctx;
	(void)req;
	num_done += result->outcome == FW_DONE;
}

/* A function pointer may be no void pointer. */
static void look_up(void *library, const char *name, void *to)
{
	void *found = dlsym(library, name);

	ck_assert_msg(found != NULL, "%s", name);
	memcpy(to, &found, sizeof(found));
}

static void *load(void)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	ck_assert_msg(library != NULL, "%s", dlerror());
	look_up(library, "fw_executor_host", &calls.executor_host);
	look_up(library, "fw_open", &calls.open);
	look_up(library, "fw_submit", &calls.submit);
	look_up(library, "fw_quiesce", &calls.quiesce);
	look_up(library, "fw_run", &calls.run);
	look_up(library, "fw_close", &calls.close);
	return library;
}

static void open_runtime(void)
{
	const struct fw_host_config host = {.size = sizeof(host),
					    .compute = compute};
	struct fw_config config = {.size = sizeof(config)};
	struct fw_executor executor;

	ck_assert_int_eq(calls.executor_host(&executor, &host), 0);
	config.executor = &executor;
	config.done = done;
	config.num_blocks = 64;
	ck_assert_int_eq(calls.open(&fw, &config), 0);
}

/* Registered by its submit, and ends when the library was closed. */
static void *submit_and_stay(void *arg)
{
	int *ret = arg;
	static struct fw_request reqs[THREADS];
	struct fw_request *req = &reqs[*ret];

	req->len = 20;
	*ret = calls.submit(fw, req, NULL);
	pthread_barrier_wait(&submitted);
	pthread_barrier_wait(&unloaded);
	return NULL;
}

START_TEST(test_threads_may_end_after_the_library_was_closed)
{
	pthread_t threads[THREADS];
	void *library = load();
	int rets[THREADS];

	open_runtime();
	pthread_barrier_init(&submitted, NULL, THREADS + 1);
	pthread_barrier_init(&unloaded, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		rets[i] = i;
		pthread_create(&threads[i], NULL, submit_and_stay, &rets[i]);
	}
	pthread_barrier_wait(&submitted);
	ck_assert_int_eq(calls.quiesce(fw), 0);
	ck_assert_int_eq(calls.run(fw), 0);
	ck_assert_int_eq(calls.close(fw, -1), 0);
	ck_assert_int_eq(num_done, THREADS);
	ck_assert_int_eq(dlclose(library), 0);
	pthread_barrier_wait(&unloaded);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_int_eq(rets[i], 0);
	}
}
END_TEST

START_TEST(test_the_library_may_be_loaded_again)
{
	for (int i = 0; i < 3; i++) {
		struct fw_request req = {.len = 20};
		void *library = load();

		open_runtime();
		ck_assert_int_eq(calls.submit(fw, &req, NULL), 0);
		ck_assert_int_eq(calls.quiesce(fw), 0);
		ck_assert_int_eq(calls.run(fw), 0);
		ck_assert_int_eq(calls.close(fw, -1), 0);
		ck_assert_int_eq(dlclose(library), 0);
	}
	ck_assert_int_eq(num_done, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dlopen");
	TCase *tcase = tcase_create("dlopen");
	const char *build = getenv("builddir");

	snprintf(path, sizeof(path), "%s/.libs/libfairway.so",
		 build ? build : ".");
	if (access(path, R_OK)) {
		printf("1..0 # SKIP no shared library was built\n");
		return 77;
	}
	tcase_add_test(tcase,
		       test_threads_may_end_after_the_library_was_closed);
	tcase_add_test(tcase, test_the_library_may_be_loaded_again);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
