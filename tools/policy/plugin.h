/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_PLUGIN_H
#define TOOLS_POLICY_PLUGIN_H

#include <stdbool.h>

#include "tools/base/diag.h"

struct policy;

/* Does --policy name a file by it? Names of policies have no slash. */
bool plugin_is_path(const char *name);

/**
 * plugin_load() - the policy that a shared object or a Python file defines
 * @path: of the file; see <fairway/policy.h>
 * @diag: what is wrong with it
 *
 * A file is loaded once and stays until the process ends, as its policies do.
 *
 * Context: The main thread.
 * Return: The policy, or NULL.
 */
const struct policy *plugin_load(const char *path, struct diag *diag);

#endif
