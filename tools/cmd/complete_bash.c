/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "complete.h"

/* An option that is typed as --NAME=VALUE comes to bash as three words. */
static const char head[] = "# shellcheck shell=bash\n"
			   "# Made by \"fairway completion bash\".\n"
			   "_fairway()\n"
			   "{\n"
			   "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
			   "\tlocal prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
			   "\tlocal words before\n"
			   "\n"
			   "\tif [ \"$cur\" = = ]; then\n"
			   "\t\tcur=\n"
			   "\telif [ \"$prev\" = = ]; then\n"
			   "\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
			   "\tfi\n"
			   "\tCOMPREPLY=()\n";

/* What the cases below did not finish. */
static const char tail[] =
	"\tesac\n"
	"\tfi\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -P \"$before\" \\\n"
	"\t\t-- \"$cur\")\n"
	"}\n"
	"complete -F _fairway fairway\n";

static const char by_commas[] = "\t\tcase $cur in\n"
				"\t\t*,*) before=${cur%,*}, cur=${cur##*,} ;;\n"
				"\t\tesac\n";

static void put_words(const struct complete_value *value, FILE *to)
{
	fputs("\t\twords='", to);
	for (size_t i = 0; value->words[i]; i++)
		fprintf(to, "%s%s", i ? " " : "", value->words[i]);
	fputs("'\n", to);
}

static void put_value(const struct opt_def *def, FILE *to)
{
	struct complete_value value;

	complete_value(&value, def);
	switch (value.kind) {
	case COMPLETE_NOTHING:
		fputs("\t\treturn\n", to);
		break;
	case COMPLETE_FILE:
	case COMPLETE_FOLDER:
		fputs("\t\tcompopt -o filenames 2>/dev/null\n", to);
		fprintf(to,
			"\t\tmapfile -t COMPREPLY < <(compgen -%c -- "
			"\"$cur\")\n\t\treturn\n",
			value.kind == COMPLETE_FILE ? 'f' : 'd');
		break;
	case COMPLETE_LIST:
		fputs(by_commas, to);
		put_words(&value, to);
		break;
	default:
		put_words(&value, to);
	}
}

/* The operand stands where no option is begun. */
static void put_operand(const char *command, const struct opt_def *def,
			FILE *to)
{
	fprintf(to, "\t%s:[!-]*:* | %s::*)\n", command, command);
	put_value(def, to);
	fputs("\t\t;;\n", to);
}

static void put_command(const struct command *command, FILE *to)
{
	const struct opt_def *def;

	for (def = command->options; !complete_is_end(def); def++) {
		if (!def->name || !def->arg)
			continue;
		fprintf(to, "\t%s:*:--%s)\n", command->name, def->name);
		put_value(def, to);
		fputs("\t\t;;\n", to);
	}
	for (def = command->options; !complete_is_end(def); def++)
		if (!def->name && def->key)
			put_operand(command->name, def, to);
	fprintf(to, "\t%s:*)\n\t\twords='", command->name);
	for (def = command->options; !complete_is_end(def); def++)
		if (def->name)
			fprintf(to, "--%s ", def->name);
	fputs("'\n\t\t;;\n", to);
}

static void put_names(const struct command *list, const char *more, FILE *to)
{
	fputs("\t\twords='", to);
	for (size_t i = 0; list[i].name; i++)
		fprintf(to, "%s ", list[i].name);
	fprintf(to, "%s'\n", more);
}

void complete_bash(const struct command *list, FILE *to)
{
	fputs(head, to);
	fputs("\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n", to);
	put_names(list, "help --help --version", to);
	fputs("\telse case ${COMP_WORDS[1]}:$cur:$prev in\n", to);
	for (size_t i = 0; list[i].name; i++)
		put_command(&list[i], to);
	fputs("\thelp:*)\n", to);
	put_names(list, "", to);
	fputs("\t\t;;\n", to);
	fputs(tail, to);
}
