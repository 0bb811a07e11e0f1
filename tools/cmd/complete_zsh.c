/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "complete.h"

static const char head[] = "#compdef fairway\n"
			   "# Made by \"fairway completion zsh\".\n"
			   "_fairway()\n"
			   "{\n"
			   "\tlocal command=$words[2]\n"
			   "\tlocal -a commands\n"
			   "\n"
			   "\tcommands=(\n";

static const char middle[] = "\t)\n"
			     "\tif (( CURRENT == 2 )); then\n"
			     "\t\t_describe command commands\n"
			     "\t\treturn\n"
			     "\tfi\n"
			     "\tshift words\n"
			     "\t(( CURRENT-- ))\n"
			     "\tcase $command in\n";

static const char tail[] = "\thelp)\n"
			   "\t\t_describe command commands\n"
			   "\t\t;;\n"
			   "\tesac\n"
			   "}\n"
			   "_fairway \"$@\"\n";

static void put_words(const struct complete_value *value, FILE *to)
{
	for (size_t i = 0; value->words[i]; i++)
		fprintf(to, "%s%s", i ? " " : "", value->words[i]);
}

/* Message and action of a value, by _arguments' rules. */
static void put_value(const struct opt_def *def, FILE *to)
{
	struct complete_value value;

	complete_value(&value, def);
	fputc(':', to);
	complete_quote(def->arg, complete_line(def->arg), ":[]\\", to);
	switch (value.kind) {
	case COMPLETE_NOTHING:
		fputs(": ", to);
		break;
	case COMPLETE_FILE:
		fputs(":_files", to);
		break;
	case COMPLETE_FOLDER:
		fputs(":_files -/", to);
		break;
	case COMPLETE_LIST:
		fputs(":_sequence compadd - ", to);
		put_words(&value, to);
		break;
	default:
		fputs(":(", to);
		put_words(&value, to);
		fputc(')', to);
	}
}

/* Any option may be given again; the last one counts, or all of them do. */
static void put_option(const struct opt_def *def, FILE *to)
{
	if (!complete_is_real(def))
		return;
	fputs(" \\\n\t\t\t'", to);
	if (def->name) {
		fprintf(to, "*--%s%s[", def->name, def->arg ? "=" : "");
		complete_quote(def->help, complete_line(def->help), "[]\\", to);
		fputc(']', to);
	} else {
		fputc('1', to);
	}
	if (def->arg)
		put_value(def, to);
	fputc('\'', to);
}

void complete_zsh(const struct command *list, FILE *to)
{
	fputs(head, to);
	for (size_t i = 0; list[i].name; i++) {
		fprintf(to, "\t\t'%s:", list[i].name);
		complete_quote(list[i].summary, complete_line(list[i].summary),
			       ":\\", to);
		fputs("'\n", to);
	}
	fputs("\t\t'help:list the options of a command'\n", to);
	fputs(middle, to);
	for (size_t i = 0; list[i].name; i++) {
		fprintf(to, "\t%s)\n\t\t_arguments", list[i].name);
		for (const struct opt_def *def = list[i].options;
		     !complete_is_end(def); def++)
			put_option(def, to);
		fputs("\n\t\t;;\n", to);
	}
	fputs(tail, to);
}
