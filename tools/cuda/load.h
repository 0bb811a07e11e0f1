/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CUDA_LOAD_H
#define TOOLS_CUDA_LOAD_H

#include <fairway/cuda.h>

#include "tools/base/diag.h"

/**
 * struct cuda_library - libfairway-cuda, loaded at run time
 * @open: fw_executor_cuda()
 * @stats: fw_executor_cuda_stats()
 * @busy: fw_cuda_busy_launch()
 *
 * The command does not link it, so that it runs where there is no CUDA.
 */
struct cuda_library {
	int (*open)(struct fw_executor *out,
		    const struct fw_cuda_config *config);
	int (*stats)(const struct fw_executor *executor,
		     struct fw_cuda_stats *stats);
	int (*busy)(void *ctx, struct CUstream_st *stream,
		    const struct fw_cuda_plan *device,
		    const struct fw_plan *host);
};

/**
 * cuda_library_load() - find the library; it stays loaded
 * @library: written only on success
 * @diag: says what is missing
 *
 * The environment's FAIRWAY_CUDA_LIBRARY names another file than
 * libfairway-cuda.so.0.
 *
 * Return: 0, -ENOENT.
 */
int cuda_library_load(struct cuda_library *library, struct diag *diag);

/* What fw_executor_cuda() returned, in words. Return: @err. */
int cuda_library_failed(int err, struct diag *diag);

#endif
