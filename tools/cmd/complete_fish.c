/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "complete.h"

/* The command is the second word, wherever else its name may stand. */
static const char head[] =
	"# Made by \"fairway completion fish\".\n"
	"function __fairway_is\n"
	"\tset -l words (commandline -opc)\n"
	"\ttest (count $words) -ge 2; and test $words[2] = $argv[1]\n"
	"end\n"
	"function __fairway_first\n"
	"\ttest (count (commandline -opc)) -eq 1\n"
	"end\n"
	"complete -c fairway -f\n"
	"complete -c fairway -n __fairway_first -s V -l version "
	"-d 'print the version and exit'\n"
	"complete -c fairway -n __fairway_first -s h -l help "
	"-d 'print help and exit'\n"
	"complete -c fairway -n __fairway_first -a help "
	"-d 'list the options of a command'\n";

static void put_words(const char *before, const struct complete_value *value,
		      const char *after, FILE *to)
{
	fputs(before, to);
	for (size_t i = 0; value->words[i]; i++)
		fprintf(to, "%s%s", i ? " " : "", value->words[i]);
	fputs(after, to);
}

static void put_value(const struct opt_def *def, FILE *to)
{
	struct complete_value value;

	complete_value(&value, def);
	/* -r and -x, that a value follows, go with an option only. */
	if (def->name)
		fputs(value.kind == COMPLETE_FILE ? " -r" : " -x", to);
	switch (value.kind) {
	case COMPLETE_FILE:
		fputs(" -F", to);
		break;
	case COMPLETE_FOLDER:
		fputs(" -a '(__fish_complete_directories)'", to);
		break;
	case COMPLETE_LIST:
		put_words(" -a '(__fish_append , ", &value, ")'", to);
		break;
	case COMPLETE_WORD:
		put_words(" -a '", &value, "'", to);
		break;
	default:
		break;
	}
}

static void put_option(const char *command, const struct opt_def *def, FILE *to)
{
	if (!complete_is_real(def))
		return;
	fprintf(to, "complete -c fairway -n '__fairway_is %s'", command);
	if (def->name)
		fprintf(to, " -l %s", def->name);
	if (def->arg)
		put_value(def, to);
	fputs(" -d '", to);
	complete_quote(def->help, complete_line(def->help), "\\", to);
	fputs("'\n", to);
}

void complete_fish(const struct command *list, FILE *to)
{
	fputs(head, to);
	for (size_t i = 0; list[i].name; i++) {
		fprintf(to,
			"complete -c fairway -n '__fairway_first; or "
			"__fairway_is help' -a %s -d '",
			list[i].name);
		complete_quote(list[i].summary, complete_line(list[i].summary),
			       "\\", to);
		fputs("'\n", to);
		for (const struct opt_def *def = list[i].options;
		     !complete_is_end(def); def++)
			put_option(list[i].name, def, to);
	}
}
