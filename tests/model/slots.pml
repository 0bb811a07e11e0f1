/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One slot of lib/slots.c through three generations: a producer that takes it
 * whenever it is free, a scheduler, two threads that cancel any handle that
 * was ever given out, at any time. These may stop for good before any step.
 *
 * Holds: a cancel that succeeded is told to fw_slot_end() of the request that
 * its handle names, and no request is told of another's; the hook is pushed
 * only while it is nowhere linked; the slot is used again only when the hook
 * is through; without a stopped canceller every generation comes to its end.
 *
 * mutations: NO_GENERATION NO_HOLD BIT_ASIDE PUSH_TWICE
 */
#define GENERATIONS 3

#define FREE 0
#define SUBMITTED 1
#define WAITING 2
#define RUNNING 3
#define ENDING 4

/* The word: its parts are only read or written together. */
byte generation = 0;
byte state = FREE;
bool cancelled = false;

bool in_stack = true;
bool arrived = false;		/* the request is in the scheduler's inbox */
bool linked = false;		/* the hook is in the inbox of cancels */
byte between = 0;		/* cancellers that set the bit and have not pushed */
byte given = 0;			/* handles of generations below are out */

bool asked[GENERATIONS];	/* a cancel succeeded */
bool ended[GENERATIONS];
byte stopped_between = 0;

active proctype producer()
{
end:	do
	:: generation == GENERATIONS -> break
	:: atomic { in_stack -> in_stack = false };
		/* Taken: the word is this thread's alone. */
		if
		:: generation == GENERATIONS -> break
		:: else
		fi;
		assert(state == FREE && !linked && between == 0);
		state = SUBMITTED;
		/* Its handle may be cancelled before the request arrives. */
		given = generation + 1;
		arrived = true
	od
}

proctype canceller()
{
	byte handle, seen_generation, seen_state;
	bool seen_bit;

end:	do
	:: given > 0 ->
		select(handle : 0 .. GENERATIONS - 1);
		if
		:: handle < given
		:: else -> goto again
		fi;
		d_step {
			seen_generation = generation;
			seen_state = state;
			seen_bit = cancelled
		};
retry:
		if
#ifndef NO_GENERATION
		:: seen_generation != handle -> goto again
#endif
		:: seen_state == FREE || seen_state == ENDING -> goto again
#ifndef PUSH_TWICE
		:: seen_bit -> goto again
#endif
		:: else
		fi;
		if
		:: true
		:: true -> goto stopped
		fi;
		atomic {
			if
#ifndef BIT_ASIDE
			:: generation != seen_generation ||
			   state != seen_state || cancelled != seen_bit ->
				/* The exchange failed. */
				seen_generation = generation;
				seen_state = state;
				seen_bit = cancelled;
				goto retry
#endif
			:: else ->
				/* Before its end, and its own. */
				assert(!ended[handle]);
				assert(generation == handle);
				cancelled = true;
				asked[handle] = true;
				between++
			fi
		};
		if
		:: true
		:: true -> stopped_between++; goto stopped
		fi;
		atomic {
			assert(!linked && generation == handle);
			linked = true;
			between--
		};
again:
		skip;
		d_step {
			handle = 0;
			seen_generation = 0;
			seen_state = 0;
			seen_bit = false
		}
	od;
stopped:
	skip
}

inline free_slot()
{
	d_step {
		generation++;
		state = FREE;
		cancelled = false;
		told = false;
		held = false;
		in_stack = true
	}
}

active proctype scheduler()
{
	bool told = false;	/* the hook came out */
	bool held = false;	/* put, the hook is on its way */
	bool was;

	do
	:: atomic { arrived && state == SUBMITTED ->
		arrived = false; state = WAITING }
	:: atomic { state == WAITING -> state = RUNNING }
	:: atomic { state == RUNNING && generation < 1 -> state = WAITING }
	:: (state == WAITING || state == RUNNING) ->
		/* fw_slot_end(): one instruction; a cancel beside it is in
		 * before or fails. */
		atomic {
			assert(!ended[generation]);
			state = ENDING;
			ended[generation] = true;
			was = cancelled;
			assert(was == asked[generation])
		};
		/* The callback runs here; then fw_slot_put(). */
		if
#ifndef NO_HOLD
		:: was && !told -> held = true
#endif
		:: else -> free_slot()
		fi;
		was = false
	:: atomic { linked -> linked = false };
		/* fw_slots_next_cancel() */
		assert(!told);
		told = true;
		if
		:: held -> free_slot()
		:: else
		fi
	:: generation == GENERATIONS -> break
	:: timeout ->
		/* Only a canceller that stopped holds the slot back. */
		assert(held && stopped_between > 0);
		break
	od
}

init {
	atomic {
		run canceller();
		run canceller()
	}
}
