/* SPDX-License-Identifier: Apache-2.0 */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/base/progress.h"

/* A plot takes a tenth of a second. A child that takes this long hangs. */
#define MAX_SECONDS 60.0

/* Bytes of a drawing; more is an error. */
#define MAX_OUTPUT (64u << 20)

/* The child that runs, 0 for none; read by a signal handler. */
static _Atomic pid_t child;

void gnuplot_abort(void)
{
	pid_t pid = atomic_load(&child);

	if (pid > 0)
		kill(pid, SIGKILL);
}

static int missing(struct diag *diag, int err)
{
	return diag_set(diag, err,
			"--html needs gnuplot to draw (Debian package "
			"gnuplot-nox): %s",
			strerror(-err));
}

static int failed(struct diag *diag, int err, const char *why)
{
	return diag_set(diag, err, "gnuplot: %s", why);
}

/* The script as a file without a name, at its first byte. */
static int script_open(const char *script, size_t size)
{
	int fd = memfd_create("gnuplot", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (size) {
		ssize_t n = write(fd, script, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int err = n < 0 ? -errno : -EIO;

			close(fd);
			return err;
		}
		script += n;
		size -= (size_t)n;
	}
	if (!lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return -EIO;
}

/* The child takes signals as by default, whatever the command ignores. */
static int plain_signals(posix_spawnattr_t *attr)
{
	sigset_t reset, none;

	sigfillset(&reset);
	sigdelset(&reset, SIGKILL);
	sigdelset(&reset, SIGSTOP);
	sigemptyset(&none);
	posix_spawnattr_setsigdefault(attr, &reset);
	posix_spawnattr_setsigmask(attr, &none);
	return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSIGMASK);
}

/*
 * -d: the user's own ~/.gnuplot must not change a report. Standard error goes
 * to /dev/null: the exit status says enough, and the command prints a line of
 * its own.
 */
static int spawn_plain(int in, int out, pid_t *pid)
{
	static char name[] = "gnuplot", plain[] = "-d", from[] = "-";
	char *const argv[] = {name, plain, from, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int err;

	if (posix_spawn_file_actions_init(&files))
		return -ENOMEM;
	if (posix_spawnattr_init(&attr)) {
		posix_spawn_file_actions_destroy(&files);
		return -ENOMEM;
	}
	plain_signals(&attr);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	err = posix_spawnp(pid, name, &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -err;
}

/* Signals are blocked until @child is set, so that a handler sees it. */
static int spawn(int in, int out, pid_t *pid)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = spawn_plain(in, out, pid);
	if (!err)
		atomic_store(&child, *pid);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

/**
 * struct text - what the child printed
 * @bytes: ended by a NUL once @size is above 0
 * @size: without the NUL
 * @cap: room in @bytes
 */
struct text {
	char *bytes;
	size_t size;
	size_t cap;
};

static int text_room(struct text *text)
{
	size_t cap = text->cap ? 2 * text->cap : 1u << 16;
	char *grown;

	if (text->cap - text->size > 4096)
		return 0;
	if (cap > MAX_OUTPUT)
		return -EFBIG;
	grown = realloc(text->bytes, cap);
	if (!grown)
		return -ENOMEM;
	text->bytes = grown;
	text->cap = cap;
	return 0;
}

/* Return: bytes read, 0 at the end, or -errno. */
static ssize_t read_some(int fd, struct text *text, double until)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	double left = until - progress_clock();
	ssize_t n;

	if (left <= 0.0)
		return -ETIMEDOUT;
	if (poll(&poll_fd, 1, (int)(left * 1000.0) + 1) <= 0)
		return -EAGAIN;
	n = read(fd, text->bytes + text->size, text->cap - text->size - 1);
	return n < 0 ? -errno : n;
}

static int read_all(int fd, struct text *text)
{
	double until = progress_clock() + MAX_SECONDS;
	ssize_t n;

	do {
		int err = text_room(text);

		if (err)
			return err;
		n = read_some(fd, text, until);
		if (n > 0)
			text->size += (size_t)n;
	} while (n > 0 || n == -EINTR || n == -EAGAIN);
	if (!n)
		text->bytes[text->size] = '\0';
	return (int)n;
}

/*
 * @child is cleared before waitpid() gives the number back to the system, so
 * that no handler kills another process. Return: 0 when it ended well.
 */
static int reap(pid_t pid)
{
	siginfo_t info;
	int status;

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0)
		if (errno != EINTR)
			break;
	atomic_store(&child, 0);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status ? -EPROTO : 0;
}

static int converse(int in, struct text *text, struct diag *diag)
{
	int ends[2];
	pid_t pid;
	int err, ended;

	if (pipe2(ends, O_CLOEXEC))
		return failed(diag, -errno, strerror(errno));
	err = spawn(in, ends[1], &pid);
	close(ends[1]);
	if (err) {
		close(ends[0]);
		return missing(diag, err);
	}
	err = read_all(ends[0], text);
	close(ends[0]);
	if (err)
		kill(pid, SIGKILL);
	ended = reap(pid);
	if (err)
		return failed(diag, err, strerror(-err));
	if (ended)
		return failed(diag, ended, "it failed to draw a plot");
	return 0;
}

int gnuplot_run(const char *script, size_t size, char **out, struct diag *diag)
{
	struct text text = {.bytes = NULL};
	int in = script_open(script, size);
	int err;

	if (in < 0)
		return failed(diag, in, strerror(-in));
	err = converse(in, &text, diag);
	close(in);
	if (err)
		free(text.bytes);
	else
		*out = text.bytes;
	return err;
}

int gnuplot_find(struct diag *diag)
{
	static const char script[] = "set terminal svg\n"
				     "set output\n"
				     "plot 1\n";
	char *svg = NULL;
	int err = gnuplot_run(script, sizeof(script) - 1, &svg, diag);

	if (!err && !strstr(svg, "</svg>"))
		err = diag_set(diag, -ENOSYS,
			       "--html: this gnuplot draws no SVG; the Debian "
			       "package gnuplot-nox does");
	free(svg);
	return err;
}
