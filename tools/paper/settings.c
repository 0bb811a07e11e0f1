/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

/*
 * Seeds, loads and policies of the evaluation. They are the paper's, or were
 * chosen before anything was run, and nothing here is fitted to an outcome.
 */

const struct paper_setting paper_settings[PAPER_SCENARIOS] = {
	{"record 1", "rec1", "sec-whole-dynamic", 1, "spike"},
	{"record 2", "rec2", "sec-whole-dynamic", 2, "spike"},
	{"sec 0.7", "s0.7", "sec-whole:load=0.7", 1, NULL},
	{"sec 0.9", "s0.9", "sec-whole:load=0.9", 1, NULL},
	{"sec 1.1", "s1.1", "sec-whole:load=1.1", 1, NULL},
	{"mixed 0.9", "m0.9", "mixed-halves:load=0.9", 1, NULL},
	{"mixed 1.1", "m1.1", "mixed-halves:load=1.1", 1, NULL},
	{"retrieved 0.9", "retr", "musique:load=0.9", 1, NULL},
	{"musique 1.2", "musq", "musique-unique:load=1.2", 1, NULL},
	{"agent 0.9", "agnt", "agent:load=0.9", 1, NULL},
	{"mooncake 1.0", "moon", NULL, 1, NULL},
};

const struct paper_setting paper_flood_setting = {
	"flood", "flod",
	"flood:misses=24:miss-tokens=6000:question=300:rate=21:requests=3000",
	1, "flood"};

/* SEC with longer documents: twice the median, the same limits. */
const struct paper_setting paper_long_setting = {
	"sec long 1.1", "s-lg", "sec-whole:median=10000:load=1.1", 1, NULL};

/* Spikes of 4/s, not 4.5: the median of fcfs is then nearer to the paper's. */
const struct paper_setting paper_mild_settings[2] = {
	{"record 1 mild", "rc1m", "sec-whole-dynamic:spike=4", 1, "spike"},
	{"record 2 mild", "rc2m", "sec-whole-dynamic:spike=4", 2, "spike"},
};

/* MuSiQue's paragraphs with reuse, in the same overload. */
const struct paper_setting paper_reuse_setting = {"retrieved 1.2", "r1.2",
						  "musique:load=1.2", 1, NULL};

struct paper_setting paper_record(char *name, size_t size, uint64_t seed)
{
	snprintf(name, size, "record %u", (unsigned int)seed);
	return (struct paper_setting){name, "rec", "sec-whole-dynamic", seed,
				      "spike"};
}

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
	"fairway",
	"fairway:protect",
	"fairway:carry",
	NULL,
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

	if (lists >= PAPER_ALL)
		num = append(policies, num, paper_others);
	if (lists == PAPER_WITH_VARIANTS)
		num = append(policies, num, paper_variants);
	return append(policies, num, paper_ours);
}

/* Room for the words of any scenario's command line. */
#define MAX_WORDS 12

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

int paper_scenario_init(struct paper_scenario *scenario,
			const struct paper_setting *setting,
			const struct paper_args *args, struct diag *diag)
{
	struct words words = {.num = 0};
	char seed[24];
	int err;

	snprintf(scenario->name, sizeof(scenario->name), "%s", setting->name);
	scenario->setting = *setting;
	scenario->setting.name = scenario->name;
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)setting->seed);
	add(&words, "sim");
	if (setting->workload) {
		add(&words, "--workload");
		add(&words, setting->workload);
		add(&words, "--seed");
		add(&words, seed);
	} else {
		add(&words, "--trace");
		add(&words, args->trace);
		add(&words, "--tick");
		add(&words, "3000");
		add(&words, "--load");
		add(&words, "1");
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
