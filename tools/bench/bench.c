/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tools/base/doubles.h"
#include "tools/base/interrupt.h"
#include "tools/base/mem.h"
#include "tools/base/progress.h"

/* Taken for the level 3 cache where the system does not tell its size. */
#define LARGE_CACHE (64u << 20)

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static void read_cpu(char *name, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(name, size, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		char *value = strstr(line, ": ");

		if (strncmp(line, "model name", 10) || !value)
			continue;
		value[strcspn(value, "\n")] = '\0';
		snprintf(name, size, "%s", value + 2);
		break;
	}
	if (file)
		fclose(file);
}

/* Keep this thread on the processor where it runs. Return: which, or -1. */
static int pin(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return -1;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -1 : cpu;
}

static void learn_machine(struct bench_machine *machine)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct utsname names;

	read_cpu(machine->cpu, sizeof(machine->cpu));
	snprintf(machine->kernel, sizeof(machine->kernel), "unknown");
	if (!uname(&names))
		snprintf(machine->kernel, sizeof(machine->kernel),
			 "%.60s %.60s", names.sysname, names.release);
	machine->compiler = COMPILER;
	machine->cores = cores > 0 ? (unsigned int)cores : 1;
	machine->on_cpu = pin();
}

/* Twice the largest cache; every page is written, so that it exists. */
static int take_cold(struct bench *bench)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
	size_t bytes = 2 * (cache > 0 ? (size_t)cache : LARGE_CACHE);

	bench->cold = malloc(bytes);
	if (!bench->cold)
		return -ENOMEM;
	memset(bench->cold, 1, bytes);
	bench->machine.cold_bytes = bytes;
	return 0;
}

int bench_open(struct bench *bench, const struct bench_args *args,
	       struct diag *diag)
{
	bench->args = *args;
	learn_machine(&bench->machine);
	if (args->cold && take_cold(bench))
		return diag_set(diag, -ENOMEM, "out of memory");
	return 0;
}

void bench_close(struct bench *bench)
{
	free(bench->rows);
	free(bench->samples);
	free(bench->cold);
}

void bench_name(struct bench *bench, const char *form, uint64_t waiting)
{
	/* Relaxed: the line may show a form with the last one's length. */
	atomic_store_explicit(&bench->form, form, memory_order_relaxed);
	atomic_store_explicit(&bench->waiting, waiting, memory_order_relaxed);
}

void bench_begin(struct bench *bench)
{
	bench->num_samples = 0;
	bench->touched = 0.0;
	bench->touched_max = 0.0;
	bench->began = progress_clock();
}

bool bench_more(const struct bench *bench, size_t least, size_t most)
{
	if (bench->num_samples < least)
		return true;
	return bench->num_samples < most &&
	       progress_clock() - bench->began < bench->args.seconds;
}

void bench_chill(const struct bench *bench)
{
	volatile unsigned char *cold = bench->cold;

	/* Written, not read: so no other cache keeps a valid copy of a line. */
	for (size_t i = 0; i < bench->machine.cold_bytes; i += 64)
		cold[i]++;
}

int bench_sample(struct bench *bench, double us, double touched)
{
	double *samples = mem_grow(bench->samples, &bench->cap_samples,
				   bench->num_samples + 1, sizeof(*samples));

	if (!samples)
		return -ENOMEM;
	bench->samples = samples;
	if (interrupted())
		return -EINTR;
	bench->samples[bench->num_samples++] = us;
	bench->touched += touched;
	bench->touched_max = fmax(bench->touched_max, touched);
	return 0;
}

double bench_rank(const double *sorted, size_t num, double q)
{
	size_t rank = (size_t)ceil(q * (double)num);

	return sorted[rank ? rank - 1 : 0];
}

int bench_end(struct bench *bench, const struct bench_row *names)
{
	size_t num = bench->num_samples;
	struct bench_row *row = mem_grow(bench->rows, &bench->cap_rows,
					 bench->num_rows + 1, sizeof(*row));
	double sum = 0.0;

	if (!row)
		return -ENOMEM;
	bench->rows = row;
	for (size_t i = 0; i < num; i++)
		sum += bench->samples[i];
	doubles_sort(bench->samples, num);
	row = &bench->rows[bench->num_rows++];
	*row = *names;
	row->samples = num;
	row->p50_us = bench_rank(bench->samples, num, 0.5);
	row->p99_us = bench_rank(bench->samples, num, 0.99);
	row->max_us = bench->samples[num - 1];
	row->mean_us = sum / (double)num;
	if (!isnan(row->touched)) {
		row->touched = bench->touched / (double)num;
		row->touched_max = bench->touched_max;
	}
	return 0;
}

double bench_ratio(const struct bench *bench, const struct bench_row *row)
{
	for (size_t i = 0; i < bench->num_rows; i++) {
		const struct bench_row *other = &bench->rows[i];

		if (!strcmp(other->form, "fairway") &&
		    !strcmp(other->bench, row->bench) &&
		    other->waiting == row->waiting && other->p50_us > 0.0)
			return row->p50_us / other->p50_us;
	}
	return (double)NAN;
}
