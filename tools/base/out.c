/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard.h"
#include "out.h"

/* Outputs open at once; no command has more than a handful. */
enum {
	MAX_TEMPS = 16
};
/* Characters of the target's name that its temporary repeats. */
enum {
	NAME_SHOWN = 200
};

enum temp_state {
	TEMP_FREE,
	TEMP_TAKEN,
	TEMP_ON_DISK,
};

/*
 * The names stand in memory that is never freed, because a signal handler may
 * read them at any time.
 */
static struct temp {
	_Atomic int state;
	char path[PATH_MAX];
} temps[MAX_TEMPS];

static struct temp *temp_take(void)
{
	for (int i = 0; i < MAX_TEMPS; i++) {
		int old = TEMP_FREE;

		if (atomic_compare_exchange_strong(&temps[i].state, &old,
						   TEMP_TAKEN))
			return &temps[i];
	}
	return NULL;
}

static struct temp *temp_of(const struct out *out)
{
	for (int i = 0; i < MAX_TEMPS; i++) {
		if (out->temp == temps[i].path)
			return &temps[i];
	}
	return NULL;
}

static int temp_name(struct temp *temp, const char *target)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
	const char *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	char suffix[7] = "";
	uint32_t bits;
	int n;

	if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
		return -EIO;
	for (int i = 0; i < 6; i++, bits >>= 5)
		suffix[i] = digits[bits & 31];
	n = snprintf(temp->path, sizeof(temp->path), "%.*s.%.*s.%s",
		     (int)(name - target), target, NAME_SHOWN, name, suffix);
	return n < (int)sizeof(temp->path) ? 0 : -ENAMETOOLONG;
}

/*
 * open() gives the mode that the umask asks for; mkstemp() would not. Signals
 * are blocked, so that no handler runs while the file exists and its entry in
 * the table does not.
 */
static int temp_create(struct temp *temp, const char *target)
{
	sigset_t all, old;
	int fd;

	sigfillset(&all);
	do {
		int ret = temp_name(temp, target);

		if (ret)
			return ret;
		pthread_sigmask(SIG_BLOCK, &all, &old);
		fd = open(temp->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  0666);
		if (fd >= 0)
			atomic_store(&temp->state, TEMP_ON_DISK);
		else
			fd = -errno;
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	} while (fd == -EEXIST);
	return fd;
}

static void temp_drop(struct temp *temp)
{
	unlink(temp->path);
	atomic_store(&temp->state, TEMP_FREE);
}

/*
 * A caller may have closed standard output. A file that is opened then would
 * take its number and get what is printed.
 */
static int keep_off_stdio(int fd)
{
	int moved;

	if (fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (moved < 0)
		moved = -errno;
	close(fd);
	return moved;
}

static int wrap_fd(struct out *out, int fd)
{
	fd = keep_off_stdio(fd);
	if (fd < 0)
		return fd;
	out->file = fdopen(fd, "w");
	if (out->file)
		return 0;
	close(fd);
	return -ENOMEM;
}

/* A link is followed, so that the file that it names is replaced. */
static int open_beside(struct out *out)
{
	char *target = realpath(out->path, NULL);
	struct temp *temp = temp_take();
	int ret = -EMFILE;

	if (!temp)
		goto err_free_target;
	if (target) {
		free(out->path);
		out->path = target;
		target = NULL;
	}
	ret = temp_create(temp, out->path);
	if (ret < 0)
		goto err_give_back;
	ret = wrap_fd(out, ret);
	if (ret)
		goto err_unlink;
	out->temp = temp->path;
	return 0;

err_unlink:
	unlink(temp->path);
err_give_back:
	atomic_store(&temp->state, TEMP_FREE);
err_free_target:
	free(target);
	return ret;
}

static int open_over(struct out *out, const struct stat *old)
{
	int ret = guard_replace(old);

	if (ret)
		return ret;
	ret = open_beside(out);
	if (ret) {
		guard_replace_end(old);
		return ret;
	}
	out->old = *old;
	out->replaces = true;
	return 0;
}

static int open_direct(struct out *out)
{
	int fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : wrap_fd(out, fd);
}

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

static int open_path(struct out *out)
{
	struct stat st;

	if (is_stdout(out->path)) {
		out->file = stdout;
		return 0;
	}
	if (!out->path[0])
		return -ENOENT;
	if (stat(out->path, &st))
		return errno == ENOENT ? open_beside(out) : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	/* A rename replaces even a file that is write-protected: ask. */
	if (access(out->path, W_OK))
		return -errno;
	return S_ISREG(st.st_mode) ? open_over(out, &st) : open_direct(out);
}

int out_open(struct out *out, const char *path, struct diag *diag)
{
	int ret;

	*out = (struct out){.path = NULL};
	if (!path)
		return 0;
	out->path = strdup(path);
	if (!out->path)
		return diag_set(diag, -ENOMEM, "%s: not enough memory", path);
	ret = open_path(out);
	if (ret) {
		free(out->path);
		out->path = NULL;
		if (ret == -EBUSY)
			return diag_set(diag, ret,
					"%s: this output would replace a file "
					"that is read",
					path);
		return diag_set(diag, ret,
				"%s: expected a file that can be written (%s)",
				path, strerror(-ret));
	}
	return 0;
}

/* Pipes and devices have nothing to sync. */
static int sync_file(FILE *file)
{
	return fsync(fileno(file)) && errno != EINVAL && errno != EROFS &&
			       errno != ENOTSUP
		       ? -errno
		       : 0;
}

static int finish(FILE *file, bool sync)
{
	int ret = 0;

	errno = 0;
	/* A write may have failed before, with its errno gone since. */
	if (fflush(file) || ferror(file))
		ret = errno ? -errno : -EIO;
	if (!ret && sync)
		ret = sync_file(file);
	if (file != stdout && fclose(file) && !ret)
		ret = -errno;
	return ret;
}

static void forget(struct out *out)
{
	if (out->replaces)
		guard_replace_end(&out->old);
	free(out->path);
	*out = (struct out){0};
}

int out_commit(struct out *out, struct diag *diag)
{
	struct temp *temp = temp_of(out);
	int ret;

	if (!out->file)
		return 0;
	ret = finish(out->file, temp);
	if (temp && !ret && rename(temp->path, out->path))
		ret = -errno;
	if (temp && ret)
		unlink(temp->path);
	if (temp)
		atomic_store(&temp->state, TEMP_FREE);
	if (ret)
		diag_set(diag, ret, "%s: cannot write (%s)",
			 is_stdout(out->path) ? "standard output" : out->path,
			 strerror(-ret));
	forget(out);
	return ret;
}

void out_abort(struct out *out)
{
	struct temp *temp = temp_of(out);

	if (!out->file)
		return;
	if (temp)
		temp_drop(temp);
	if (out->file != stdout)
		fclose(out->file);
	forget(out);
}

void out_abort_all(void)
{
	int saved = errno;

	for (int i = 0; i < MAX_TEMPS; i++) {
		if (atomic_load(&temps[i].state) == TEMP_ON_DISK)
			unlink(temps[i].path);
	}
	errno = saved;
}
