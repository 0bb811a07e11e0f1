/* SPDX-License-Identifier: Apache-2.0 */
#include "result.h"

#include <stdlib.h>

void sim_result_destroy(struct sim_result *result)
{
	free(result->reqs);
	result->reqs = NULL;
}
