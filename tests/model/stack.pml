/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack of free slots of lib/slots.c: two threads take and put back, so
 * that a slot can go and come back while another thread stands between its
 * look at the top and its compare-and-swap. Either may stop for good.
 *
 * Holds: a slot has one owner at a time, and none gets lost: those that are
 * not in the stack are somebody's.
 *
 * mutations: NO_TAG
 */
#define SLOTS 3
#define THREADS 3
#define TAGS 64
#define NIL 0

byte top = 1;			/* slot plus 1 */
byte tag = 0;
byte below[SLOTS + 1];		/* by slot plus 1 */
byte owner[SLOTS + 1];

#ifdef NO_TAG
#define SAME_TAG true
#else
#define SAME_TAG (tag == seen_tag)
#endif

/* Exact as long as no thread sees the tag come round. */
#define NEXT_TAG tag = (tag + 1) % TAGS

#define MAY_STOP if :: true :: true -> goto stopped fi

proctype thread(byte me; byte rounds)
{
	byte seen, seen_tag, under, mine;
	byte second = NIL;
	bool done;

	do
	:: rounds == 0 -> break
	:: else ->
		rounds--;
		mine = NIL;
		/* pop() */
		done = false;
		d_step { seen = top; seen_tag = tag };
		do
		:: done || seen == NIL -> break
		:: else ->
			MAY_STOP;
			under = below[seen];
			MAY_STOP;
			atomic {
				if
				:: top == seen && SAME_TAG ->
					top = under;
					NEXT_TAG;
					mine = seen;
					done = true;
					assert(owner[mine] == 0);
					owner[mine] = me
				:: else ->
					seen = top;
					seen_tag = tag
				fi
			}
		od;
		/* Sometimes keep one while taking the next. */
		if
		:: mine == NIL -> goto next
		:: mine != NIL && second == NIL && rounds > 0 ->
			second = mine;
			goto next
		:: mine != NIL && second != NIL ->
			/* The one that was on top goes back first. */
			d_step {
				under = mine;
				mine = second;
				second = under
			}
		:: mine != NIL && second == NIL
		fi;
put:
		/* push() */
		done = false;
		d_step { seen = top; seen_tag = tag };
		do
		:: done -> break
		:: else ->
			MAY_STOP;
			below[mine] = seen;
			MAY_STOP;
			atomic {
				if
				:: top == seen && SAME_TAG ->
					assert(owner[mine] == me);
					owner[mine] = 0;
					top = mine;
					NEXT_TAG;
					done = true
				:: else ->
					seen = top;
					seen_tag = tag
				fi
			}
		od;
		if
		:: second != NIL ->
			mine = second;
			second = NIL;
			goto put
		:: else
		fi;
next:
		skip;
		d_step { seen = 0; seen_tag = 0; under = 0; mine = 0 }
	od;
stopped:
	skip
}

active proctype observer()
{
	byte slot, free;

	timeout;
	d_step {
		slot = top;
		do
		:: slot == NIL -> break
		:: else ->
			assert(owner[slot] == 0);
			free++;
			assert(free <= SLOTS);
			slot = below[slot]
		od;
		for (slot : 1 .. SLOTS) {
			if
			:: owner[slot] != 0 -> free++
			:: else
			fi
		}
		assert(free == SLOTS)
	}
}

init {
	atomic {
		below[1] = 2;
		below[2] = 3;
		below[3] = NIL;
		run thread(1, 2);
		run thread(2, 3)
	}
}
