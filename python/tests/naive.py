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


class Pass:
    """One pass over those that wait, without a guard."""

    def __init__(self, waiting, now, table):
        self.fast = sorted(
            waiting, key=lambda r: (-score(r, now, table), r.arrival, r.seq))
        self.fair = sorted(waiting, key=lambda r: (r.arrival, r.seq))
        self.released = 0
        self.start()

    def start(self):
        """The ledgers begin with what the first of each lane would pay."""
        if self.fast:
            self.f = WEIGHT * self.fast[0].cost
            self.r = self.fair[0].cost

    def peek(self):
        if not self.fast:
            return None
        return self.fast[0] if self.f <= self.r else self.fair[0]

    def admit(self):
        r = self.peek()
        if self.f <= self.r:
            self.f += WEIGHT * r.cost
        else:
            self.r += r.cost
        self.released += 1
        self.leave(r)

    def put_aside(self):
        """Admitted and taken back: as if it had not been there."""
        self.leave(self.peek())
        if not self.released:
            self.start()

    def leave(self, r):
        self.fast.remove(r)
        self.fair.remove(r)


def releases(waiting, now, table):
    """The whole sequence of one pass, as names, with what each is charged."""
    merge, out = Pass(waiting, now, table), []
    while (r := merge.peek()) is not None:
        merge.admit()
        out.append((r.name, r.hit, r.cost))
    return out


class Tenants:
    """Whoever was served least is next, with a pass of its own each."""

    def __init__(self, table, weights):
        self.table, self.weights = table, weights
        self.waiting: dict[int, list] = {}
        self.served: dict[int, int] = {}
        self.clock = 0
        #: Whose last request filled a step and has a rest: it may come back.
        self.begun = None

    def add(self, tenant, r):
        waiting = self.waiting.setdefault(tenant, [])
        if not waiting and tenant != self.begun:
            # Nobody saves up what it did not ask for.
            self.served[tenant] = max(self.clock, self.served.get(tenant, 0))
        waiting.append(r)

    def work(self, tenant, r):
        """Nanoseconds of it over the tenant's weight in thousandths."""
        seconds = (prefill(self.table, r.hit + r.cost)
                   - prefill(self.table, r.hit))
        return (max(1, int(seconds * 1e9 + 0.5)) * 1000
                // self.weights.get(tenant, 1000))

    def begin(self, now, budget):
        self.budget, self.begun = budget, None
        self.passes = {t: Pass(w, now, self.table)
                       for t, w in self.waiting.items()}

    def next(self):
        ready = [t for t, p in self.passes.items() if p.peek()]
        if not ready or not self.budget:
            return None
        return min(ready, key=lambda t: (self.served[t], t))

    def peek(self):
        tenant = self.next()
        return None if tenant is None else self.passes[tenant].peek()

    def admit(self, tokens):
        tenant, r = self.next(), self.peek()
        self.passes[tenant].admit()
        self.waiting[tenant].remove(r)
        self.clock = max(self.clock, self.served[tenant])
        self.served[tenant] += self.work(tenant, r)
        self.budget -= min(tokens, self.budget)
        if not self.budget and tokens < r.cost:
            self.begun = tenant

    def put_aside(self):
        self.passes[self.next()].put_aside()
