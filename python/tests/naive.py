# SPDX-License-Identifier: Apache-2.0
"""The order in its plainest form, from its definition: sorts at each release."""

MULTIPLIER, FLOOR, WEIGHT = 3.0, 1.0, 4


class Waiting:
    def __init__(self, name, length, arrival, seq, hit):
        self.name, self.length, self.arrival = name, length, arrival
        self.seq, self.hit = seq, min(hit, length - 1)

    @property
    def cost(self):
        return max(1, self.length - self.hit)


def prefill(table, tokens):
    """Linear between the rows, and along the last two beyond them."""
    points = [(0, 0.0), *table]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if tokens <= x1:
            break
    return y0 + (y1 - y0) * (tokens - x0) / (x1 - x0)


def score(r, now, table):
    slo = max(FLOOR, MULTIPLIER * prefill(table, r.length))
    return r.hit / r.cost + max(0.0, now - r.arrival) / slo


def releases(waiting, now, table):
    """The whole sequence of one pass, as names, with what each is charged."""
    left = list(waiting)
    if not left:
        return []
    fast = sorted(left, key=lambda r: (-score(r, now, table), r.arrival, r.seq))
    fair = sorted(left, key=lambda r: (r.arrival, r.seq))
    f, r = WEIGHT * fast[0].cost, fair[0].cost
    out = []
    while fast:
        if f <= r:
            x = fast[0]
            f += WEIGHT * x.cost
        else:
            x = fair[0]
            r += x.cost
        fast.remove(x)
        fair.remove(x)
        out.append((x.name, x.hit, x.cost))
    return out
