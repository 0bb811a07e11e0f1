/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_MAIN_H
#define TESTS_FUZZ_FUZZ_MAIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Built with -DFUZZER a program that includes this is libFuzzer's target,
 * without it runs the files that it is given.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void promise(int kept, const char *what)
{
	if (kept)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

#ifndef FUZZER
static inline int run_file(const char *path)
{
	uint8_t *data = malloc(1 << 20);
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!data || !file) {
		perror(path);
		free(data);
		return 1;
	}
	size = fread(data, 1, 1 << 20, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int ret = 0;

	for (int i = 1; i < argc; i++)
		ret |= run_file(argv[i]);
	return ret;
}
#endif

#endif
