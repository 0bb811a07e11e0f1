/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <stddef.h>

#include "tools/node/sim_args.h"
#include "cmd.h"

const struct command commands[] = {
	{"sim", "simulate a prefill queue under several policies", cmd_sim,
	 sim_options},
	{"compare", "say how two reports of sim differ", cmd_compare,
	 compare_options},
	{"analyze", "say whether another order would help a queue", cmd_analyze,
	 analyze_options},
	{"paper", "evaluate the findings of the source paper", cmd_paper,
	 paper_options},
	{"calibrate", "fit a device's prefill times to measured steps",
	 cmd_calibrate, calibrate_options},
	{"gen", "write a generated workload as a trace", cmd_gen, gen_options},
	{"flood", "flood the runtime and count that nothing is lost", cmd_flood,
	 flood_options},
	{"replay", "serve a trace in real time, by real threads", cmd_replay,
	 replay_options},
	{"bench", "measure what scheduling costs", cmd_bench, bench_options},
	{"completion", "print the completion for a shell", cmd_completion,
	 completion_options},
	{NULL, NULL, NULL, NULL},
};
