/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_DOUBLES_H
#define TOOLS_BASE_DOUBLES_H

#include <stddef.h>

/* Rising. None is NaN: it would be equal to all. */
void doubles_sort(double *values, size_t num);

#endif
