/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <fairway/order.h>
#include <string.h>

#include "lib/base/compiler.h"

static const struct fw_device devices[] = {
	/* Fit to published A6000 and A40 measurements, within a tenth. */
	{"a6000", 8e-3, 0.120e-3, 5.5e-9, 25e-3},
	/* Fit to published A100 measurements. */
	{"a100", 6e-3, 0.063e-3, 3.2e-9, 10e-3},
	/* Fit to published H100 measurements; b derived. */
	{"h100", 3.2e-3, 0.0217e-3, 1.2e-9, 5.7e-3},
	/* Scaled from h100, the least certain. */
	{"h200", 3.2e-3, 0.021e-3, 1.2e-9, 4.3e-3},
};

const struct fw_device *fw_device_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (!strcmp(devices[i].name, name))
			return &devices[i];
	return NULL;
}

const char *fw_device_name(size_t index)
{
	return index < ARRAY_SIZE(devices) ? devices[index].name : NULL;
}

/*
 * Chunks that are added up one by one, in this order, as the specification has
 * it: every prompt up to a million tokens gets the very same double. Those
 * behind them are summed in closed form, so that no prompt takes long.
 */
#define ADDED_CHUNKS 512u

/* @num whole chunks behind @first tokens. */
static double whole_chunks(const struct fw_device *device, double first,
			   double num, double chunk)
{
	double begins = num * first + chunk * (num * (num - 1.0) / 2.0);
	double inside = num * ((chunk + 1.0) / 2.0);

	return num * fw_device_step(device, chunk, 0.0) +
	       device->b * chunk * (begins + inside);
}

double fw_device_prefill(const struct fw_device *device, uint32_t first,
			 uint32_t len, uint32_t chunk)
{
	double sum = 0.0;

	for (uint32_t i = 0; first < len; i++) {
		uint32_t n = len - first < chunk ? len - first : chunk;

		if (i == ADDED_CHUNKS) {
			uint32_t num = (len - first) / chunk;

			sum += whole_chunks(device, first, num, chunk);
			first += num * chunk;
			continue;
		}
		sum += fw_device_step(device, n, fw_device_pairs(first, n));
		first += n;
	}
	return sum;
}
