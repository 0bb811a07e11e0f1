/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/gate.c with an inbox: two producers, a consumer that sleeps, a kernel
 * with a futex. Each thread has a store buffer as on x86: a plain store waits
 * there until it is written to memory, in order, at any later time; a locked
 * instruction and a system call write it out first. A producer may stop for
 * good before any of its steps.
 *
 * Holds: when nothing moves any more, all that was pushed by a producer that
 * returned from fw_gate_wake() has been drained.
 *
 * mutations: PLAIN_PREPARE PLAIN_PUSH LOOK_FIRST CLEAR_FIRST WAKE_IF_EMPTY
 */
#define BUSY 0
#define ASLEEP 1
#define WOKEN 2

#define PRODUCERS 2
#define PUSHES 2
#define BIT(p, i) (1 << ((p) * PUSHES + (i)))

/* What is in the inbox, as bits; what came out; whose wake returned. */
byte inbox = 0;
byte drained = 0;
byte returned = 0;

byte state = BUSY;
bool queued = false;		/* in the kernel, on the futex */
byte timeouts = 1;		/* sleeps that end by themselves */

/* Store buffers: values of state for the consumer, bits for producers. */
chan consumer_stores = [2] of { byte };
#ifdef PLAIN_PUSH
chan producer_stores[PRODUCERS] = [2] of { byte };
#endif

#define MAY_STOP if :: true :: true -> goto stopped fi

/* Written to memory at any time. */
active proctype consumer_buffer()
{
	byte stored;

end:	do
	:: d_step { consumer_stores ? stored -> state = stored; stored = 0 }
	od
}

#ifdef PLAIN_PUSH
proctype producer_buffer(byte me)
{
	byte stored;

end:	do
	:: d_step {
		producer_stores[me] ? stored -> inbox = inbox | stored;
		stored = 0
	   }
	od
}
#endif

proctype producer(byte me)
{
	byte seen;
	bool was_empty;
	byte i = 0;

	do
	:: i == PUSHES -> break
	:: else ->
		MAY_STOP;
#ifdef PLAIN_PUSH
		producer_stores[me] ! BIT(me, i);
		was_empty = true;
#else
		/* A locked instruction. */
		d_step {
			was_empty = (inbox == 0);
			inbox = inbox | BIT(me, i)
		};
#endif
		MAY_STOP;
		if
#ifdef WAKE_IF_EMPTY
		:: !was_empty -> goto next
#endif
		:: else
		fi;
		seen = state;
		if
		:: seen != BUSY ->
			MAY_STOP;
			d_step {
				seen = state;
				if
				:: seen == ASLEEP ->
#ifdef CLEAR_FIRST
					state = BUSY
#else
					state = WOKEN
#endif
				:: else
				fi
			};
			MAY_STOP;
			if
			:: seen != BUSY ->
#ifdef PLAIN_PUSH
				empty(producer_stores[me]);
#endif
				queued = false
			:: else
			fi
		:: else
		fi;
next:
		returned = returned | BIT(me, i);
		seen = 0;
		was_empty = false;
		i++
	od;
stopped:
	skip
}

inline drain()
{
	d_step {
		empty(consumer_stores) -> drained = drained | inbox;
		inbox = 0
	}
}

inline prepare()
{
#ifdef PLAIN_PREPARE
	consumer_stores ! ASLEEP
#else
	/* An exchange. */
	d_step { empty(consumer_stores) -> state = ASLEEP }
#endif
}

active proctype consumer()
{
	bool nothing;

	do
	:: true ->
		/* Plain loads first: a shard that looks empty is left alone. */
		if
		:: inbox != 0 -> drain()
		:: else
		fi;
#ifdef LOOK_FIRST
		nothing = (inbox == 0);
		prepare();
#else
		prepare();
		nothing = (inbox == 0);
#endif
		if
		:: nothing ->
			/* The kernel compares and queues in one. */
			d_step {
				empty(consumer_stores) ->
				if
				:: state == ASLEEP -> queued = true
				:: else
				fi
			};
end:			if
			:: !queued
			:: timeouts > 0 -> timeouts--; queued = false
			fi;
			d_step { empty(consumer_stores) -> state = BUSY }
		:: else ->
			/* Relaxed: a plain store. */
			consumer_stores ! BUSY
		fi;
		nothing = false
	od
}

active proctype observer()
{
end:	timeout ->
	assert(inbox == 0 || !queued || (returned & inbox) == 0);
	assert((returned & ~drained) == 0)
}

init {
	atomic {
#ifdef PLAIN_PUSH
		run producer_buffer(0);
		run producer_buffer(1);
#endif
		run producer(0);
		run producer(1)
	}
}
