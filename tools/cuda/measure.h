/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CUDA_MEASURE_H
#define TOOLS_CUDA_MEASURE_H

#include "tools/fit/steps.h"

/**
 * cuda_measure() - steps of a CUDA device, measured by its events
 * @steps: initialised here, only on success; the caller destroys it
 * @device: its name; the stand-in kernel takes its step times
 * @speed: seconds of the device in one of real time
 * @diag: says what failed
 *
 * The runtime computes prompts one after the other, of lengths that tell the
 * constants of a step apart: few tokens, whole steps, long prompts.
 *
 * Return: 0 or -errno with @diag set; -EINVAL for an unknown device alone.
 */
int cuda_measure(struct steps *steps, const char *device, double speed,
		 struct diag *diag);

#endif
