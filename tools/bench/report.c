/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "tools/base/grid.h"
#include "tools/base/interrupt.h"
#include "bench.h"

static void print_machine(const struct bench *bench, FILE *to)
{
	const struct bench_machine *machine = &bench->machine;

	fprintf(to, "%s, %u cores, %s, %s\n", machine->cpu, machine->cores,
		machine->kernel, machine->compiler);
	if (machine->on_cpu >= 0)
		fprintf(to, "pinned to CPU %d; ", machine->on_cpu);
	else
		fputs("not pinned to a CPU; ", to);
	if (machine->cold_bytes)
		fprintf(to, "cold: %zu MiB are walked before each sample\n",
			machine->cold_bytes >> 20);
	else
		fputs("warm: one sample right after the other\n", to);
	fprintf(to, "seed %" PRIu64 "; times in microseconds\n",
		bench->args.seed);
}

static const char *const head[] = {
	"form",	 "waiting", "samples", "median",  "p99",
	"worst", "mean",    "ratio",   "touched", "most",
};

#define NUM_COLUMNS (sizeof(head) / sizeof(head[0]))

/* Three digits that mean something. */
static void cell_us(struct grid *grid, double us)
{
	grid_real(grid, us, us < 0.1 ? 4 : us < 1000.0 ? 2 : 0);
}

static void cell_ratio(struct grid *grid, double ratio)
{
	grid_real(grid, ratio, ratio < 100.0 ? 2 : 0);
}

static void fill_row(struct grid *grid, const struct bench *bench,
		     const struct bench_row *row)
{
	grid_text(grid, row->form);
	if (row->waiting)
		grid_count(grid, row->waiting);
	else
		grid_text(grid, "-");
	grid_count(grid, row->samples);
	cell_us(grid, row->p50_us);
	cell_us(grid, row->p99_us);
	cell_us(grid, row->max_us);
	cell_us(grid, row->mean_us);
	cell_ratio(grid, bench_ratio(bench, row));
	grid_real(grid, row->touched, 1);
	grid_real(grid, row->touched_max, 0);
}

/* Forms of one length stand together, and lengths of one form. */
static bool same_block(const struct bench_row *a, const struct bench_row *b)
{
	return !strcmp(a->bench, b->bench) &&
	       (a->waiting == b->waiting || !strcmp(a->form, b->form));
}

static int print_block(const struct bench *bench, size_t from, size_t to_row,
		       FILE *to)
{
	struct grid grid;
	int err;

	fprintf(to, "\n%s\n", bench->rows[from].bench);
	grid_init(&grid, NUM_COLUMNS, 1);
	for (size_t i = 0; i < NUM_COLUMNS; i++)
		grid_text(&grid, head[i]);
	for (size_t i = from; i < to_row; i++)
		fill_row(&grid, bench, &bench->rows[i]);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	return err;
}

int bench_table(const struct bench *bench, FILE *to)
{
	size_t from = 0;

	errno = 0;
	print_machine(bench, to);
	while (from < bench->num_rows) {
		size_t i = from + 1;
		int err;

		while (i < bench->num_rows &&
		       same_block(&bench->rows[i - 1], &bench->rows[i]))
			i++;
		err = print_block(bench, from, i, to);
		if (err)
			return err;
		from = i;
	}
	if (interrupted())
		fputs("\ninterrupted: rows that were not done are missing\n",
		      to);
	if (ferror(to))
		return errno ? -errno : -EIO;
	return 0;
}

/* jansson passes a NULL on, so that only the end needs a check. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *some(uint64_t value)
{
	return value ? count(value) : json_null();
}

static json_t *machine_json(const struct bench_machine *machine)
{
	return json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:o}", "cpu",
			 machine->cpu, "cores", count(machine->cores), "kernel",
			 machine->kernel, "compiler", machine->compiler,
			 "pinned", json_boolean(machine->on_cpu >= 0), "cold",
			 json_boolean(machine->cold_bytes > 0), "cold_bytes",
			 some(machine->cold_bytes));
}

static json_t *row_json(const struct bench *bench, const struct bench_row *row)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o}",
			 "bench", row->bench, "form", row->form, "waiting",
			 some(row->waiting), "bytes", some(row->bytes),
			 "samples", count(row->samples), "p50_us",
			 real(row->p50_us), "p99_us", real(row->p99_us),
			 "max_us", real(row->max_us), "mean_us",
			 real(row->mean_us), "ratio_to_fairway",
			 real(bench_ratio(bench, row)), "touched_mean",
			 real(row->touched), "touched_max",
			 real(row->touched_max));
}

static json_t *rows_json(const struct bench *bench)
{
	json_t *array = json_array();

	for (size_t i = 0; i < bench->num_rows; i++)
		if (json_array_append_new(array,
					  row_json(bench, &bench->rows[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

int bench_json(const struct bench *bench, FILE *to)
{
	json_t *json = json_pack("{s:s, s:o, s:o, s:b, s:o}", "schema",
				 "fairway.bench/1", "machine",
				 machine_json(&bench->machine), "seed",
				 count(bench->args.seed), "interrupted",
				 interrupted(), "results", rows_json(bench));
	int err = 0;

	if (!json)
		return -ENOMEM;
	errno = 0;
	if (json_dumpf(json, to, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) ||
	    fputc('\n', to) == EOF)
		err = errno ? -errno : -EIO;
	json_decref(json);
	return err;
}
