# SPDX-License-Identifier: Apache-2.0
"""vLLM's order and Fairway's by turns, in production, and what differs.

Time is cut into blocks, and blocks into pairs: one of each order, which of them
first by chance. So what changes over a day touches both alike. A block begins
with a washout, in which the queue of the block before it drains: who arrives in
it is served, and counted for nobody. A pair gives one difference, and all pairs
give its mean, with the interval that Student's t gives for their number.
"""

import math
import random
import statistics
import time

#: 97.5% quantiles of Student's t, by degrees of freedom; 1.96 beyond them.
T = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18,
     2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09)
#: A block with fewer requests says nothing of its p99.
MIN_REQUESTS = 20


def rank(values, percent):
    """The nearest-rank percentile."""
    values = sorted(values)
    return values[max(0, math.ceil(len(values) * percent / 100) - 1)]


def interval(values):
    """Mean and half width of its 95% interval; NaN for the width of one."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, math.nan
    free = len(values) - 1
    t = T[free - 1] if free <= len(T) else 1.96
    return mean, t * statistics.stdev(values) / math.sqrt(len(values))


class Trial:
    """Which order is in force, and what its requests saw.

    arms are two names, that of the order to compare with first. Times of
    arrival are of the same clock.
    """

    def __init__(self, arms, block_s, washout_s, say, clock=time.time,
                 rng=None):
        self.arms = tuple(arms)
        self._block_s, self._washout_s = block_s, washout_s
        self._say, self._clock = say, clock
        self._rng = rng or random.Random()
        #: Differences of whole pairs: p50, p99, requests a second.
        self.pairs: list[tuple[float, float, float]] = []
        self._pair: dict = {}
        self._order = self._draw()
        self._at = 0
        self._begin(clock())

    def _draw(self):
        order = list(self.arms)
        self._rng.shuffle(order)
        return order

    def _begin(self, now):
        self._start = now
        self._ttft: list[float] = []

    def arm(self):
        """The order that is in force now."""
        now = self._clock()
        if now >= self._start + self._block_s:
            self._end_block()
            self._begin(now)
        return self._order[self._at]

    def _end_block(self):
        self._pair[self._order[self._at]] = self._ttft
        self._at += 1
        if self._at < 2:
            return
        self._at = 0
        self._end_pair(*(self._pair[a] for a in self.arms))
        self._pair = {}
        self._order = self._draw()

    def _end_pair(self, base, ours):
        if min(len(base), len(ours)) < MIN_REQUESTS:
            self._say(f"trial: {len(base)} and {len(ours)} requests in a pair "
                      f"of blocks are too few; it does not count")
            return
        seconds = self._block_s - self._washout_s
        self.pairs.append((
            rank(ours, 50) - rank(base, 50),
            rank(ours, 99) - rank(base, 99),
            (len(ours) - len(base)) / seconds,
        ))
        self._say(self.report())

    def served(self, arrival, _start, first, _tokens, _cached, _hashes):
        """A request gave its first token; it counts where it arrived."""
        if arrival >= self._start + self._washout_s:
            self._ttft.append(first - arrival)

    def report(self):
        """One line on all pairs."""
        words = []
        for name, unit, values in zip(("p50", "p99", "rate"), (" s", " s", "/s"),
                                      zip(*self.pairs)):
            mean, width = interval(values)
            # One pair has no interval.
            spread = f" +- {width:.3f}" if len(values) > 1 else ""
            words.append(f"{name} {mean:+.3f}{unit}{spread}")
        num = len(self.pairs)
        pairs = f"{num} pairs" if num > 1 else "one pair"
        return (f"trial: {self.arms[1]} against {self.arms[0]}, "
                f"{pairs} of blocks: {', '.join(words)}")

    def verdict(self):
        """As a recorder has it; the trial speaks at the end of each pair."""

    def flush(self):
        """As a recorder has it; the trial keeps no file."""
