/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fairway/fairway.h>

#include "lib/base/compiler.h"
#include "tools/base/interrupt.h"
#include "tools/base/out.h"
#include "tools/base/progress.h"
#include "tools/plot/gnuplot.h"
#include "cmd.h"
#include "commands.h"

/* More than there are commands. */
#define MAX_COMMANDS 32

static void end_by_signal(int signo)
{
	if (interrupt_note(signo))
		return;
	out_abort_all();
	gnuplot_abort();
	progress_wipe();
	_exit(128 + signo);
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = end_by_signal};
	struct sigaction old;

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &old);
		/* Under nohup the command outlives the terminal. */
		if (signals[i] == SIGHUP && old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &action, NULL);
	}
	/* When a reader is gone, the write fails, and out.c reports it. */
	signal(SIGPIPE, SIG_IGN);
	/* So does a write past the shell's limit on the size of a file. */
	signal(SIGXFSZ, SIG_IGN);
}

static int help(struct diag *diag)
{
	puts("Usage: fairway COMMAND [OPTION]...\n"
	     "Measure what the order of a prefill queue does to the time to "
	     "first token.\n"
	     "\n"
	     "Commands:");
	for (size_t i = 0; commands[i].name; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	puts("\n"
	     "\"fairway help COMMAND\" lists the options of a command;\n"
	     "fairway-COMMAND(1) describes it.\n"
	     "\n"
	     "Options:\n"
	     "  -h, --help      print this help and exit\n"
	     "  -V, --version   print the version and exit\n"
	     "\n"
	     "Example:\n"
	     "  fairway sim --workload sec-dynamic "
	     "--policy fcfs,lpm,fairway");
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static int version(struct diag *diag)
{
	printf("fairway %s\n", fw_version());
	return cmd_flush_stdout(diag) ? EXIT_RUN : EXIT_OK;
}

static int unknown(const char *name, struct diag *diag)
{
	const char *names[MAX_COMMANDS + 1] = {NULL};
	const char *near;

	for (size_t i = 0; commands[i].name && i < MAX_COMMANDS; i++)
		names[i] = commands[i].name;
	near = closest(name, names);
	if (near)
		diag_set(diag, -EINVAL,
			 "unknown command \"%s\", did you mean \"%s\"?", name,
			 near);
	else
		diag_set(diag, -EINVAL,
			 "unknown command \"%s\"; \"fairway --help\" lists "
			 "them",
			 name);
	return EXIT_INPUT;
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; commands[i].name; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* "help COMMAND" is "COMMAND --help". */
static int help_on(int argc, char **argv, struct diag *diag)
{
	static char option[] = "--help";
	const struct command *command;

	if (argc < 3)
		return help(diag);
	command = find(argv[2]);
	if (!command)
		return unknown(argv[2], diag);
	return command->run(2, (char *[]){argv[2], option, NULL}, diag);
}

static int dispatch(int argc, char **argv, const struct command *command,
		    struct diag *diag)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (command)
		return command->run(argc - 1, argv + 1, diag);
	if (!name) {
		diag_set(diag, -EINVAL,
			 "a command is missing; \"fairway --help\" lists "
			 "them");
		return EXIT_INPUT;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return help(diag);
	if (!strcmp(name, "help"))
		return help_on(argc, argv, diag);
	if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		return version(diag);
	return unknown(name, diag);
}

/* A filter ends like this when whoever reads its output has read enough. */
static void end_by_sigpipe(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

/* Is what failed the write to a reader that is gone, and nothing else? */
static bool failed_by_reader(const struct diag *diag)
{
	return strstr(diag->text, strerror(EPIPE)) ||
	       strstr(diag->text, strerror(EIO));
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find(argv[1]) : NULL;
	struct diag diag = {.text = ""};
	int status;

	catch_signals();
	cmd_completion_of(commands);
	status = dispatch(argc, argv, command, &diag);
	if (interrupted() && !status)
		return 128 + interrupted();
	if (cmd_reader_gone() && (!status || failed_by_reader(&diag)))
		end_by_sigpipe();
	if (status)
		fprintf(stderr, "fairway%s%s: %s\n", command ? " " : "",
			command ? command->name : "",
			diag.text[0] ? diag.text : "failed");
	return status;
}
