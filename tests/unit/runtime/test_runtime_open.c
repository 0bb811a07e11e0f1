/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>

#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"
#include "by_hand.h"

/* What opening refuses, and that it leaks nothing. */

static int open_fails(struct fw_config config)
{
	struct fw *none = NULL;
	int ret = fw_open(&none, &config);

	ck_assert_ptr_null(none);
	ck_assert_uint_eq(hand.destroyed, 0);
	return ret;
}

#define REFUSED(field, value, err)                    \
	do {                                          \
		struct fw_config c = defaults(1);     \
		c.field = value;                      \
		ck_assert_int_eq(open_fails(c), err); \
	} while (0)

START_TEST(test_settings_out_of_range_are_refused)
{
	struct {
		struct fw_config config;
		uint64_t tail;
	} newer = {defaults(1), 0};
	struct fw_order_config bad = {.size = sizeof(bad), .slo_floor = -1.0};

	REFUSED(size, 8, -EINVAL);
	REFUSED(done, NULL, -EINVAL);
	REFUSED(num_blocks, 0, -EINVAL);
	REFUSED(executor, NULL, -EINVAL);
	REFUSED(protect, 2, -EINVAL);
	REFUSED(num_classes, 65, -EINVAL);
	REFUSED(max_waiting, 1u << 24, -EINVAL);
	REFUSED(flags, 4, -EINVAL);
	REFUSED(order, &bad, -EINVAL);
	newer.config.size = sizeof(newer);
	newer.tail = 1;
	ck_assert_int_eq(fw_open(&fw, &newer.config), -E2BIG);
	newer.tail = 0;
	open_with(&newer.config, 20);
	close_all();
}
END_TEST

static int compute_nothing(void *ctx, const struct fw_plan *plan)
{
	(void)ctx;
	(void)plan;
	return 0;
}

START_TEST(test_executors_out_of_range_are_refused)
{
	static const struct fw_allocator none = {NULL, NULL, NULL};
	struct fw_model_config model = {.size = sizeof(model)};
	struct fw_host_config host = {.size = sizeof(host)};
	struct fw_executor out;

	ck_assert_int_eq(fw_executor_host(&out, NULL), -EINVAL);
	ck_assert_int_eq(fw_executor_host(&out, &host), -EINVAL);
	host.compute = compute_nothing;
	host.depth = FW_DEPTH_MAX + 1;
	ck_assert_int_eq(fw_executor_host(&out, &host), -EINVAL);
	host.depth = FW_DEPTH_MAX;
	host.allocator = &none;
	ck_assert_int_eq(fw_executor_host(&out, &host), -EINVAL);
	model.allocator = &none;
	ck_assert_int_eq(fw_executor_model(&out, &model), -EINVAL);
	model.allocator = NULL;
	model.device = "";
	ck_assert_int_eq(fw_executor_model(&out, &model), -ENODEV);
	model.speed = -1.0;
	ck_assert_int_eq(fw_executor_model(&out, &model), -EINVAL);
}
END_TEST

START_TEST(test_open_survives_any_failed_allocation)
{
	struct fw_order_config own = order;
	struct fail_alloc memory;
	struct fw *opened = NULL;
	size_t num = 0;
	int ret;

	fail_alloc_init(&memory);
	own.allocator = &memory.allocator;
	do {
		struct fw_config config = defaults(2);

		config.order = &own;
		fail_alloc_after(&memory, num++);
		ret = fw_open(&opened, &config);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert(fail_alloc_clean(&memory));
			ck_assert_ptr_null(opened);
		}
	} while (ret);
	ck_assert_uint_gt(num, 10);
	fail_alloc_disarm(&memory);
	ck_assert_int_eq(fw_close(opened, -1), 0);
	ck_assert(fail_alloc_clean(&memory));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_open");
	TCase *tcase = tcase_create("runtime_open");

	tcase_add_test(tcase, test_settings_out_of_range_are_refused);
	tcase_add_test(tcase, test_executors_out_of_range_are_refused);
	tcase_add_test(tcase, test_open_survives_any_failed_allocation);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
