/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <string.h>
#include <time.h>

#include "tests/cuda_double/double.h"
#include "tests/support/run.h"

/*
 * The double notices each kind of misuse, and nothing where there is none. A
 * test that passes on it is worth no more than this.
 */

enum {
	SIZE = 256
};

/* Two streams and an event of device 0, memory of the host and the device. */
static struct {
	cudaStream_t a;
	cudaStream_t b;
	cudaEvent_t event;
	unsigned char *host;
	unsigned char *device;
} at;

/* A kernel that writes to memory, after a while. */
struct touch {
	unsigned char *ptr;
	bool writes;
};

static void touch(const void *arg)
{
	const struct touch *t = arg;

	if (t->writes ? double_writes(t->ptr, SIZE)
		      : double_reads(t->ptr, SIZE))
		t->ptr[0] += t->writes;
}

static cudaError_t launch(unsigned char *ptr, bool writes, cudaStream_t stream)
{
	static const struct double_kernel kernel = {touch,
						    sizeof(struct touch)};
	struct touch t = {ptr, writes};
	void *args[] = {&t};
	const dim3 one = {1, 1, 1};

	return cudaLaunchKernel(&kernel, one, one, args, 0, stream);
}

static void begin(void)
{
	double_begin();
	ck_assert_int_eq(cudaSetDevice(0), 0);
	ck_assert_int_eq(cudaStreamCreateWithFlags(&at.a, 0), 0);
	ck_assert_int_eq(cudaStreamCreateWithFlags(&at.b, 0), 0);
	ck_assert_int_eq(cudaEventCreateWithFlags(&at.event, 0), 0);
	ck_assert_int_eq(cudaHostAlloc((void **)&at.host, SIZE, 0), 0);
	ck_assert_int_eq(cudaMalloc((void **)&at.device, SIZE), 0);
	memset(at.host, 1, SIZE);
}

static void sync(void)
{
	ck_assert_int_eq(cudaStreamSynchronize(at.a), 0);
	ck_assert_int_eq(cudaStreamSynchronize(at.b), 0);
}

static void give_back(void)
{
	cudaStreamDestroy(at.a);
	cudaStreamDestroy(at.b);
	cudaEventDestroy(at.event);
	cudaFreeHost(at.host);
	cudaFree(at.device);
}

/* End it; the double must have said this, or nothing. */
static void expect(const char *words)
{
	const char *wrong = double_end();

	if (words)
		ck_assert_msg(wrong && strstr(wrong, words),
			      "\"%s\" was not noticed: %s", words,
			      wrong ? wrong : "nothing was");
	else
		ck_assert_msg(!wrong, "%s", wrong);
}

static cudaError_t upload(cudaStream_t stream)
{
	return cudaMemcpyAsync(at.device, at.host, SIZE, cudaMemcpyHostToDevice,
			       stream);
}

/* A copy, a kernel on another stream behind an event, and a read. */
START_TEST(test_sound_use_is_no_fault)
{
	begin();
	ck_assert_int_eq(upload(at.a), 0);
	ck_assert_int_eq(cudaEventRecord(at.event, at.a), 0);
	ck_assert_int_eq(cudaStreamWaitEvent(at.b, at.event, 0), 0);
	ck_assert_int_eq(launch(at.device, true, at.b), 0);
	sync();
	ck_assert(double_host_reads(at.device, SIZE));
	ck_assert_uint_eq(at.device[0], 2);
	give_back();
	expect(NULL);
}
END_TEST

START_TEST(test_a_missing_wait_is_noticed)
{
	begin();
	upload(at.a);
	launch(at.device, true, at.b);
	sync();
	give_back();
	expect("without a wait");
}
END_TEST

/* The stream beside it has ended, which says nothing of this one. */
START_TEST(test_a_read_before_the_end_is_noticed)
{
	const struct timespec nap = {.tv_nsec = 20000000};

	begin();
	launch(at.device, true, at.a);
	nanosleep(&nap, NULL);
	ck_assert_int_eq(cudaStreamSynchronize(at.b), 0);
	ck_assert(!double_host_reads(at.device, SIZE));
	sync();
	ck_assert(double_host_reads(at.device, SIZE));
	give_back();
	expect("without a wait");
}
END_TEST

START_TEST(test_memory_in_use_is_not_freed)
{
	begin();
	upload(at.a);
	cudaFree(at.device);
	sync();
	at.device = NULL;
	cudaMalloc((void **)&at.device, SIZE);
	give_back();
	expect("in use");
}
END_TEST

START_TEST(test_freed_memory_is_not_used)
{
	unsigned char *freed;

	begin();
	freed = at.device;
	cudaFree(freed);
	launch(freed, true, at.a);
	sync();
	cudaMalloc((void **)&at.device, SIZE);
	give_back();
	expect("freed memory");
}
END_TEST

START_TEST(test_a_copy_from_memory_that_is_not_pinned_is_noticed)
{
	static unsigned char plain[SIZE];

	begin();
	cudaMemcpyAsync(at.device, plain, SIZE, cudaMemcpyHostToDevice, at.a);
	sync();
	give_back();
	expect("not pinned");
}
END_TEST

START_TEST(test_a_source_that_changes_before_its_copy_is_noticed)
{
	const struct double_faults hang = {.hang_at = 1};

	begin();
	double_arm(&hang);
	launch(at.device, true, at.a);
	upload(at.a);
	at.host[SIZE - 1]++;
	double_release();
	sync();
	give_back();
	expect("changed before it ran");
}
END_TEST

static void call_cuda(void *arg)
{
	(void)arg;
	ck_assert_int_eq(cudaEventQuery(at.event), cudaErrorNotPermitted);
}

START_TEST(test_a_call_from_a_host_function_is_noticed)
{
	begin();
	cudaLaunchHostFunc(at.b, call_cuda, NULL);
	sync();
	give_back();
	expect("in a host function");
}
END_TEST

static void nothing(void *arg)
{
	(void)arg;
}

START_TEST(test_a_host_function_that_stops_work_is_noticed)
{
	begin();
	launch(at.device, true, at.a);
	cudaLaunchHostFunc(at.a, nothing, NULL);
	sync();
	give_back();
	expect("would stop a stream");
}
END_TEST

START_TEST(test_handles_of_another_device_are_noticed)
{
	cudaEvent_t other;

	begin();
	cudaSetDevice(1);
	cudaEventCreateWithFlags(&other, 0);
	ck_assert_int_ne(cudaEventRecord(other, at.a), 0);
	cudaEventDestroy(other);
	give_back();
	expect("another device");
	begin();
	cudaSetDevice(1);
	ck_assert_int_ne(launch(at.device, true, at.a), 0);
	give_back();
	expect("another device");
}
END_TEST

START_TEST(test_handles_that_are_gone_are_noticed)
{
	begin();
	give_back();
	ck_assert_int_ne(cudaEventQuery(at.event), 0);
	expect("event that is gone");
	begin();
	give_back();
	ck_assert_int_ne(cudaStreamQuery(at.a), 0);
	expect("stream that is gone");
}
END_TEST

START_TEST(test_what_is_left_is_noticed)
{
	begin();
	at.host[0] = 0;
	cudaStreamDestroy(at.a);
	cudaStreamDestroy(at.b);
	cudaFreeHost(at.host);
	cudaFree(at.device);
	expect("an event left");
	begin();
	cudaStreamDestroy(at.a);
	cudaStreamDestroy(at.b);
	cudaEventDestroy(at.event);
	cudaFree(at.device);
	expect("pinned memory left");
}
END_TEST

START_TEST(test_waiting_and_allocating_in_the_steady_state_is_noticed)
{
	begin();
	double_steady(true);
	sync();
	double_steady(false);
	give_back();
	expect("while plans run");
	begin();
	double_steady(true);
	cudaFree(at.device);
	double_steady(false);
	cudaMalloc((void **)&at.device, SIZE);
	give_back();
	expect("while plans run");
}
END_TEST

/* Once, then all is well; or for good, and what is queued never runs. */
START_TEST(test_faults_come_where_they_were_ordered)
{
	const struct double_faults once = {.fail_at = 2,
					   .fail_with = cudaErrorInvalidValue};
	const struct double_faults lost = {.fail_at = 2,
					   .fail_with = cudaErrorLaunchFailure,
					   .sticky = true};

	begin();
	double_arm(&once);
	ck_assert_int_eq(cudaEventRecord(at.event, at.a), 0);
	ck_assert_int_eq(cudaEventRecord(at.event, at.a),
			 cudaErrorInvalidValue);
	ck_assert_int_eq(cudaGetLastError(), cudaErrorInvalidValue);
	ck_assert_int_eq(cudaGetLastError(), 0);
	sync();
	double_arm(&lost);
	ck_assert_int_eq(cudaEventQuery(at.event), 0);
	ck_assert_int_eq(upload(at.a), cudaErrorLaunchFailure);
	ck_assert_int_eq(cudaEventQuery(at.event), cudaErrorLaunchFailure);
	ck_assert_int_eq(cudaStreamSynchronize(at.a), cudaErrorLaunchFailure);
	give_back();
	expect(NULL);
}
END_TEST

static void touch_late(const void *arg)
{
	const struct timespec nap = {.tv_nsec = 20000000};

	nanosleep(&nap, NULL);
	touch(arg);
}

/* A kernel runs while its device gets lost: it has stopped when sync returns. */
START_TEST(test_what_runs_on_a_lost_device_is_over_after_a_wait)
{
	static const struct double_kernel kernel = {touch_late,
						    sizeof(struct touch)};
	const struct double_faults lost = {.fail_at = 1,
					   .fail_with = cudaErrorLaunchFailure,
					   .sticky = true};
	const struct timespec nap = {.tv_nsec = 5000000};
	struct touch t = {NULL, true};
	void *args[] = {&t};
	const dim3 one = {1, 1, 1};

	begin();
	t.ptr = at.device;
	ck_assert_int_eq(cudaLaunchKernel(&kernel, one, one, args, 0, at.a), 0);
	nanosleep(&nap, NULL);
	double_arm(&lost);
	ck_assert_int_eq(cudaStreamSynchronize(at.a), cudaErrorLaunchFailure);
	give_back();
	expect(NULL);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("cuda_double");
	TCase *tcase = tcase_create("checks");

	tcase_add_test(tcase, test_sound_use_is_no_fault);
	tcase_add_test(tcase, test_a_missing_wait_is_noticed);
	tcase_add_test(tcase, test_a_read_before_the_end_is_noticed);
	tcase_add_test(tcase, test_memory_in_use_is_not_freed);
	tcase_add_test(tcase, test_freed_memory_is_not_used);
	tcase_add_test(tcase,
		       test_a_copy_from_memory_that_is_not_pinned_is_noticed);
	tcase_add_test(tcase,
		       test_a_source_that_changes_before_its_copy_is_noticed);
	tcase_add_test(tcase, test_a_call_from_a_host_function_is_noticed);
	tcase_add_test(tcase, test_a_host_function_that_stops_work_is_noticed);
	tcase_add_test(tcase, test_handles_of_another_device_are_noticed);
	tcase_add_test(tcase, test_handles_that_are_gone_are_noticed);
	tcase_add_test(tcase, test_what_is_left_is_noticed);
	tcase_add_test(
		tcase,
		test_waiting_and_allocating_in_the_steady_state_is_noticed);
	tcase_add_test(tcase, test_faults_come_where_they_were_ordered);
	tcase_add_test(tcase,
		       test_what_runs_on_a_lost_device_is_over_after_a_wait);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
