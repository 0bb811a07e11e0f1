/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_STEP_H
#define LIB_RUNTIME_STEP_H

struct fw;

/* One step by whoever is the owner. Return: as fw_step(). */
int fw_step_owned(struct fw *fw);

#endif
