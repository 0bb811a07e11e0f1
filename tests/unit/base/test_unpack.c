/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/naive/oracle.h"
#include "tests/support/read_text.h"
#include "tests/support/run.h"
#include "tools/base/unpack.h"

/* Packed files: the same bytes as plain ones, or one clear line. */

enum {
	NUM_LINES = 3000,
	CAP = 1 << 20,
};

struct bytes {
	unsigned char data[CAP];
	size_t size;
};

static struct bytes plain, gz, zst;

static void pack_gzip(struct bytes *to, const struct bytes *from)
{
	z_stream z = {.next_in = (unsigned char *)from->data,
		      .avail_in = (uInt)from->size,
		      .next_out = to->data + to->size,
		      .avail_out = (uInt)(CAP - to->size)};

	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	to->size = CAP - z.avail_out;
	deflateEnd(&z);
}

static void pack_zstd(struct bytes *to, const struct bytes *from)
{
	size_t n = ZSTD_compress(to->data + to->size, CAP - to->size,
				 from->data, from->size, 3);

	ck_assert(!ZSTD_isError(n));
	to->size += n;
}

static void make_bytes(void)
{
	for (int i = 0; i < NUM_LINES; i++)
		plain.size +=
			(size_t)sprintf((char *)plain.data + plain.size,
					"line %d %d\n", i, i * 7919 % 1000);
	pack_gzip(&gz, &plain);
	pack_zstd(&zst, &plain);
}

/* Reads all of @from. Return: 0 or -errno; what came out is appended. */
static int unpack(const void *data, size_t size, size_t step, struct bytes *to,
		  _Atomic uint64_t *progress, struct diag *diag)
{
	struct lines_buffer from = {data, size, 0, step};
	struct lines_source packed = lines_buffer_source(&from);
	struct lines_source source;
	struct lines lines;
	const char *line;
	size_t len;
	int ret;

	ck_assert(!unpack_source(&source, &packed, 0, UINT64_C(1) << 40,
				 progress));
	ck_assert(!lines_open_source(&lines, "t", &source, NULL, diag));
	while ((ret = lines_next(&lines, &line, &len, diag)) > 0) {
		ck_assert_uint_lt(to->size + len, CAP);
		memcpy(to->data + to->size, line, len);
		to->size += len;
		to->data[to->size++] = '\n';
	}
	lines_close(&lines);
	return ret;
}

static const struct bytes *const forms[] = {&plain, &gz, &zst};
static const size_t steps[] = {1, 13, 4096, CAP};

START_TEST(test_every_form_gives_the_same_lines)
{
	static struct bytes out;
	const struct bytes *from = forms[_i % 3];
	_Atomic uint64_t progress = 0;
	struct diag diag = {""};

	out.size = 0;
	ck_assert_msg(!unpack(from->data, from->size, steps[_i / 3], &out,
			      &progress, &diag),
		      "%s", diag.text);
	ck_assert_uint_eq(out.size, plain.size);
	ck_assert_mem_eq(out.data, plain.data, plain.size);
	/* What an observer compares with the size of the file. */
	ck_assert_uint_eq(progress, from->size);
}
END_TEST

START_TEST(test_members_and_frames_follow_each_other)
{
	static struct bytes two, out;
	struct diag diag = {""};

	two.size = out.size = 0;
	for (int k = 0; k < 2; k++) {
		if (_i)
			pack_zstd(&two, &plain);
		else
			pack_gzip(&two, &plain);
	}
	ck_assert_msg(!unpack(two.data, two.size, 17, &out, NULL, &diag), "%s",
		      diag.text);
	ck_assert_uint_eq(out.size, 2 * plain.size);
}
END_TEST

static const char *const cut[] = {"t: cannot read (gzip data is cut off)",
				  "t: cannot read (zstd data is cut off)"};

START_TEST(test_cut_off_data_is_said_wherever_it_is_cut)
{
	static struct bytes out;
	const struct bytes *from = forms[1 + _i];

	/* Fewer bytes tell no form. */
	for (size_t size = 4; size < from->size; size += 1 + size / 97) {
		struct diag diag = {""};

		out.size = 0;
		ck_assert_int_eq(unpack(from->data, size, 4096, &out, NULL,
					&diag),
				 -EINVAL);
		ck_assert_str_eq(diag.text, cut[_i]);
	}
}
END_TEST

START_TEST(test_no_changed_byte_goes_unnoticed_by_gzip)
{
	static struct bytes bad, out;

	/* Behind the header, in whose time stamp nobody is interested. */
	for (size_t i = 10; i < gz.size; i += 1 + gz.size / 199) {
		struct diag diag = {""};

		bad = gz;
		out.size = 0;
		bad.data[i] ^= 0x41;
		ck_assert_int_lt(unpack(bad.data, bad.size, 4096, &out, NULL,
					&diag),
				 0);
		ck_assert_msg(strstr(diag.text, "gzip data"), "%s", diag.text);
	}
}
END_TEST

START_TEST(test_corrupt_zstd_gives_a_line_or_text)
{
	static struct bytes bad, out;

	for (size_t i = 4; i < zst.size; i += 1 + zst.size / 199) {
		struct diag diag = {""};

		bad = zst;
		out.size = 0;
		bad.data[i] ^= 0x41;
		if (unpack(bad.data, bad.size, 4096, &out, NULL, &diag) < 0)
			ck_assert_msg(strstr(diag.text, "t: cannot read (") ||
					      strstr(diag.text, "t:"),
				      "%s", diag.text);
	}
}
END_TEST

START_TEST(test_text_behind_the_data_is_refused)
{
	static struct bytes more, out;
	struct diag diag = {""};

	more = *forms[1 + _i];
	memcpy(more.data + more.size, "hello", 5);
	more.size += 5;
	out.size = 0;
	ck_assert_int_eq(unpack(more.data, more.size, 4096, &out, NULL, &diag),
			 -EINVAL);
	ck_assert_str_eq(diag.text, _i ? "t: cannot read (corrupt zstd data)"
				       : "t: cannot read (no gzip behind the "
					 "gzip data)");
}
END_TEST

/* Zeros are no lines, so they are counted where they come out. */
static ssize_t drain(const struct bytes *from, char *buf, size_t size,
		     const char **why)
{
	struct lines_buffer buffer = {(const char *)from->data, from->size, 0,
				      from->size};
	struct lines_source packed = lines_buffer_source(&buffer);
	struct lines_source source;
	ssize_t n;

	ck_assert(!unpack_source(&source, &packed, 0, 0, NULL));
	do {
		n = source.read(source.ctx, buf, size);
	} while (n > 0);
	*why = n < 0 ? source.why(source.ctx) : NULL;
	source.close(source.ctx);
	return n;
}

START_TEST(test_bomb_is_not_unpacked)
{
	enum {
		ZEROS = 256 << 20
	};
	static struct bytes bomb;
	char *zeros = calloc(1, ZEROS);
	char *buf = malloc(CAP);
	const char *why;

	/* Zstandard packs zeros over twenty thousand times. */
	bomb.size = ZSTD_compress(bomb.data, CAP, zeros, ZEROS, 19);
	ck_assert(!ZSTD_isError(bomb.size));
	ck_assert_int_eq(drain(&bomb, buf, CAP, &why), -EFBIG);
	ck_assert_str_eq(why, "it unpacks to far more than its size; --limit "
			      "unpacked=BYTES raises what it may");
	free(zeros);
	free(buf);
}
END_TEST

START_TEST(test_small_files_may_pack_very_well)
{
	static struct bytes packed;
	char *zeros = calloc(1, 3 << 20);
	char *buf = malloc(CAP);
	const char *why;

	packed.size = ZSTD_compress(packed.data, CAP, zeros, 3 << 20, 3);
	ck_assert_int_eq(drain(&packed, buf, CAP, &why), 0);
	free(zeros);
	free(buf);
}
END_TEST

START_TEST(test_short_files_are_plain)
{
	static const char *const texts[] = {"", "\x1f", "(\xb5/", "ab\n"};

	for (int i = 0; i < 4; i++) {
		static struct bytes out;
		struct diag diag = {""};

		out.size = 0;
		ck_assert(!unpack(texts[i], strlen(texts[i]), 1, &out, NULL,
				  &diag));
	}
}
END_TEST

START_TEST(test_packed_trace_is_told_by_its_inner_name)
{
	static const char csv[] = "TIMESTAMP,ContextTokens\n"
				  "2023-11-16 18:17:03,48\n";
	static struct bytes text, packed;
	char path[] = "/tmp/fairway-unpack.XXXXXX.csv.gz";
	struct read_options opt = {0};
	struct diag diag = {""};
	struct trace trace;
	int fd = mkstemps(path, 7);

	ck_assert_int_ge(fd, 0);
	close(fd);
	text.size = sizeof(csv) - 1;
	memcpy(text.data, csv, text.size);
	packed.size = 0;
	pack_zstd(&packed, &text);
	write_bytes(path, packed.data, packed.size);
	/* The bytes say how it is packed, whatever the name says. */
	ck_assert_msg(!trace_read(&trace, path, &opt, NULL, &diag), "%s",
		      diag.text);
	ck_assert_uint_eq(trace.num_reqs, 1);
	trace_destroy(&trace);
	unlink(path);
}
END_TEST

static void add(Suite *suite, TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_unchecked_fixture(tc, make_bytes, NULL);
	tcase_add_loop_test(tc, test_every_form_gives_the_same_lines, 0, 12);
	tcase_add_loop_test(tc, test_members_and_frames_follow_each_other, 0,
			    2);
	tcase_add_loop_test(tc, test_cut_off_data_is_said_wherever_it_is_cut, 0,
			    2);
	tcase_add_test(tc, test_no_changed_byte_goes_unnoticed_by_gzip);
	tcase_add_test(tc, test_corrupt_zstd_gives_a_line_or_text);
	tcase_add_loop_test(tc, test_text_behind_the_data_is_refused, 0, 2);
	tcase_add_test(tc, test_bomb_is_not_unpacked);
	tcase_add_test(tc, test_small_files_may_pack_very_well);
	tcase_add_test(tc, test_short_files_are_plain);
	tcase_add_test(tc, test_packed_trace_is_told_by_its_inner_name);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("unpack");

	add(suite, tcase_create("packed files"));
	return run_suite(suite);
}
