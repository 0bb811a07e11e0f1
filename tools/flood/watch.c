/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "lib/base/clock.h"
#include "producer.h"

#define TICK_NS 5000000

/* When nothing has ended for so long, the run is given up. */
#define GIVE_UP_NS INT64_C(30000000000)

/* The signal stops the victim at any of its instructions, in the handler. */
static _Atomic bool standing;
static _Atomic bool released;

static void stand_still(int signo)
{
	struct timespec nap = {.tv_nsec = TICK_NS};
	int saved = errno;

	(void)signo;
	atomic_store(&standing, true);
	while (!atomic_load(&released))
		nanosleep(&nap, NULL);
	errno = saved;
}

static void tick(void)
{
	struct timespec nap = {.tv_nsec = TICK_NS};

	nanosleep(&nap, NULL);
}

/* Have all but the victim submitted everything, and has it all ended? */
static bool others_through(const struct flood *flood)
{
	for (uint32_t i = 1; i < flood->args.producers; i++) {
		const struct flood_producer *other = &flood->producers[i];

		if (!atomic_load(&other->finished) ||
		    atomic_load(&other->ended) < atomic_load(&other->submitted))
			return false;
	}
	return true;
}

/* After an eighth of its submissions, so well inside the run. */
static bool time_to_stop(const struct flood_watch *watch)
{
	return atomic_load(&watch->flood->producers[0].submitted) >
	       watch->flood->producers[0].quota / 8;
}

/* Stop the first producer, and let it go when the others are through. */
static void stop_victim(struct flood_watch *watch)
{
	struct flood_producer *victim = &watch->flood->producers[0];

	if (!atomic_load(&standing)) {
		if (time_to_stop(watch) && !atomic_load(&victim->finished))
			pthread_kill(victim->thread, SIGUSR2);
		return;
	}
	if (atomic_load(&released) || !others_through(watch->flood))
		return;
	watch->stopped = !atomic_load(&victim->finished);
	atomic_store(&released, true);
}

/* End the scheduler's loop; flood_run() then returns -ETIME. */
static void give_up(struct flood_watch *watch)
{
	watch->stuck = true;
	atomic_store(&released, true);
	fw_stop(watch->flood->fw);
}

static void *run(void *arg)
{
	struct flood_watch *watch = arg;
	int64_t since = fw_clock_now();
	uint64_t before = 0;

	while (!atomic_load(&watch->over)) {
		uint64_t ended = atomic_load(&watch->flood->ended);

		if (ended != before)
			since = fw_clock_now();
		before = ended;
		if (watch->flood->args.stop_producer)
			stop_victim(watch);
		if (fw_clock_now() - since > GIVE_UP_NS)
			give_up(watch);
		tick();
	}
	return NULL;
}

int flood_watch_start(struct flood_watch *watch, struct flood *flood)
{
	struct sigaction action = {.sa_handler = stand_still,
				   .sa_flags = SA_RESTART};

	*watch = (struct flood_watch){.flood = flood};
	atomic_store(&standing, false);
	atomic_store(&released, false);
	if (sigaction(SIGUSR2, &action, NULL))
		return -errno;
	return -pthread_create(&watch->thread, NULL, run, watch);
}

void flood_watch_stop(struct flood_watch *watch)
{
	atomic_store(&watch->over, true);
	pthread_join(watch->thread, NULL);
}
