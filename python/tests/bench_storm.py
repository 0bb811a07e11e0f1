# SPDX-License-Identifier: Apache-2.0
"""How long a pass takes in a storm: a document that all who wait begin with
appears, is evicted from its end, and appears again.

A step tells the cache what happened, then runs a pass that admits 8 and adds as
many. Times are of the thread, in milliseconds; least is the same without a storm.
Each figure is the best of some runs, since others may use the machine's caches.
`bench_storm.py [WAITING [MAX_MOVED...]]`.
"""

import gc
import sys
import time

import fairway

BLOCK, DOC, TAIL = 16, 168, 19
LENGTH = (DOC + TAIL) * BLOCK
STEPS, RUNS, ADMITTED = 40, 3, 8


def key(kind, number):
    return bytes([kind]) + number.to_bytes(15, "big")


DOCUMENT = [key(0, i) for i in range(DOC)]


class Storm:
    def __init__(self, waiting, max_moved):
        self.cache = fairway.Cache(block_tokens=BLOCK, demand=True,
                                   max_moved=max_moved)
        self.order = fairway.Order(cache=self.cache, device="a6000")
        self.made = 0
        for _ in range(waiting):
            self.add()
        # All of them came at once, which no storm does.
        self.step(10**9)

    def add(self):
        n = self.made = self.made + 1
        tail = [key(1, n * TAIL + i) for i in range(TAIL)]
        self.order.add(n, LENGTH, n * 1000, DOCUMENT + tail)

    def step(self, now):
        """The pass of a step."""
        self.order.begin(now)
        for _ in range(ADMITTED):
            self.order.peek()
            self.order.admit(100)
        self.order.end()

    def timed(self, event, now):
        start = time.thread_time_ns()
        if event:
            event(DOCUMENT[::-1] if event == self.cache.forget else DOCUMENT)
        told = time.thread_time_ns()
        self.step(now)
        ended = time.thread_time_ns()
        for _ in range(ADMITTED):
            self.add()
        return (told - start) / 1e6, (ended - told) / 1e6


def longest(waiting, max_moved):
    """Longest (told, pass) of each kind of step, for one run."""
    storm, now = Storm(waiting, max_moved), 10**9
    events = {"least": None, "appears": storm.cache.store_somewhere,
              "leaves": storm.cache.forget}
    # Two rounds: a tree that is known, and one that is not.
    worst = dict.fromkeys(events, (0, 0))
    for name in ("least", "appears", "leaves", "appears", "leaves"):
        for i in range(STEPS):
            now += 10**7
            took = storm.timed(None if i else events[name], now)
            worst[name] = tuple(map(max, worst[name], took))
    return worst


def main():
    waiting = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    print("waiting  max_moved  step      told_ms  pass_ms")
    for max_moved in [int(a) for a in sys.argv[2:]] or [32, 512, 0]:
        gc.disable()
        runs = [longest(waiting, max_moved) for _ in range(RUNS)]
        gc.enable()
        for name in runs[0]:
            told, took = (min(r[name][i] for r in runs) for i in (0, 1))
            print(f"{waiting:7}  {max_moved:9}  {name:8} {told:8.3f} "
                  f"{took:8.3f}", flush=True)


if __name__ == "__main__":
    main()
