/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WORKLOAD_WORKLOAD_H
#define TOOLS_WORKLOAD_WORKLOAD_H

#include <stdio.h>

#include "tools/trace/trace.h"

/**
 * workload_generate() - make a workload
 * @trace: initialised here, only on success; block size 16
 * @spec: NAME[:KEY=VALUE]...
 * @seed: same seed, same trace, on every machine
 * @diag: what is wrong with @spec, naming the closest word
 *
 * Return: 0 or -errno.
 */
int workload_generate(struct trace *trace, const char *spec, uint64_t seed,
		      struct diag *diag);

/**
 * workload_load() - the load that a spec asks for by the key of that name
 * @load: 0 where it does not; workload_generate() leaves it to its caller to
 *	scale the arrivals, since that takes a node to run them on
 *
 * Return: 0 or -errno, as workload_generate() would say of @spec.
 */
int workload_load(const char *spec, double *load, struct diag *diag);

/* Names of all workloads, ended by NULL. */
extern const char *const workload_names[];

/* The list that ends a command's help: each name and what it stands for. */
void workload_help(FILE *to);

#endif
