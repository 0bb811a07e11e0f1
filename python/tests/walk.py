# SPDX-License-Identifier: Apache-2.0
"""A step under srpf in its plainest form: full sorts, and sums from the start."""

import math

from naive import prefill

WEIGHT, GUARD = 4, 500


class Unfinished:
    """A prompt that waits or has begun; hit is what needs no computing."""

    def __init__(self, name, length, arrival, seq, hit, begun):
        self.name, self.length = name, length
        self.arrival, self.seq = arrival, seq
        self.hit, self.begun = min(hit, length - 1), begun

    @property
    def cost(self):
        return max(1, self.length - self.hit)

    @property
    def age(self):
        return self.arrival, self.seq


def work(length, hit, table):
    """Nanoseconds of what is left of a prompt."""
    seconds = prefill(table, length) - prefill(table, hit)
    return max(1, math.floor(seconds * 1e9 + 0.5))


def merge(unfinished, table):
    fast = sorted(unfinished,
                  key=lambda u: (work(u.length, u.hit, table), u.age))
    fair = sorted(unfinished, key=lambda u: u.age)
    if not fast:
        return []
    f, r = WEIGHT * fast[0].cost, fair[0].cost
    out = []
    while fast:
        if f <= r:
            u = fast[0]
            f += WEIGHT * u.cost
        else:
            u = fair[0]
            r += u.cost
        fast.remove(u)
        fair.remove(u)
        out.append(u)
    return out


class Walks:
    """The walks of one history; knows when each prompt is due."""

    def __init__(self, table, guard):
        self.table, self.guard = table, guard
        self.due = {}
        self.late = 0

    def is_late(self, now, unfinished, outside):
        """Also judges those that are looked at for the first time."""
        t = now + sum(work(h + left, h, self.table) for h, left in outside)
        late, new = False, {}
        for u in sorted(unfinished, key=lambda u: u.age):
            t += work(u.length, u.hit, self.table)
            if u.name in self.due:
                late |= t > self.due[u.name]
            else:
                new[u.name] = t + max(0, t - u.arrival) * GUARD // 1000
        self.due |= new
        return late

    def order(self, now, unfinished, outside):
        if self.guard and self.is_late(now, unfinished, outside):
            self.late += 1
            return sorted(unfinished, key=lambda u: u.age)
        return merge(unfinished, self.table)

    @staticmethod
    def serve(order, budget, seats, real_hit, fits):
        """(name, tokens) of all that are served.

        seats are free sequences, real_hit(name) is the hit when it starts.
        fits(name): is there room?
        """
        out, rest = [], None
        for at, u in enumerate(order):
            if not budget:
                return out
            if not u.begun and (not seats or not fits(u.name)):
                rest = sorted((v for v in order[at:] if v.begun),
                              key=lambda v: v.age)
                break
            left = u.cost if u.begun else u.length - real_hit(u.name)
            out.append((u.name, min(left, budget)))
            budget -= out[-1][1]
            seats -= not u.begun
        for u in rest or ():
            if budget:
                out.append((u.name, min(u.cost, budget)))
                budget -= out[-1][1]
        return out
