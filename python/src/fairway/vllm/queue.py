# SPDX-License-Identifier: Apache-2.0
"""vLLM's queue of waiting requests, in Fairway's order.

vLLM peeks at the head, looks whether it can run, and pops it. What it pops only
to put it aside (a grammar that is not ready, a LoRA too many) comes back by
prepend_requests() at the end of the step, or goes to another queue. Such a
skip shows by the request's status, which is not RUNNING at the next call. It
is taken back, so that no ledger is charged, and the request is parked: the
order keeps it, and counts it for nobody, until it comes back. What has not come
back when the step ends is dropped.

A pass begins at the first peek of a step and not with the step: the loop over
running requests stores and evicts blocks before that.

With pausing, prompts that have begun are put back before a step and stand in its
walk. They keep their place and when they are due: the order knows them until
their prefill is over. The walk ends at a request that may not start. What budget
is left then goes to those that have begun, by arrival.
"""

from bisect import insort
from collections import deque

from fairway import Order
from fairway.vllm.clock import Clock

#: Tiers that are kept though nobody is in them.
SPARE_TIERS = 64


class Queue:
    """What vLLM asks of a RequestQueue; seam.py makes it one.

    new_order() makes an Order for a tier. facts(request) gives (tokens, keys,
    hit) of a request, outside() (hit, left) of prompts under way, and both, where
    orders are fair between tenants, the tenant behind that. With tiers requests
    of a smaller priority number go first, each tier in an order of its own.
    may_start(request), for pausing, says whether there is room for one that has
    not begun.
    """

    def __init__(self, new_order, facts, running, preempted, *, outside=None,
                 tiers=False, preempted_first=True, clock=None,
                 may_start=None):
        self._new_order = new_order
        self._facts = facts
        self._running = running
        self._preempted = preempted
        self._outside = outside
        self._tiers = tiers
        self._first = preempted_first and not tiers
        self.clock = clock or Clock()
        self._may_start = may_start
        self._orders: dict[int, Order] = {}
        self._levels: list[int] = []
        #: Those that the pass began in.
        self._open: dict[Order, None] = {}
        #: Each request that the orders hold, and the tier of it.
        self._tier: dict = {}
        #: Those of them that vLLM took out only to put them aside.
        self._parked: set = set()
        #: Preempted requests, which go ahead of the orders.
        self._front: deque = deque()
        #: Requests whose prompt may change while they wait.
        self._moving: set = set()
        #: What peek gave; what pop gave, while nobody knows what became of it.
        self._head = None
        self._last = None
        #: Index into _levels of the tier that the pass is at.
        self._at = 0
        self._passing = False
        #: released(request, why), told of each request that left to run; and
        #: why the last one did, while nobody knows what became of it.
        self.released = None
        self._why = None
        #: Counters of orders that were switched away from.
        self._past: dict[str, int] = {}
        #: Those that have begun and do not wait, and the tier that knows them.
        self._begun: dict = {}
        #: Those that were put back for this step, and are not served yet.
        self._unserved: dict = {}
        #: Does a step go on, which may end before all are served?
        self._walking = False
        #: Who is served once the walk is over; None before.
        self._rest: deque | None = None
        #: How often one that had begun was served in a walk.
        self._went_on = 0

    # Orders of tiers.

    def _order(self, tier):
        order = self._orders.get(tier)
        if order is None:
            order = self._orders[tier] = self._new_order()
            insort(self._levels, tier)
            # The pass may stand at a level that moved; it looks again.
            self._at = 0
        return order

    def _drop_tiers(self):
        """Clients choose priorities: what nobody has any more must not stay."""
        used = {*self._tier.values(), *self._begun.values()}
        for tier in self._orders.keys() - used:
            self._add_stats(self._past, self._orders.pop(tier))
        self._levels = sorted(self._orders)

    def _put(self, request):
        tier = request.priority if self._tiers else 0
        before = self._tier.get(request, self._begun.pop(request, None))
        if before is not None and before != tier:
            self._orders[before].remove(request)
        tokens, *facts = self._facts(request)
        self._order(tier).add(
            request, tokens, self.clock.arrival(request.arrival_time), *facts
        )
        self._tier[request] = tier
        if request.resumable or request.status == self._preempted:
            self._moving.add(request)

    def _take(self, request):
        """Out of its order, if it is in one."""
        tier = self._tier.pop(request, None)
        if tier is None:
            return
        self._orders[tier].remove(request)
        self._parked.discard(request)
        self._moving.discard(request)
        if self._head is request:
            self._head = None

    # Prompts that have begun.

    def put_back(self, requests):
        """They stand in the walk of the step that begins, and wait."""
        self._walking = True
        for request in requests:
            self._put(request)
            self._unserved[request] = None

    def end_walk(self):
        """After a step: whom it did not reach waits no more."""
        for request in self._unserved:
            self._withdraw(request)
        self._unserved.clear()

    def _withdraw(self, request):
        tier = self._begun[request] = self._tier.pop(request)
        self._orders[tier].withdraw(request)
        self._moving.discard(request)

    def forget_ended(self, begun):
        """The order knows no more who has computed the whole prompt."""
        ended = [r for r in self._begun
                 if r not in begun and r.status != self._preempted]
        for request in ended:
            self._forget_begun(request)

    def _forget_begun(self, request):
        tier = self._begun.pop(request, None)
        if tier is not None:
            self._orders[tier].remove(request)

    def _give_rest(self):
        """The walk ends; who has begun and got nothing is served by arrival."""
        self._rest = deque(sorted(self._unserved, key=lambda r: r.arrival_time))

    # The pass.

    def _begin(self):
        for request in self._moving:
            self._put(request)
        self._passing = True
        self._at = 0

    def _open_order(self, order):
        if order in self._open:
            return
        if self._outside is not None:
            for prompt in self._outside():
                order.outside(*prompt)
        order.begin(self.clock.now())
        self._open[order] = None

    def _settle_last(self):
        """Did vLLM run what it popped, or put it aside?"""
        request = self._last
        if request is None:
            return
        self._last = None
        if request.status == self._running:
            if self.released is not None:
                self.released(request, self._why)
            self._forget(request)
        elif request in self._tier:
            self._orders[self._tier[request]].skip()
            self._parked.add(request)

    def _forget(self, request):
        tier = self._tier.pop(request, None)
        if tier is not None and self._may_start is not None:
            self._begun[request] = tier
        self._moving.discard(request)

    def _from(self, order):
        """Its next that is not parked."""
        self._open_order(order)
        while True:
            request = order.peek()
            if request is None or request not in self._parked:
                return request
            order.skip()

    def _next(self):
        self._settle_last()
        if self._rest is None:
            request = self._chosen()
            if request is None or self._may_start is None:
                return request
            if request in self._unserved or self._may_start(request):
                return request
            self._give_rest()
        return self._rest[0] if self._rest else None

    def _chosen(self):
        """Who is next in the walk."""
        if self._front:
            return self._front[0]
        if not self._passing:
            self._begin()
        while self._at < len(self._levels):
            order = self._orders[self._levels[self._at]]
            request = self._from(order) if len(order) else None
            if request is not None:
                return request
            self._at += 1
        return None

    def end_step(self):
        """A step ends or begins: the next peek begins a pass."""
        self._settle_last()
        for order in self._open:
            order.end()
        self._open.clear()
        self._passing = False
        self._head = None
        self._rest = None
        self._walking = False
        for request in list(self._parked):
            self._take(request)
        # At least half of them go, so each that was made pays for little.
        held = len(self._tier) + len(self._begun)
        if len(self._orders) > SPARE_TIERS + 2 * held:
            self._drop_tiers()

    def switch(self, new_order, facts, may_start=None):
        """Another order for all that waits, between two steps."""
        self.end_step()
        waiting = list(self._tier)
        for request in waiting:
            self._take(request)
        self._begun.clear()
        self._past = self.stats()
        self._orders.clear()
        self._levels.clear()
        self._new_order, self._facts = new_order, facts
        self._may_start = may_start
        for request in waiting:
            self._put(request)

    # vLLM's RequestQueue.

    def add_request(self, request):
        self._settle_last()
        self._parked.discard(request)
        if request in self._front:
            return
        self._put(request)

    def prepend_request(self, request):
        self._settle_last()
        if self._first and request.status == self._preempted:
            self._take(request)
            if request not in self._front:
                self._front.appendleft(request)
            self._head = None
        else:
            self.add_request(request)

    def prepend_requests(self, requests):
        for request in requests:
            self.prepend_request(request)

    def peek_request(self):
        request = self._look()
        if request is None:
            raise IndexError("peek from an empty queue")
        return request

    def _look(self):
        if self._head is not None:
            return self._head
        request = self._next()
        if request is None and self._rest is None and len(self):
            # All others were added since the pass began.
            self._restart()
            request = self._next()
        self._head = request
        return request

    def _restart(self):
        for order in self._open:
            order.end()
        self._open.clear()
        self._passing = False

    def pop_request(self):
        request = self.peek_request()
        self._head = None
        if request in self._unserved:
            del self._unserved[request]
            self._went_on += 1
        if self._rest:
            self._rest.popleft()
            self._withdraw(request)
            return request
        if self._front and self._front[0] is request:
            self._front.popleft()
            return request
        if self.released is not None:
            self._why = self._orders[self._tier[request]].explain()
        keep = self._may_start is not None
        self._orders[self._tier[request]].admit(0, keep)
        self._last = request
        return request

    def remove_request(self, request):
        if request not in self:
            raise ValueError("request not in queue")
        self.remove_requests((request,))

    def remove_requests(self, requests):
        self._settle_last()
        for request in requests:
            if request in self._tier:
                self._take(request)
            elif request in self._front:
                self._front.remove(request)
                self._forget_begun(request)
                if self._head is request:
                    self._head = None

    def has_request(self, request):
        return request in self

    def __contains__(self, request):
        if request in self._front:
            return True
        return (
            request in self._tier
            and request not in self._parked
            and request is not self._last
        )

    def __len__(self):
        return (
            len(self._front)
            + len(self._tier)
            - len(self._parked)
            - (self._last is not None)
        )

    def __bool__(self):
        # vLLM goes on while this holds, and a walk may end before all is served.
        return self._look() is not None if self._walking else len(self) > 0

    def __iter__(self):
        """By arrival, as in vLLM's own queue; by tier first, if there are any."""
        waiting = [r for r in self._tier if r in self]
        waiting.sort(key=lambda r: (self._tier[r], r.arrival_time))
        return iter([*self._front, *waiting])

    def __getitem__(self, index):
        return list(self)[index]

    # For tests and figures.

    def hit(self, request):
        """Cached tokens that the next pass counts for a waiting request."""
        tier = self._tier.get(request)
        return None if tier is None else self._orders[tier].hit(request)

    @staticmethod
    def _add_stats(total, order):
        for name, value in order.stats().items():
            total[name] = total.get(name, 0) + value

    def stats(self):
        """The counters of all orders, summed."""
        total = dict(self._past)
        for order in self._orders.values():
            self._add_stats(total, order)
        total["went_on"] = self._went_on
        return total
