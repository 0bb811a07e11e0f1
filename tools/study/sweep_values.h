/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_STUDY_SWEEP_VALUES_H
#define TOOLS_STUDY_SWEEP_VALUES_H

#include "tools/base/diag.h"

enum {
	SWEEP_MAX_VALUES = 100
};

/**
 * sweep_values() - the values of one --sweep
 * @values: an array of texts, to be freed by the caller with what is in it,
 *	also on an error
 * @num: how many
 * @text: values separated by commas, or a range of numbers FROM..TO. A step
 *	may follow, "/STEP"; else it is one unit of the last decimal place of
 *	the two: 0.5..1.2 goes by tenths, 1..8 by ones. Ranges are reckoned in
 *	thousandths, so that 0.7 is no 0.7000000001.
 *
 * Return: 0 or -errno with @diag set.
 */
int sweep_values(char ***values, unsigned int *num, const char *text,
		 struct diag *diag);

#endif
