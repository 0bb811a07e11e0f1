/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/run.h"
#include "tools/base/lines.h"
#include "tools/base/out.h"

static char folder[] = "/tmp/fairway-out.XXXXXX";
static char target[64];

static void make_folder(void)
{
	strcpy(folder, "/tmp/fairway-out.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(target, sizeof(target), "%s/report.json", folder);
}

static void remove_folder(void)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[512];

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	closedir(dir);
	rmdir(folder);
}

static int count_files(void)
{
	DIR *dir = opendir(folder);
	int num = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		num++;
	closedir(dir);
	return num - 2;
}

static void read_file(const char *path, struct diag *diag, int want)
{
	struct lines lines;

	ck_assert_int_eq(lines_open(&lines, path, NULL, diag), want);
	if (!want)
		lines_close(&lines);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void assert_content(const char *path, const char *text)
{
	char got[256] = "";
	FILE *file = fopen(path, "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(got, 1, sizeof(got) - 1, file), strlen(text));
	ck_assert_str_eq(got, text);
	fclose(file);
}

static void open_target(struct out *out)
{
	struct diag diag = {""};

	ck_assert_msg(!out_open(out, target, &diag), "%s", diag.text);
}

START_TEST(test_file_appears_whole_at_commit)
{
	struct diag diag = {""};
	struct out out;

	open_target(&out);
	fputs("half", out.file);
	fflush(out.file);
	ck_assert_int_ne(access(target, F_OK), 0);
	fputs(" and half", out.file);
	ck_assert_int_eq(out_commit(&out, &diag), 0);
	assert_content(target, "half and half");
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(test_old_content_stands_until_commit)
{
	struct diag diag = {""};
	struct stat before, after;
	struct out out;

	put(target, "old");
	ck_assert_int_eq(stat(target, &before), 0);
	open_target(&out);
	fputs("new", out.file);
	fflush(out.file);
	assert_content(target, "old");
	ck_assert_int_eq(out_commit(&out, &diag), 0);
	assert_content(target, "new");
	ck_assert_int_eq(stat(target, &after), 0);
	/* Another file by a rename, not the old one written over. */
	ck_assert(before.st_ino != after.st_ino);
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(test_abort_leaves_no_trace)
{
	struct out out;

	open_target(&out);
	fputs("half", out.file);
	fflush(out.file);
	ck_assert_int_eq(count_files(), 1);
	out_abort(&out);
	ck_assert_int_eq(count_files(), 0);
	out_abort(&out);
	put(target, "old");
	open_target(&out);
	fputs("half", out.file);
	out_abort(&out);
	assert_content(target, "old");
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(test_abort_after_commit_is_harmless)
{
	struct diag diag = {""};
	struct out out;

	open_target(&out);
	fputs("new", out.file);
	ck_assert_int_eq(out_commit(&out, &diag), 0);
	out_abort(&out);
	assert_content(target, "new");
}
END_TEST

START_TEST(test_file_that_was_read_is_not_replaced)
{
	struct diag diag = {""};
	struct out out;

	put(target, "input");
	read_file(target, &diag, 0);
	ck_assert_int_eq(out_open(&out, target, &diag), -EBUSY);
	ck_assert_ptr_nonnull(strstr(diag.text, target));
	assert_content(target, "input");
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* Until the output is done, the file that it will replace is not read. */
START_TEST(test_file_to_be_replaced_is_not_read)
{
	struct diag diag = {""}, none = {""};
	struct out out;

	put(target, "old");
	open_target(&out);
	read_file(target, &diag, -EBUSY);
	ck_assert_ptr_nonnull(strstr(diag.text, target));
	out_abort(&out);
	assert_content(target, "old");
	open_target(&out);
	fputs("new", out.file);
	ck_assert_int_eq(out_commit(&out, &none), 0);
	read_file(target, &none, 0);
	assert_content(target, "new");
}
END_TEST

/* A child, as the command does not go on after a signal either. */
START_TEST(test_abort_all_removes_what_is_open)
{
	struct out first, second, third;
	struct diag diag = {""};
	char other[80];
	pid_t child;
	int status;

	put(target, "old");
	fflush(NULL);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		snprintf(other, sizeof(other), "%s.csv", target);
		out_open(&first, target, &diag);
		out_open(&second, other, &diag);
		out_open(&third, other, &diag);
		out_commit(&second, &diag);
		out_abort_all();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	assert_content(target, "old");
	/* The old one, and the one that was committed. */
	ck_assert_int_eq(count_files(), 2);
}
END_TEST

START_TEST(test_mode_is_what_the_umask_gives)
{
	struct diag diag = {""};
	struct stat st;
	struct out out;
	mode_t old = umask(027);

	open_target(&out);
	ck_assert_int_eq(out_commit(&out, &diag), 0);
	umask(old);
	ck_assert_int_eq(stat(target, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0640);
}
END_TEST

START_TEST(test_link_keeps_pointing)
{
	struct diag diag = {""};
	struct stat st;
	struct out out;
	char link[80];

	snprintf(link, sizeof(link), "%s.link", target);
	put(target, "old");
	ck_assert_int_eq(symlink("report.json", link), 0);
	ck_assert_int_eq(out_open(&out, link, &diag), 0);
	fputs("new", out.file);
	ck_assert_int_eq(out_commit(&out, &diag), 0);
	ck_assert_int_eq(lstat(link, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	assert_content(target, "new");
}
END_TEST

START_TEST(test_longest_name_has_room_for_its_temporary)
{
	struct diag diag = {""};
	char path[512];
	char name[256];
	struct out out;

	memset(name, 'n', 255);
	name[255] = '\0';
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_msg(!out_open(&out, path, &diag), "%s", diag.text);
	ck_assert_int_eq(out_commit(&out, &diag), 0);
	ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

START_TEST(test_paths_that_cannot_be_written_are_told)
{
	struct diag diag = {""};
	struct diag other = {""};
	struct diag third = {""};
	struct out out;
	char path[128];

	snprintf(path, sizeof(path), "%s/none/x.json", folder);
	ck_assert_int_eq(out_open(&out, path, &diag), -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, path));
	ck_assert_ptr_nonnull(strstr(diag.text, "No such file"));
	ck_assert_int_eq(out_open(&out, folder, &other), -EISDIR);
	ck_assert_ptr_nonnull(strstr(other.text, folder));
	ck_assert_ptr_nonnull(strstr(other.text, "directory"));
	ck_assert_int_eq(out_open(&out, "", &third), -ENOENT);
	out_abort(&out);
	ck_assert_int_eq(count_files(), 0);
}
END_TEST

START_TEST(test_full_device_fails)
{
	struct diag diag = {""};
	struct out out;

	ck_assert_int_eq(out_open(&out, "/dev/full", &diag), 0);
	ck_assert_ptr_null(out.temp);
	for (int i = 0; i < _i; i++)
		fprintf(out.file, "line %d\n", i);
	ck_assert_int_lt(out_commit(&out, &diag), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "/dev/full: cannot write"));
	ck_assert_ptr_null(out.file);
}
END_TEST

START_TEST(test_devices_are_not_replaced)
{
	struct diag diag = {""};
	struct stat st;
	struct out out;

	ck_assert_int_eq(out_open(&out, "/dev/null", &diag), 0);
	fputs("gone", out.file);
	ck_assert_int_eq(out_commit(&out, &diag), 0);
	ck_assert_int_eq(stat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(test_pipe_gets_what_is_written)
{
	struct diag diag = {""};
	char got[16] = "";
	struct out out;
	int fd;

	ck_assert_int_eq(mkfifo(target, 0600), 0);
	fd = open(target, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	open_target(&out);
	fputs("through", out.file);
	ck_assert_int_eq(out_commit(&out, &diag), 0);
	ck_assert_int_eq(read(fd, got, sizeof(got)), 7);
	ck_assert_str_eq(got, "through");
	close(fd);
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

static int commit_to_stdout(const char *to)
{
	struct diag diag = {""};
	struct out out;
	int fd = open(to, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return 9;
	if (out_open(&out, "-", &diag) || out.file != stdout)
		return 8;
	fputs("to the reader", out.file);
	if (!out_commit(&out, &diag))
		return 0;
	return strstr(diag.text, "standard output: cannot write (No space") ? 1
									    : 7;
}

static int in_child(int (*run)(const char *), const char *arg)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child)
		_exit(run(arg));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Root may write everything, so that nobody tries. */
static int open_protected(const char *path)
{
	struct diag diag = {""};
	struct out out;

	if (!geteuid() && setuid(65534))
		return 9;
	if (out_open(&out, path, &diag) != -EACCES)
		return 8;
	return strstr(diag.text, "Permission denied") ? 0 : 7;
}

START_TEST(test_write_protected_file_is_not_replaced)
{
	put(target, "old");
	ck_assert_int_eq(chmod(target, 0444), 0);
	ck_assert_int_eq(chmod(folder, 0777), 0);
	ck_assert_int_eq(in_child(open_protected, target), 0);
	assert_content(target, "old");
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(test_standard_output_is_checked_too)
{
	ck_assert_int_eq(in_child(commit_to_stdout, target), 0);
	assert_content(target, "to the reader");
	ck_assert_int_eq(in_child(commit_to_stdout, "/dev/full"), 1);
}
END_TEST

static int open_without_stdout(const char *path)
{
	struct diag diag = {""};
	struct out out;

	close(STDOUT_FILENO);
	if (out_open(&out, path, &diag))
		return 9;
	if (write(STDOUT_FILENO, "table", 5) >= 0)
		return 8;
	fputs("report", out.file);
	return out_commit(&out, &diag) ? 7 : 0;
}

START_TEST(test_closed_standard_output_is_no_report)
{
	ck_assert_int_eq(in_child(open_without_stdout, target), 0);
	assert_content(target, "report");
}
END_TEST

START_TEST(test_outputs_are_many_but_not_endless)
{
	struct out outs[16], more;
	struct diag diag = {""};

	for (int i = 0; i < 16; i++)
		open_target(&outs[i]);
	ck_assert_int_eq(out_open(&more, target, &diag), -EMFILE);
	out_abort(&outs[3]);
	open_target(&more);
	out_abort(&more);
	for (int i = 0; i < 16; i++)
		out_abort(&outs[i]);
	ck_assert_int_eq(count_files(), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("out");
	TCase *tc = tcase_create("files");

	tcase_add_checked_fixture(tc, make_folder, remove_folder);
	tcase_add_test(tc, test_file_appears_whole_at_commit);
	tcase_add_test(tc, test_old_content_stands_until_commit);
	tcase_add_test(tc, test_abort_leaves_no_trace);
	tcase_add_test(tc, test_abort_after_commit_is_harmless);
	tcase_add_test(tc, test_file_that_was_read_is_not_replaced);
	tcase_add_test(tc, test_file_to_be_replaced_is_not_read);
	tcase_add_test(tc, test_abort_all_removes_what_is_open);
	tcase_add_test(tc, test_mode_is_what_the_umask_gives);
	tcase_add_test(tc, test_link_keeps_pointing);
	tcase_add_test(tc, test_longest_name_has_room_for_its_temporary);
	tcase_add_test(tc, test_paths_that_cannot_be_written_are_told);
	tcase_add_test(tc, test_write_protected_file_is_not_replaced);
	/* A line, one full buffer, and several of them. */
	tcase_add_loop_test(tc, test_full_device_fails, 1, 2);
	tcase_add_loop_test(tc, test_full_device_fails, 500, 501);
	tcase_add_loop_test(tc, test_full_device_fails, 5000, 5001);
	tcase_add_test(tc, test_devices_are_not_replaced);
	tcase_add_test(tc, test_pipe_gets_what_is_written);
	tcase_add_test(tc, test_standard_output_is_checked_too);
	tcase_add_test(tc, test_closed_standard_output_is_no_report);
	tcase_add_test(tc, test_outputs_are_many_but_not_endless);
	suite_add_tcase(suite, tc);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
