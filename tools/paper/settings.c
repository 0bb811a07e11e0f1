/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

/*
 * Loads, pools and policies of the evaluation. They are the paper's where it
 * names them. It does not list its eleven scenarios: these are ours. Nothing
 * here is fitted to an outcome.
 */

/* The paper's caches held a quarter to a third of what could be hit. */
#define QUARTER "0.25"

/* The second record's seeds are others than the first one's. */
const struct paper_setting paper_settings[PAPER_SCENARIOS] = {
	{"record 1", "rec1", "sec-dynamic", NULL, 0, "spike"},
	{"record 2", "rec2", "sec-dynamic", NULL, PAPER_SEEDS, "spike"},
	{"sec 0.9", "s0.9", "sec:load=0.9", NULL, 0, NULL},
	{"sec 1.0", "s1.0", "sec:load=1.0", NULL, 0, NULL},
	{"sec 1.1", "s1.1", "sec:load=1.1", NULL, 0, NULL},
	{"long 1.0", "l1.0", "long:load=1.0", NULL, 0, NULL},
	{"mixed 0.9", "m0.9", "mixed:load=0.9", NULL, 0, NULL},
	{"mixed 1.1", "m1.1", "mixed:load=1.1", NULL, 0, NULL},
	{"musique 1.1", "q1.1", "musique:load=1.1", QUARTER, 0, NULL},
	{"musique 1.2", "q1.2", "musique:load=1.2", QUARTER, 0, NULL},
	{"mooncake 0.9", "moon", NULL, QUARTER, 0, NULL},
};

const struct paper_setting paper_flood_setting = {"flood", "flod", "flood",
						  NULL,	   0,	   "flood"};

const char *const paper_baselines[] = {
	"fcfs",	    "lpm",    "klpm:k=4", "klpm:k=8",
	"ragcache", "preble", "peek",	  NULL,
};

const char *const paper_others[] = {
	"hrrn", "spf", "rsjf", "uniboost", NULL,
};

const char *const paper_variants[] = {
	"lpm:limit=128",
	"lpm:dedupe",
	"ragcache:window=32",
	"ragcache:pgdsf",
	"hrrn:clock=tokens",
	"uniboost:ada",
	NULL,
};

const char *const paper_ours[] = {
	"fairway", "fairway:protect", "fairway:carry",
	"srpf",	   "srpf:protect",    NULL,
};

static size_t append(const char **policies, size_t num, const char *const *list)
{
	while (*list)
		policies[num++] = *list++;
	return num;
}

size_t paper_policies(const char **policies, enum paper_lists lists)
{
	size_t num = append(policies, 0, paper_baselines);

	num = append(policies, num, paper_others);
	if (lists == PAPER_WITH_VARIANTS)
		num = append(policies, num, paper_variants);
	return append(policies, num, paper_ours);
}

/* Room for the words of any scenario's command line. */
#define MAX_WORDS 16

struct words {
	const char *word[MAX_WORDS];
	int num;
};

static void add(struct words *words, const char *word)
{
	words->word[words->num++] = word;
	words->word[words->num] = NULL;
}

/* The command as a reader may type it. */
static void show(char *buf, size_t size, const struct words *words)
{
	size_t used = (size_t)snprintf(buf, size, "fairway");

	for (int i = 0; i < words->num && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, " %s",
					 words->word[i]);
}

/* Where the requests come from, and how they are scaled. */
static void add_requests(struct words *words,
			 const struct paper_setting *setting, const char *seed,
			 const char *trace)
{
	if (setting->workload) {
		add(words, "--workload");
		add(words, setting->workload);
		add(words, "--seed");
		add(words, seed);
		return;
	}
	add(words, "--trace");
	add(words, trace);
	add(words, "--tick");
	add(words, "3000");
	add(words, "--max-prompt");
	add(words, "16000");
	add(words, "--load");
	add(words, "0.9");
}

int paper_scenario_init(struct paper_scenario *scenario,
			const struct paper_setting *setting, uint32_t seed,
			const struct paper_args *args, struct diag *diag)
{
	struct words words = {.num = 0};
	char digits[24];
	int err;

	scenario->setting = setting;
	scenario->seed = seed;
	snprintf(scenario->name, sizeof(scenario->name),
		 seed ? "%s seed %u" : "%s", setting->name, (unsigned int)seed);
	snprintf(digits, sizeof(digits), "%llu",
		 (unsigned long long)setting->after + seed);
	add(&words, "sim");
	add_requests(&words, setting, digits, args->trace);
	if (setting->share) {
		add(&words, "--kv-fraction");
		add(&words, setting->share);
	}
	show(scenario->command, sizeof(scenario->command), &words);
	/* getopt() orders pointers, it writes no word. */
	err = sim_args_parse(&scenario->args, words.num, (char **)words.word,
			     diag);
	/* These words are gone when this function is. */
	scenario->args.argc = 0;
	scenario->args.argv = NULL;
	scenario->args.quiet = true;
	return err;
}

static void mix(uint64_t *hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	/* FNV-1a */
	for (size_t i = 0; i < size; i++)
		*hash = (*hash ^ at[i]) * 0x100000001b3;
}

static void mix_u64(uint64_t *hash, uint64_t value)
{
	mix(hash, &value, sizeof(value));
}

static void mix_real(uint64_t *hash, double value)
{
	mix(hash, &value, sizeof(value));
}

static void mix_run(uint64_t *hash, const struct id_run *run)
{
	mix_u64(hash, id_run_first(run));
	mix_u64(hash, run->num);
}

/* All that a run reads but its policy. */
static uint64_t hash_input(const struct sim_input *input)
{
	const struct sim_config *c = &input->config;
	const struct trace *t = &input->trace;
	uint64_t hash = 0xcbf29ce484222325;

	mix(&hash, c->device, strlen(c->device));
	mix_u64(&hash, c->budget);
	mix_u64(&hash, c->max_running);
	mix_u64(&hash, c->kv_blocks);
	mix_u64(&hash, t->block_size);
	for (uint32_t i = 0; i < t->num_phases; i++)
		mix(&hash, t->phases[i], strlen(t->phases[i]) + 1);
	for (size_t i = 0; i < t->num_reqs; i++) {
		const struct trace_req *req = &t->reqs[i];

		mix_real(&hash, trace_arrival_s(req, c->time_scale));
		mix_u64(&hash, req->len);
		mix_u64(&hash, req->phase);
		mix_u64(&hash, req->num_ids);
		for (uint32_t j = 0; j < req->num_runs; j++)
			mix_run(&hash, &t->runs[req->first_run + j]);
	}
	return hash;
}

int paper_scenario_load(struct paper_scenario *scenario, struct diag *diag)
{
	const struct trace *trace = &scenario->input.trace;
	double scale;
	int err = sim_input_load(&scenario->input, &scenario->args, diag);

	if (err)
		return err;
	scale = scenario->input.config.time_scale;
	scenario->loaded = true;
	scenario->hash = hash_input(&scenario->input);
	for (size_t i = 0; i < trace->num_reqs; i++)
		scenario->tokens += trace->reqs[i].len;
	scenario->span_s =
		trace_arrival_s(&trace->reqs[trace->num_reqs - 1], scale) -
		trace_arrival_s(&trace->reqs[0], scale);
	return 0;
}

void paper_scenario_destroy(struct paper_scenario *scenario)
{
	if (scenario->loaded)
		sim_input_destroy(&scenario->input);
	sim_args_destroy(&scenario->args);
}
