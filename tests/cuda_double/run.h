/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CUDA_DOUBLE_RUN_H
#define TESTS_CUDA_DOUBLE_RUN_H

#include "state.h"

/* The thread of a stream: runs its operations in order until it is stopped. */
void *double_stream_thread(void *arg);

#endif
