/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tools/base/options.h"
#include "cmd.h"
#include "complete.h"

enum {
	KEY_SHELL = 256
};

const struct opt_def completion_options[] = {
	OPT_HEADING("For"),
	OPT_OPERAND(KEY_SHELL, "SHELL", "bash, fish or zsh"),
	OPT_HEADING("Options"),
	OPT_HELP,
	OPT_END,
};

static const struct shell {
	const char *name;
	void (*print)(const struct command *list, FILE *to);
} shells[] = {
	{"bash", complete_bash},
	{"fish", complete_fish},
	{"zsh", complete_zsh},
};

static const struct command *all;

void cmd_completion_of(const struct command *list)
{
	all = list;
}

static int set(void *ctx, int key, char *value, struct diag *diag)
{
	const struct shell **shell = ctx;

	(void)key;
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (!strcmp(shells[i].name, value)) {
			*shell = &shells[i];
			return 0;
		}
	return diag_set(diag, -EINVAL,
			"expected bash, fish or zsh (was \"%s\")", value);
}

static int help(struct diag *diag)
{
	puts("Usage: fairway completion SHELL\n"
	     "Print what completes the commands and options of fairway in a "
	     "shell.");
	opt_print(completion_options, stdout);
	puts("\n"
	     "Example:\n"
	     "  fairway completion bash >~/.local/share/bash-completion/"
	     "completions/fairway");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static int run(void *ctx, struct diag *diag)
{
	const struct shell *const *shell = ctx;

	(*shell)->print(all, stdout);
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

int cmd_completion(int argc, char **argv, struct diag *diag)
{
	const struct shell *shell = NULL;
	int err = opt_parse(argc, argv, completion_options, set, &shell, diag);

	if (!err && !shell)
		err = diag_set(diag, -EINVAL,
			       "SHELL is missing: bash, fish or zsh");
	return cmd_go(err, help, run, &shell, diag);
}
