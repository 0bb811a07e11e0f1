/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One shard of lib/inbox.c: three producers that push each node again as soon
 * as the consumer has drained it, so that a producer can find as top a node
 * that was drained and pushed again since it looked (ABA). The first has two
 * nodes, the others one. A producer may stop for good before any of its steps.
 *
 * Holds: what was pushed is drained, nothing else is, nothing twice; what one
 * producer pushes comes out in that order.
 *
 * mutations: PLAIN_STORE NO_REVERSE
 */
#define PRODUCERS 3
#define PUSHES 2
#define NODES (PRODUCERS + 1)
#define NIL 0

/* Nodes are numbered from 1; producer p has p + 1, the first the last too. */
#define NODE(p, i) (p == 0 && i % 2 == 1 -> NODES : p + 1)
#define OWNER(node) (node == NODES -> 0 : node - 1)

byte top = NIL;
byte next_of[NODES + 1];
byte value[NODES + 1];
bool linked[NODES + 1];

byte pushed[PRODUCERS];
byte drained[PRODUCERS];
byte running = PRODUCERS;

#define MAY_STOP if :: true :: true -> goto stopped fi

proctype producer(byte me)
{
	byte node, seen;
	bool done;
	byte i = 0;

	do
	:: i == PUSHES -> break
	:: else ->
		node = NODE(me, i);
		/* Its own, once the consumer has handed it back. */
		!linked[node];
		value[node] = i;
		MAY_STOP;
		seen = top;
		done = false;
		do
		:: done -> break
		:: else ->
			MAY_STOP;
			/* The link is private until the exchange. */
			atomic {
				next_of[node] = seen;
				if
#ifndef PLAIN_STORE
				:: top != seen -> seen = top
#endif
				:: else ->
					top = node;
					linked[node] = true;
					pushed[me]++;
					done = true
				fi
			}
		od;
		i++
	od;
stopped:
	running--
}

inline take(node)
{
	assert(linked[node]);
	assert(value[node] == drained[OWNER(node)]);
	drained[OWNER(node)]++;
	linked[node] = false
}

proctype consumer()
{
	byte chain, done, node;

	do
	:: top != NIL ->
		/* The exchange. */
		d_step { chain = top; top = NIL };
		/* From here on the chain is the consumer's alone. */
#ifndef NO_REVERSE
		d_step {
			done = NIL;
			do
			:: chain == NIL -> break
			:: else ->
				node = chain;
				chain = next_of[node];
				next_of[node] = done;
				done = node
			od;
			chain = done;
			done = NIL;
			node = NIL
		};
#endif
		do
		:: chain == NIL -> break
		:: else ->
			/* The next first: the node may be pushed again. */
			d_step {
				node = chain;
				chain = next_of[node]
			};
			d_step { take(node) };
			node = NIL
		od
	:: top == NIL && running == 0 -> break
	od;
	for (node : 0 .. PRODUCERS - 1) {
		assert(pushed[node] == drained[node])
	}
}

init {
	atomic {
		run producer(0);
		run producer(1);
		run producer(2);
		run consumer()
	}
}
