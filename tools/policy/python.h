/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_PYTHON_H
#define TOOLS_POLICY_PYTHON_H

#include <stdbool.h>

#include "tools/base/diag.h"

struct fw_policy;

/* Is the policy of this path a Python file? */
bool python_is_path(const char *path);

/**
 * python_load() - a policy that a Python file defines
 * @policy: gets operations whose create() takes the path with its flags
 * @path: of the file; the package's fairway.policy tells what stands in it
 * @diag: what is wrong with it
 *
 * Each context is a Python process of its own, which is asked for keys.
 *
 * Context: The main thread.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int python_load(struct fw_policy *policy, const char *path, struct diag *diag);

#endif
