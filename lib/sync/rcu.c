/* SPDX-License-Identifier: Apache-2.0 */
#include "rcu.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <urcu/urcu-bp.h>

#include "lib/base/compiler.h"

/*
 * ThreadSanitizer does not see the edges that run through liburcu, which is
 * not instrumented: a reader that leaves comes before the end of a grace
 * period that waited for it, and what the owner did before it started one
 * comes before the callback. Say so, and it misses no race of ours.
 */
#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif

#ifdef TSAN
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);

static char tsan_token;

static void edge_from(void)
{
	__tsan_release(&tsan_token);
}

static void edge_to(void)
{
	__tsan_acquire(&tsan_token);
}
#else
static void edge_from(void)
{
}

static void edge_to(void)
{
}
#endif

_Static_assert(sizeof(((struct fw_rcu_grace *)0)->head) >=
		       sizeof(struct rcu_head),
	       "room for liburcu's head");
_Static_assert(_Alignof(void *) >= _Alignof(struct rcu_head),
	       "and its alignment");

/*
 * Forks between the process that opened and this one. Written by the child's
 * only thread, in fork(), so that all that the child does comes after.
 */
static _Atomic unsigned int forks;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static bool opened;

/*
 * The lock may be held by a thread that the child does not have; it is not
 * taken there, since @forks is looked at first.
 */
static void in_child(void)
{
	atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

bool fw_rcu_forked(void)
{
	return atomic_load_explicit(&forks, memory_order_relaxed) > 0;
}

/* The helper takes no signal that the host wants for itself. */
static void start_helper(void)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	urcu_bp_get_default_call_rcu_data();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int fw_rcu_open(void)
{
	int ret = 0;

	if (fw_rcu_forked())
		return -ECHILD;
	pthread_mutex_lock(&open_lock);
	if (!opened) {
		ret = -pthread_atfork(NULL, NULL, in_child);
		opened = !ret;
	}
	if (!ret)
		start_helper();
	pthread_mutex_unlock(&open_lock);
	return ret;
}

void fw_rcu_attach(void)
{
	urcu_bp_register_thread();
}

void fw_rcu_read_lock(void)
{
	urcu_bp_read_lock();
}

void fw_rcu_read_unlock(void)
{
	edge_from();
	urcu_bp_read_unlock();
}

static void all_left(struct rcu_head *head)
{
	struct fw_rcu_grace *grace =
		container_of((void *)head, struct fw_rcu_grace, head);

	edge_to();
	/*
	 * [R1] Release: all readers from before are gone, and we do not touch
	 * @grace any more. Pairs with the acquire in fw_rcu_grace_over().
	 */
	atomic_store_explicit(&grace->running, false, memory_order_release);
}

void fw_rcu_grace_start(struct fw_rcu_grace *grace)
{
	grace->born = atomic_load_explicit(&forks, memory_order_relaxed);
	/* Relaxed: call_rcu() hands it to the helper, in order. */
	atomic_store_explicit(&grace->running, true, memory_order_relaxed);
	if (fw_rcu_forked())
		return;
	edge_from();
	urcu_bp_call_rcu((struct rcu_head *)(void *)grace->head, all_left);
}

bool fw_rcu_grace_over(const struct fw_rcu_grace *grace)
{
	/*
	 * [R1] Acquire: what the readers read comes before what the owner
	 * does to it now.
	 */
	if (!atomic_load_explicit(&grace->running, memory_order_acquire))
		return true;
	/* It ran when we were forked: its readers are not in this process. */
	return grace->born !=
	       atomic_load_explicit(&forks, memory_order_relaxed);
}
