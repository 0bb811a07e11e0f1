/* SPDX-License-Identifier: Apache-2.0 */
#include "fit_table.h"

#include <errno.h>
#include <stdint.h>

#include "lib/cost/cost.h"

/* Rows of a chunk besides its first token and its knee, evenly spread. */
enum {
	FIRST_ROWS = 16, /* T bends most, for its size, where it is short */
	BEND_ROWS = 6,
};

static void row(FILE *to, const struct fw_device *device, uint32_t tokens,
		uint32_t *last)
{
	if (tokens <= *last)
		return;
	fprintf(to, "%u,%.9g\n", tokens,
		fw_device_prefill(device, 0, tokens, FW_COST_CHUNK));
	*last = tokens;
}

/* The most tokens of a chunk that is still on the floor. */
static uint32_t knee_of(const struct fw_device *device)
{
	double knee = (device->tw - device->t0) / device->a;

	if (knee < 1.0)
		return 1;
	return knee < FW_COST_CHUNK ? (uint32_t)knee : FW_COST_CHUNK;
}

/* The knee lies between two token counts; the time rises behind it. */
static uint32_t bend_row(uint32_t knee, uint32_t i, uint32_t rows)
{
	if (!i && knee < FW_COST_CHUNK)
		return knee + 1;
	return knee + (FW_COST_CHUNK - knee) * i / rows;
}

static void head(const struct fit *fit, size_t num, FILE *to)
{
	const struct fw_device *d = &fit->device;

	fprintf(to,
		"# fairway calibrate: %zu steps, off by %.2f%% in the median "
		"and %.2f%% at p90\n",
		num, 100.0 * fit->median, 100.0 * fit->p90);
	if (!fit->has_floor)
		fputs("# no step was on a floor; Tw stands for none\n", to);
	fprintf(to, "# t0=%.9g a=%.9g b=%.9g Tw=%.9g\ntokens,seconds\n", d->t0,
		d->a, d->b, d->tw);
}

int fit_table_write(const struct fit *fit, size_t num, FILE *to)
{
	uint32_t knee = knee_of(&fit->device);
	uint32_t last = 0;

	errno = 0;
	head(fit, num, to);
	for (uint32_t at = 0; at < FIT_TABLE_TOKENS; at += FW_COST_CHUNK) {
		uint32_t rows = at ? BEND_ROWS : FIRST_ROWS;

		row(to, &fit->device, at + 1, &last);
		row(to, &fit->device, at + knee, &last);
		for (uint32_t i = 0; i <= rows; i++)
			row(to, &fit->device, at + bend_row(knee, i, rows),
			    &last);
	}
	if (fflush(to) || ferror(to))
		return errno ? -errno : -EIO;
	return 0;
}
