/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda/watch.c: a scheduler that submits plans, CUDA's thread that ends those
 * with a callback, the watcher that ends the others, and who destroys the
 * executor, at any time after the last plan. A nap takes any time, so it is
 * none.
 *
 * Holds: every plan is reported, once, and the watcher goes when it is told to
 * and all is reported; nobody waits for ever.
 *
 * mutations: ASKS_TWICE WAKES_FIRST WAKES_UNLOCKED STOPS_UNTOLD
 */
#define PLANS 3

byte submitted = 0;
byte reported = 0;
bool calls[PLANS + 1];		/* a callback will come */
bool silent[PLANS + 1];		/* none will: the watcher reports */
bool over[PLANS + 1];
bool all_submitted = false;

bool lock = false;
bool asleep = false;
bool waits = false;		/* on the condition */
bool stop = false;
bool gone = false;

inline take() { atomic { !lock -> lock = true } }
inline give() { lock = false }

inline report(i)
{
	d_step {
		if
		:: !over[i] -> over[i] = true; reported++
		:: else
		fi
	}
}

inline wake()
{
#ifndef WAKES_UNLOCKED
	take();
#endif
	if
	:: asleep -> waits = false
	:: else
	fi;
#ifndef WAKES_UNLOCKED
	give()
#endif
}

active proctype scheduler()
{
	byte i = 0;
	byte depth;

	if
	:: depth = 1
	:: depth = 2
	fi;
	do
	:: i == PLANS -> break
	:: else ->
		submitted - reported < depth;
		i++;
#ifdef WAKES_FIRST
		wake();
		submitted = i;
#else
		submitted = i;
#endif
		if
		:: calls[i] = true
		:: silent[i] = true
		fi;
#ifndef WAKES_FIRST
		wake()
#endif
	od;
	all_submitted = true
}

active proctype callbacks()
{
	byte i = 1;

	do
	:: i > PLANS -> break
	:: else ->
		if
		:: calls[i] -> report(i)
		:: silent[i]
		fi;
		i++
	od
}

inline ask(num)
{
	before = reported;
	num = submitted - before;
	before = 0
}

active proctype watcher()
{
	byte before, num, i;

	take();
	do
	:: true ->
		do
		:: true ->
			ask(num);
			if
			:: num || stop -> break
			:: else
			fi;
			asleep = true;
			d_step { waits = true; lock = false };
			!waits;
			take();
			asleep = false
		od;
#ifdef ASKS_TWICE
		ask(num);
#endif
		if
		:: !num -> break
		:: else
		fi;
		give();
		i = 1;
		do
		:: i > PLANS -> break
		:: else ->
			if
			:: silent[i] -> report(i)
			:: else
			fi;
			i++
		od;
		i = 0;
		take()
	od;
	give();
	assert(stop);
	assert(reported == submitted);
	gone = true
}

active proctype destroyer()
{
	all_submitted;
	take();
	stop = true;
#ifndef STOPS_UNTOLD
	waits = false;
#endif
	give();
	gone
}
