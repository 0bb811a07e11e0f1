/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/policy.h>

#include "lib/base/alloc.h"
#include "keyed.h"
#include "python.h"

/**
 * struct plugin - a policy of a shared object
 * @policy: what the command sees
 * @own: what the object defines
 * @path: as it was named
 * @next: of all that were loaded
 */
struct plugin {
	struct policy policy;
	struct fw_policy own;
	char *path;
	struct plugin *next;
};

/* Those that were loaded; only the main thread looks. */
static struct plugin *loaded;

/**
 * struct foreign - an order of such a policy
 * @keyed: orders by its keys
 * @own: its operations
 * @node: what it may know
 * @ctx: its own
 */
struct foreign {
	struct keyed keyed;
	const struct fw_policy *own;
	struct fw_policy_node node;
	void *ctx;
};

static struct fw_policy_waiter look(const struct waiter *waiter)
{
	const struct fw_request *req = waiter_request(waiter);

	return (struct fw_policy_waiter){
		.id = req->id,
		.arrival = waiter->arrival,
		.len = req->len,
		.hit = waiter->hit,
	};
}

/* A heap of numbers that cannot be compared would be no order. */
static double key(struct keyed *keyed, const struct waiter *waiter)
{
	struct foreign *f = container_of(keyed, struct foreign, keyed);
	struct fw_policy_waiter seen = look(waiter);
	double value = f->own->key(f->ctx, &seen, keyed->now);

	return isnan(value) ? HUGE_VAL : value;
}

static double prefill(const void *ctx, uint32_t tokens)
{
	return fw_cost_prefill(ctx, tokens);
}

/* What follows the first colon behind the last slash. */
static const char *flags_of(const char *name)
{
	const char *colon = strchr(strrchr(name, '/'), ':');

	return colon ? colon + 1 : "";
}

static int create(void **order, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {.key = key};
	const struct plugin *plugin =
		container_of(spec->policy, struct plugin, policy);
	struct foreign *f = keyed_create(sizeof(*f), &rule, env);

	if (!f)
		return -ENOMEM;
	f->own = &plugin->own;
	f->node = (struct fw_policy_node){
		.size = sizeof(f->node),
		.budget = env->budget,
		.block_tokens = env->block_tokens,
		.prefill = prefill,
		.ctx = env->cost,
	};
	if (f->own->create)
		f->ctx = f->own->create(&f->node,
					python_is_path(plugin->path)
						? spec->name
						: flags_of(spec->name));
	if (f->own->create && !f->ctx) {
		keyed_destroy(f);
		return -ECANCELED;
	}
	*order = f;
	return 0;
}

static void destroy(void *order)
{
	struct foreign *f = order;

	if (f->own->destroy)
		f->own->destroy(f->ctx);
	keyed_destroy(f);
}

static void begin(void *order, double now, uint32_t budget)
{
	struct foreign *f = order;

	if (f->own->every_step)
		keyed_touch_all(&f->keyed);
	keyed_begin(order, now, budget);
}

static void admit(void *order, uint32_t tokens)
{
	struct foreign *f = order;
	struct fw_policy_waiter seen = {.id = 0};

	if (f->own->admitted)
		seen = look(waiter_of(keyed_peek(order)));
	keyed_admit(order, tokens);
	if (f->own->admitted)
		f->own->admitted(f->ctx, &seen, tokens);
}

static const char *wrong(const void *order)
{
	const struct foreign *f = order;

	return f->own->wrong ? f->own->wrong(f->ctx) : NULL;
}

static const struct fw_order_ops foreign_order = {
	.waiting = keyed_waiting,
	.add = keyed_add,
	.remove = keyed_remove,
	.set_hit = keyed_set_hit,
	.begin = begin,
	.peek = keyed_peek,
	.admit = admit,
	.end = keyed_end,
};

bool plugin_is_path(const char *name)
{
	return strchr(name, '/') != NULL;
}

/* Is all behind the first @size bytes of @theirs zero, and all needed there? */
static const char *misfit(const struct fw_policy *theirs)
{
	const unsigned char *bytes = (const unsigned char *)theirs;

	if (theirs->size < offsetof(struct fw_policy, every_step))
		return "a size too small";
	for (size_t i = sizeof(*theirs); i < theirs->size; i++)
		if (bytes[i])
			return "a newer kind of policy";
	return theirs->key ? NULL : "no key";
}

static struct plugin *add(const char *path, const struct fw_policy *theirs)
{
	struct plugin *plugin = calloc(1, sizeof(*plugin));
	size_t size = theirs->size < sizeof(plugin->own) ? theirs->size
							 : sizeof(plugin->own);

	if (!plugin)
		return NULL;
	plugin->path = strdup(path);
	if (!plugin->path) {
		free(plugin);
		return NULL;
	}
	memcpy(&plugin->own, theirs, size);
	plugin->policy = (struct policy){
		.name = plugin->path,
		.help = plugin->own.help ? plugin->own.help : "",
		.order = &foreign_order,
		.create = create,
		.destroy = destroy,
		.wrong = wrong,
	};
	plugin->next = loaded;
	loaded = plugin;
	return plugin;
}

/* What the shared object defines; NULL where it is none, or none that fits. */
static const struct fw_policy *open_object(const char *path, struct diag *diag)
{
	const struct fw_policy *theirs;
	const char *misfits;
	void *handle;

	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		diag_set(diag, -EINVAL, "policy \"%s\": %s", path, dlerror());
		return NULL;
	}
	theirs = dlsym(handle, "fairway_policy");
	misfits = theirs ? misfit(theirs) : "no variable fairway_policy";
	if (misfits) {
		diag_set(diag, -EINVAL,
			 "policy \"%s\": expected a policy as in "
			 "<fairway/policy.h> (%s)",
			 path, misfits);
		return NULL;
	}
	return theirs;
}

const struct policy *plugin_load(const char *path, struct diag *diag)
{
	const struct fw_policy *theirs = NULL;
	struct fw_policy scripted;
	struct plugin *plugin;

	for (plugin = loaded; plugin; plugin = plugin->next)
		if (!strcmp(plugin->path, path))
			return &plugin->policy;
	if (!python_is_path(path))
		theirs = open_object(path, diag);
	else if (!python_load(&scripted, path, diag))
		theirs = &scripted;
	if (!theirs)
		return NULL;
	plugin = add(path, theirs);
	if (!plugin)
		diag_set(diag, -ENOMEM, "out of memory");
	return plugin ? &plugin->policy : NULL;
}
