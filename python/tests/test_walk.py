# SPDX-License-Identifier: Apache-2.0
"""Prompts that pause, in the queue alone: each step is that of the plain form."""

import os
import random
import time
import unittest

from fairway import Order
from fairway.vllm.clock import Clock
from fairway.vllm.queue import Queue
from walk import Unfinished, Walks

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
HISTORIES = int(os.environ.get("FAIRWAY_HISTORIES") or 200)
TABLE = [(100, 0.01), (1000, 0.1), (10000, 2.0)]


class Request:
    """As much of vLLM's request as the queue looks at."""

    priority, resumable, status = 0, False, "WAITING"

    def __init__(self, seq, tokens, arrival, hit):
        self.seq, self.tokens, self.arrival_time = seq, tokens, arrival
        self.hit, self.computed = hit, 0

    def __repr__(self):
        return f"r{self.seq}"


class Engine:
    """Serves a queue as vLLM's loop does, and pauses; nothing decodes."""

    def __init__(self, rng, guard):
        self.rng, self.now = rng, 1000.0
        self.seats, self.budget = rng.choice((2, 4, 50)), 500
        self.requests, self.running, self.num = [], [], 0
        self.full = set()
        self.walks = Walks(TABLE, guard)
        self.queue = Queue(
            lambda: Order(fast="rest", guard=guard, table=TABLE),
            lambda r: (r.tokens, None, r.computed or r.hit),
            "RUNNING", "PREEMPTED", preempted_first=False,
            clock=Clock(lambda: self.now, lambda: self.now),
            may_start=self.may_start)
        self.releases = self.went_on = 0

    def may_start(self, request):
        return self.has_seat() and request not in self.full

    def has_seat(self):
        unserved = sum(r.status == "PREEMPTED" and r.computed > 0
                       for r in self.requests)
        return len(self.running) + unserved < self.seats

    def add(self):
        tokens = self.rng.choice((20, 300, 4000)) + self.rng.randrange(100)
        request = Request(self.num, tokens, self.now - self.rng.random(),
                          self.rng.choice((0, self.rng.randrange(tokens))))
        self.num += 1
        self.requests.append(request)
        self.queue.add_request(request)

    def abort(self):
        request = self.rng.choice(self.requests)
        self.requests.remove(request)
        if request in self.running:
            self.running.remove(request)
            request.status = "ABORTED"
        else:
            self.queue.remove_requests([request])
        self.walks.due.pop(request, None)

    def preempt(self):
        request = self.running.pop()
        request.status, request.computed = "PREEMPTED", 0
        self.queue.prepend_request(request)

    def unfinished(self):
        return [
            Unfinished(r, r.tokens, self.ns(r.arrival_time), r.seq,
                       r.computed or r.hit, r.computed > 0)
            for r in self.requests]

    def ns(self, seconds):
        return int(self.queue.clock.arrival(seconds) / 1e9 * 1e9)

    def expected(self):
        before = self.unfinished()
        if not before:
            return []
        order = self.walks.order(int(self.now * 1e9), before, ())
        return self.walks.serve(
            order, self.budget, self.seats - len(self.running),
            lambda r: r.hit, lambda r: r not in self.full)

    def step(self):
        self.now += self.rng.choice((0.001, 0.05, 0.4))
        self.full = {r for r in self.requests if self.rng.random() < 0.05}
        expected = self.expected()
        queue, begun, got = self.queue, self.running, []
        queue.end_step()
        self.running = []
        queue.put_back(begun)
        for r in begun:
            r.status = "PREEMPTED"
        left = self.budget
        while left and queue and (begun or self.has_seat()):
            left -= self.serve(queue.peek_request(), left, got)
        queue.end_step()
        queue.end_walk()
        for r in begun:
            r.status = "RUNNING"
        self.running = begun + [r for r in self.running if r not in begun]
        self.check(got, expected)

    def serve(self, request, left, got):
        assert self.queue.pop_request() is request
        self.releases += 1
        self.went_on += request.computed > 0
        request.computed = request.computed or request.hit
        count = min(request.tokens - request.computed, left)
        request.status = "RUNNING"
        self.running.append(request)
        got.append((request, count))
        return count

    def check(self, got, expected):
        assert got == expected, (got, expected)
        for request, count in got:
            request.computed += count
            if request.computed == request.tokens:
                self.running.remove(request)
                self.requests.remove(request)
                self.walks.due.pop(request, None)
        self.queue.forget_ended(set(self.running))
        waiting = {r for r in self.requests if r.status != "RUNNING"}
        assert set(self.queue) == waiting and len(self.queue) == len(waiting)
        stats = self.queue.stats()
        assert stats["went_on"] == self.went_on
        assert self.releases >= (stats.get("admitted_fast", 0)
                                 + stats.get("admitted_fair", 0))


class WalkCase(unittest.TestCase):
    def run_history(self, rng, guard):
        engine = Engine(rng, guard)
        for _ in range(40):
            while rng.random() < 0.5:
                engine.add()
            if engine.requests and rng.random() < 0.05:
                engine.abort()
            if engine.running and rng.random() < 0.05:
                engine.preempt()
            engine.step()
        for _ in range(3000):
            if not engine.requests:
                break
            engine.step()
        assert not engine.requests and not engine.queue._begun
        assert engine.queue.stats().get("waiting", 0) == 0
        return engine

    def test_each_step_is_that_of_the_plain_form(self):
        for guard in (0.5, 0):
            late = went_on = 0
            for number in range(HISTORIES):
                rng = random.Random(SEED * 1000 + number)
                try:
                    engine = self.run_history(rng, guard)
                except AssertionError as error:
                    raise AssertionError(
                        f"seed {SEED}, history {number}") from error
                late += engine.walks.late
                went_on += engine.went_on
            self.assertGreater(went_on, HISTORIES)
            self.assertEqual(late > HISTORIES, bool(guard))

    def test_a_short_prompt_does_not_wait_for_a_long_one(self):
        engine = Engine(random.Random(1), 0.5)
        engine.requests = [Request(0, 20000, 1000.0, 0)]
        engine.queue.add_request(engine.requests[0])
        engine.step()
        (long,) = engine.running
        engine.requests.append(Request(1, 6200, engine.now, 6000))
        engine.num = 2
        engine.queue.add_request(engine.requests[1])
        engine.full = set()
        engine.step()
        self.assertEqual(engine.requests, [long])
        self.assertEqual(long.computed, 500 + 300)


if __name__ == "__main__":
    print(f"# FAIRWAY_SEED={SEED}", flush=True)
    unittest.main()
