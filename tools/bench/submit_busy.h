/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BENCH_SUBMIT_BUSY_H
#define TOOLS_BENCH_SUBMIT_BUSY_H

#include "bench.h"

/**
 * bench_submit_busy() - what fw_submit() costs beside a scheduler that steps
 * @bench: the run; gets a row, but on a machine of one core
 *
 * Return: 0 or -errno.
 */
int bench_submit_busy(struct bench *bench);

#endif
