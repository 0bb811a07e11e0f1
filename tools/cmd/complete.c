/* SPDX-License-Identifier: Apache-2.0 */
#include "complete.h"

#include <assert.h>
#include <string.h>

#include <fairway/order.h>

#include "lib/base/compiler.h"
#include "tools/log/log_reader.h"
#include "tools/policy/ops.h"
#include "tools/policy/registry.h"
#include "tools/trace/reader.h"
#include "tools/workload/workload.h"
#include "cmd.h"

/* The word that stands at a place of a list, NULL at its end. */
typedef const char *word_at(size_t i);

static const char *device_at(size_t i)
{
	return fw_device_name(i);
}

static const char *policy_at(size_t i)
{
	if (i < NUM_POLICIES)
		return policy_registry[i]->name;
	return i == NUM_POLICIES ? "all" : NULL;
}

static const char *workload_at(size_t i)
{
	return workload_names[i];
}

static const char *trace_form_at(size_t i)
{
	return trace_readers[i] ? trace_readers[i]->name : NULL;
}

/* Forms of logs, then of traces. */
static const char *form_at(size_t i)
{
	size_t logs = 0;

	while (log_readers[logs])
		logs++;
	if (i < logs)
		return log_readers[i]->name;
	return trace_form_at(i - logs);
}

static const char *unit_at(size_t i)
{
	static const char *const units[] = {"s", "ms", "us", "ns", NULL};

	return units[i];
}

static const char *executor_at(size_t i)
{
	static const char *const executors[] = {"model", "host", NULL};

	return executors[i];
}

static const char *shell_at(size_t i)
{
	static const char *const shells[] = {"bash", "fish", "zsh", NULL};

	return shells[i];
}

/* By the option's name, or by what the help calls its value. */
static const struct {
	const char *name;
	enum complete_kind kind;
	word_at *word;
} known[] = {
	{"BENCH", COMPLETE_WORD, cmd_bench_name},
	{"SHELL", COMPLETE_WORD, shell_at},
	{"device", COMPLETE_WORD, device_at},
	{"executor", COMPLETE_WORD, executor_at},
	{"format", COMPLETE_WORD, trace_form_at},
	{"FORM", COMPLETE_WORD, form_at}, /* logs, too */
	{"policy", COMPLETE_LIST, policy_at},
	{"time-unit", COMPLETE_WORD, unit_at},
	{"workload", COMPLETE_WORD, workload_at},
};

/* FILE, TABLE.csv or DIR: what a path is called in the tables. */
static enum complete_kind kind_of_path(const char *arg)
{
	if (!strcmp(arg, "FILE") || strstr(arg, ".csv"))
		return COMPLETE_FILE;
	return strcmp(arg, "DIR") ? COMPLETE_NOTHING : COMPLETE_FOLDER;
}

void complete_value(struct complete_value *value, const struct opt_def *def)
{
	value->kind = kind_of_path(def->arg);
	value->words[0] = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t num = 0;

		if (strcmp(known[i].name, def->arg) &&
		    (!def->name || strcmp(known[i].name, def->name)))
			continue;
		value->kind = known[i].kind;
		while ((value->words[num] = known[i].word(num))) {
			num++;
			assert(num <= COMPLETE_MAX_WORDS);
		}
	}
}

int complete_line(const char *help)
{
	size_t len = strcspn(help, "\n");

	return (int)(len && help[len - 1] == ',' ? len - 1 : len);
}

void complete_quote(const char *text, int len, const char *special, FILE *to)
{
	for (int i = 0; i < len; i++) {
		if (text[i] == '\'')
			fputs("'\\'", to);
		else if (strchr(special, text[i]))
			fputc('\\', to);
		fputc(text[i], to);
	}
}
