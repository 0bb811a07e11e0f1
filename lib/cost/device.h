/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_COST_DEVICE_H
#define LIB_COST_DEVICE_H

#include <stdint.h>

/**
 * struct fw_device - step time of a prefill device, all in seconds
 * @name: as --device names it
 * @t0: fixed cost of a step
 * @a: a token that is computed
 * @b: a pair of one query token and one token that it attends to
 * @tw: least time of a step (reading the weights)
 *
 * T = max(tw, t0 + a * N) + b * P: N tokens in the step, P = sum over its
 * chunks of q * (p + (q + 1) / 2), q tokens computed after p others. The
 * constants are for Llama-3.1-8B in bf16, fitted to published measurements.
 */
struct fw_device {
	const char *name;
	double t0;
	double a;
	double b;
	double tw;
};

/* By name, NULL when unknown. */
const struct fw_device *fw_device_find(const char *name);

/* The pairs of one chunk: @count tokens after @first others. */
static inline double fw_device_pairs(uint32_t first, uint32_t count)
{
	return (double)count * ((double)first + ((double)count + 1.0) / 2.0);
}

/* Seconds of a step of @tokens tokens and @pairs pairs. */
static inline double fw_device_step(const struct fw_device *device,
				    double tokens, double pairs)
{
	double t = device->t0 + device->a * tokens;

	if (t < device->tw)
		t = device->tw;
	return t + device->b * pairs;
}

/**
 * fw_device_prefill() - T(len): a whole prompt on the idle device
 * @device: the device
 * @first: tokens that are there already
 * @len: tokens of the prompt
 * @chunk: tokens of one step, 2048 where T(len) is meant
 *
 * Return: Seconds, the sum over its chunks. Takes no longer for a prompt of
 * 2^32 tokens than for one of a million.
 */
double fw_device_prefill(const struct fw_device *device, uint32_t first,
			 uint32_t len, uint32_t chunk);

#endif
