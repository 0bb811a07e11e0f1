/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* More than any subcommand has; checked by an assertion of opt_parse(). */
#define MAX_OPTIONS 64

/* Bytes of an option's name with its dashes; a longer one is cut. */
#define MAX_NAME 32

struct opt_names {
	struct option longs[MAX_OPTIONS + 1];
	const char *names[MAX_OPTIONS + 1];
	unsigned int num;
};

static int collect(struct opt_names *names, const struct opt_def *defs)
{
	memset(names, 0, sizeof(*names));
	for (; defs->name || defs->help; defs++) {
		if (!defs->name)
			continue;
		if (names->num == MAX_OPTIONS)
			return -E2BIG;
		names->longs[names->num].name = defs->name;
		names->longs[names->num].has_arg =
			defs->arg ? required_argument : no_argument;
		names->longs[names->num].val = defs->key;
		names->names[names->num++] = defs->name;
	}
	return 0;
}

static const char *name_of(const struct opt_names *names, int key)
{
	for (unsigned int i = 0; i < names->num; i++)
		if (names->longs[i].val == key)
			return names->names[i];
	return NULL;
}

/* An abbreviation of several options: name them. Return: 0 if it is none. */
static int ambiguous_option(const struct opt_names *names, const char *word,
			    struct diag *diag)
{
	char texts[MAX_OPTIONS][MAX_NAME];
	const char *candidates[MAX_OPTIONS + 1] = {NULL};
	unsigned int num = 0;
	char list[256];

	for (unsigned int i = 0; i < names->num; i++) {
		if (strncmp(names->names[i], word, strlen(word)))
			continue;
		snprintf(texts[num], MAX_NAME, "--%s", names->names[i]);
		candidates[num] = texts[num];
		num++;
	}
	if (num < 2)
		return 0;
	list_names(list, sizeof(list), candidates, "or");
	return diag_set(diag, -EINVAL,
			"option \"--%s\" is ambiguous: it may be %s", word,
			list);
}

static int unknown_option(const struct opt_names *names, const char *arg,
			  struct diag *diag)
{
	size_t len = strcspn(arg, "=");
	const char *near;
	char word[64];

	if (strncmp(arg, "--", 2))
		return diag_set(diag, -EINVAL, "unknown option \"%s\"", arg);
	snprintf(word, sizeof(word), "%.*s", (int)len - 2, arg + 2);
	if (ambiguous_option(names, word, diag))
		return -EINVAL;
	near = closest(word, names->names);
	if (!near)
		return diag_set(diag, -EINVAL, "unknown option \"--%s\"", word);
	return diag_set(diag, -EINVAL,
			"unknown option \"--%s\", did you mean \"--%s\"?", word,
			near);
}

static int bad_option(const struct opt_names *names, int got, char **argv,
		      struct diag *diag)
{
	const char *name = optopt ? name_of(names, optopt) : NULL;

	if (got == ':')
		return diag_set(diag, -EINVAL, "option --%s needs a value",
				name ? name : "?");
	if (name)
		return diag_set(diag, -EINVAL, "option --%s takes no value",
				name);
	if (optopt)
		return diag_set(diag, -EINVAL, "unknown option \"-%c\"",
				optopt);
	return unknown_option(names, argv[optind - 1], diag);
}

const char *opt_name(const struct opt_def *defs, int key)
{
	for (; defs->name || defs->help; defs++)
		if (defs->key == key)
			return defs->name;
	return NULL;
}

/* Return: Key of the operand, 0 where none is taken. */
static int operand_key(const struct opt_def *defs)
{
	for (; defs->name || defs->help; defs++)
		if (!defs->name && defs->key)
			return defs->key;
	return 0;
}

int opt_parse_operands(int argc, char **argv, const struct opt_def *defs,
		       unsigned int operands,
		       int (*set)(void *ctx, int key, char *value,
				  struct diag *diag),
		       void *ctx, struct diag *diag)
{
	struct opt_names names;
	int err = collect(&names, defs);
	int key;

	if (err)
		return diag_set(diag, err, "too many options defined");
	opterr = 0;
	optind = 0; /* glibc: start anew, with ":" read from the string */
	while ((key = getopt_long(argc, argv, ":h", names.longs, NULL)) != -1) {
		if (key == '?' || key == ':')
			return bad_option(&names, key, argv, diag);
		if (key == 'h')
			return 1;
		err = set(ctx, key, optarg, diag);
		if (err)
			return err;
	}
	key = operand_key(defs);
	while (key && operands-- && optind < argc) {
		err = set(ctx, key, argv[optind++], diag);
		if (err)
			return err;
	}
	if (optind < argc)
		return diag_set(diag, -EINVAL, "unexpected argument \"%s\"",
				argv[optind]);
	return 0;
}

int opt_parse(int argc, char **argv, const struct opt_def *defs,
	      int (*set)(void *ctx, int key, char *value, struct diag *diag),
	      void *ctx, struct diag *diag)
{
	return opt_parse_operands(argc, argv, defs, 1, set, ctx, diag);
}

/* Where the help texts start; a longer name gets a line of its own. */
#define HELP_COLUMN 24

static void print_one(const struct opt_def *def, FILE *to)
{
	const char *line = def->help;
	int width = fprintf(to, "  %s%s%s%s", def->name ? "--" : "",
			    def->name ? def->name : "",
			    def->name && def->arg ? " " : "",
			    def->arg ? def->arg : "");

	if (width > HELP_COLUMN - 2) {
		fputc('\n', to);
		width = 0;
	}
	while (*line) {
		size_t len = strcspn(line, "\n");

		fprintf(to, "%*s%.*s\n", HELP_COLUMN - width, "", (int)len,
			line);
		width = 0;
		line += len + (line[len] == '\n');
	}
}

void opt_print(const struct opt_def *defs, FILE *to)
{
	for (; defs->name || defs->help; defs++) {
		if (defs->name || defs->key)
			print_one(defs, to);
		else
			fprintf(to, "\n%s:\n", defs->help);
	}
}

int opt_u64(const char *what, const char *text, uint64_t min, uint64_t max,
	    uint64_t *out, struct diag *diag)
{
	if (!parse_u64(text, min, max, out))
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: expected a whole number from %" PRIu64
			" to %" PRIu64 " (was \"%s\")",
			what, min, max, text);
}

int opt_u32(const char *what, const char *text, uint32_t min, uint32_t max,
	    uint32_t *out, struct diag *diag)
{
	uint64_t value;
	int err = opt_u64(what, text, min, max, &value, diag);

	if (!err)
		*out = (uint32_t)value;
	return err;
}

int opt_real(const char *what, const char *text, double min, double max,
	     double *out, struct diag *diag)
{
	if (!parse_real(text, min, max, out))
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: expected a number from %.12g to %.12g "
			"(was \"%s\")",
			what, min, max, text);
}
