/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "naive_node.h"

#define CHUNK 2048

static const struct naive_device devices[] = {
	{"a6000", 8e-3, 0.120e-3, 5.5e-9, 25e-3},
	{"a100", 6e-3, 0.063e-3, 3.2e-9, 10e-3},
	{"h100", 3.2e-3, 0.0217e-3, 1.2e-9, 5.7e-3},
	{"h200", 3.2e-3, 0.021e-3, 1.2e-9, 4.3e-3},
};

const struct naive_device *naive_device_find(const char *name)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		if (strcmp(devices[i].name, name) == 0)
			return &devices[i];
	}
	return NULL;
}

double naive_step_time(const struct naive_device *device, double tokens,
		       double pairs)
{
	double work = device->base + device->token * tokens;

	if (work < device->least)
		work = device->least;
	return work + device->pair * pairs;
}

double naive_pairs(uint32_t before, uint32_t num)
{
	double q = num;

	return q * (before + (q + 1) / 2);
}

double naive_idle_time(const struct naive_device *device, uint32_t from,
		       uint32_t len)
{
	double seconds = 0;

	while (from < len) {
		uint32_t num = len - from < CHUNK ? len - from : CHUNK;

		seconds += naive_step_time(device, num, naive_pairs(from, num));
		from += num;
	}
	return seconds;
}
