/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "mem.h"

struct file {
	dev_t dev;
	ino_t ino;
};

/**
 * struct files - a list of files
 * @list: @num of them, in no order
 * @num: how many
 * @cap: how many there is room for
 */
struct files {
	struct file *list;
	size_t num;
	size_t cap;
};

/* Protects both lists. A command reads and writes a handful of files. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct files were_read;
static struct files replaced;

static struct file *find(const struct files *files, const struct stat *st)
{
	for (size_t i = 0; i < files->num; i++)
		if (files->list[i].dev == st->st_dev &&
		    files->list[i].ino == st->st_ino)
			return &files->list[i];
	return NULL;
}

static int add(struct files *files, const struct stat *st)
{
	struct file *list = mem_grow(files->list, &files->cap, files->num + 1,
				     sizeof(*list));

	if (!list)
		return -ENOMEM;
	files->list = list;
	list[files->num++] = (struct file){st->st_dev, st->st_ino};
	return 0;
}

/* Add to one list what does not stand in the other. */
static int add_unless(struct files *to, const struct files *other,
		      const struct stat *st)
{
	int ret;

	pthread_mutex_lock(&lock);
	ret = find(other, st) ? -EBUSY : add(to, st);
	pthread_mutex_unlock(&lock);
	return ret;
}

int guard_read(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	return add_unless(&were_read, &replaced, &st);
}

int guard_read_later(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	return add_unless(&were_read, &replaced, &st);
}

int guard_replace(const struct stat *st)
{
	return add_unless(&replaced, &were_read, st);
}

void guard_replace_end(const struct stat *st)
{
	struct file *file;

	pthread_mutex_lock(&lock);
	file = find(&replaced, st);
	if (file)
		*file = replaced.list[--replaced.num];
	pthread_mutex_unlock(&lock);
}
