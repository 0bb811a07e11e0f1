/* SPDX-License-Identifier: Apache-2.0 */
#include "python.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fairway/policy.h>

extern char **environ;

/* What is asked; fairway/policy.py reads the same struct. */
enum ask_kind {
	ASK_KEY,
	ASK_ADMITTED,
	ASK_PREFILL,
};

struct ask {
	uint32_t kind;
	uint32_t tokens;
	uint64_t id;
	double arrival;
	uint32_t len;
	uint32_t hit;
	double value;
};

enum answer_kind {
	ANSWER_VALUE,
	/* How long do @len tokens take? The answer is the next ask. */
	ANSWER_PREFILL,
	/* @len bytes follow, which say what broke. */
	ANSWER_BROKE,
};

struct answer {
	uint32_t kind;
	uint32_t len;
	double value;
};

/**
 * struct python - a process that runs the file
 * @pid: its number; 0 where none was started
 * @fd: a socket to it
 * @node: of the policy; NULL to learn only what the file has
 * @wrong: what broke, "" for nothing; then it is asked no more
 */
struct python {
	pid_t pid;
	int fd;
	const struct fw_policy_node *node;
	char wrong[256];
};

bool python_is_path(const char *path)
{
	size_t len = strlen(path);

	return len > 3 && !strcmp(path + len - 3, ".py");
}

static void broke(struct python *python, const char *why)
{
	if (!python->wrong[0])
		snprintf(python->wrong, sizeof(python->wrong), "%s", why);
}

static bool send_all(struct python *python, const struct ask *ask)
{
	return send(python->fd, ask, sizeof(*ask), MSG_NOSIGNAL) ==
	       (ssize_t)sizeof(*ask);
}

static bool receive_all(struct python *python, void *to, size_t len)
{
	return recv(python->fd, to, len, MSG_WAITALL) == (ssize_t)len;
}

static void take_reason(struct python *python, size_t len)
{
	char why[sizeof(python->wrong)];

	if (len >= sizeof(why))
		len = sizeof(why) - 1;
	if (!receive_all(python, why, len))
		len = 0;
	why[len] = '\0';
	broke(python, len ? why : "it broke");
}

/* The next answer, after all that the policy asks before it. */
static double receive(struct python *python)
{
	const struct fw_policy_node *node = python->node;
	struct answer answer;

	while (receive_all(python, &answer, sizeof(answer))) {
		struct ask ask = {.kind = ASK_PREFILL};

		if (answer.kind == ANSWER_VALUE)
			return answer.value;
		if (answer.kind == ANSWER_BROKE) {
			take_reason(python, answer.len);
			return 0.0;
		}
		ask.value = node->prefill(node->ctx, answer.len);
		if (!send_all(python, &ask))
			break;
	}
	broke(python, "its process ended: needs python3 with the package "
		      "fairway");
	return 0.0;
}

static double ask(struct python *python, const struct ask *ask)
{
	if (python->wrong[0])
		return 0.0;
	/* Where nothing can be sent, what it said last tells why. */
	(void)send_all(python, ask);
	return receive(python);
}

/* Its standard input is the socket, so that it may print what it likes. */
static int spawn(struct python *python, int theirs, char *const argv[])
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	err = posix_spawn_file_actions_adddup2(&actions, theirs, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, 2, 1);
	if (!err)
		err = posix_spawnp(&python->pid, argv[0], &actions, NULL, argv,
				   environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		python->pid = 0;
	return err;
}

/* @name is the path, and behind a colon the flags. */
static int start(struct python *python, const char *name)
{
	const struct fw_policy_node *node = python->node;
	const char *program = getenv("PYTHON");
	char budget[16], block[16], load[] = "-m", module[] = "fairway.policy";
	char *argv[] = {strdup(program && *program ? program : "python3"),
			load,
			module,
			strdup(name),
			budget,
			block,
			NULL};
	int fds[2];
	int err = -ENOMEM;

	snprintf(budget, sizeof(budget), "%u", node ? node->budget : 0);
	snprintf(block, sizeof(block), "%u", node ? node->block_tokens : 0);
	if (argv[0] && argv[3])
		err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)
			      ? -errno
			      : 0;
	if (!err) {
		err = -spawn(python, fds[1], argv);
		close(fds[1]);
		python->fd = fds[0];
		if (err)
			close(fds[0]);
	}
	free(argv[3]);
	free(argv[0]);
	return err;
}

static void destroy(void *ctx)
{
	struct python *python = ctx;

	if (python->pid) {
		close(python->fd);
		while (waitpid(python->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(python);
}

/*
 * What does not start, or refuses its flags, is told by wrong(), which knows
 * more than that there is nothing. @every_step gets what the file says.
 */
static struct python *begin(const struct fw_policy_node *node, const char *name,
			    double *every_step)
{
	struct python *python = calloc(1, sizeof(*python));
	int err;

	if (!python)
		return NULL;
	python->node = node;
	err = start(python, name);
	if (err)
		broke(python, strerror(-err));
	else
		*every_step = receive(python);
	return python;
}

static void *create(const struct fw_policy_node *node, const char *name)
{
	double every_step;

	return begin(node, name, &every_step);
}

static double key(void *ctx, const struct fw_policy_waiter *waiter, double now)
{
	const struct ask what = {
		.kind = ASK_KEY,
		.id = waiter->id,
		.arrival = waiter->arrival,
		.len = waiter->len,
		.hit = waiter->hit,
		.value = now,
	};

	return ask(ctx, &what);
}

static void admitted(void *ctx, const struct fw_policy_waiter *waiter,
		     uint32_t tokens)
{
	const struct ask what = {
		.kind = ASK_ADMITTED,
		.tokens = tokens,
		.id = waiter->id,
		.arrival = waiter->arrival,
		.len = waiter->len,
		.hit = waiter->hit,
	};

	ask(ctx, &what);
}

static const char *wrong(void *ctx)
{
	const struct python *python = ctx;

	return python->wrong[0] ? python->wrong : NULL;
}

int python_load(struct fw_policy *policy, const char *path, struct diag *diag)
{
	double every_step = 0.0;
	struct python *python = begin(NULL, path, &every_step);
	int err = 0;

	if (!python)
		return diag_set(diag, -ENOMEM, "out of memory");
	if (python->wrong[0])
		err = diag_set(diag, -EINVAL, "policy \"%s\": %s", path,
			       python->wrong);
	destroy(python);
	if (err)
		return err;
	*policy = (struct fw_policy){
		.size = sizeof(*policy),
		.help = "in Python",
		.create = create,
		.destroy = destroy,
		.key = key,
		.every_step = every_step != 0.0,
		.admitted = admitted,
		.wrong = wrong,
	};
	return 0;
}
