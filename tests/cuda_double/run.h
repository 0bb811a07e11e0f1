/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CUDA_DOUBLE_RUN_H
#define TESTS_CUDA_DOUBLE_RUN_H

#include "state.h"

/* The thread of a stream: runs its operations in order until it is stopped. */
void *double_stream_thread(void *arg);

/*
 * stream.c, with the lock held: may call @name use the stream? An operation,
 * and its way to the end of a stream.
 */
cudaError_t double_check_stream(const char *name, cudaStream_t s);
struct double_op *double_new_op(enum double_kind kind);
void double_queue(cudaStream_t s, struct double_op *op);

#endif
