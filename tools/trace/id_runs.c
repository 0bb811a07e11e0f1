/* SPDX-License-Identifier: Apache-2.0 */
#include "id_runs.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/mem.h"

static int grow(struct id_runs *runs)
{
	struct id_run *grown = mem_grow(runs->runs, &runs->cap,
					runs->num_runs + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	runs->runs = grown;
	return 0;
}

int id_runs_push(struct id_runs *runs, uint64_t first, uint32_t num)
{
	if (runs->num_runs == runs->cap && grow(runs))
		return -ENOMEM;
	runs->runs[runs->num_runs++] = (struct id_run){
		.low = (uint32_t)first,
		.high = (uint32_t)(first >> 32),
		.num = num,
	};
	runs->num_ids += num;
	runs->next = first + num;
	return 0;
}

void id_runs_destroy(struct id_runs *runs)
{
	free(runs->runs);
	*runs = (struct id_runs){0};
}
