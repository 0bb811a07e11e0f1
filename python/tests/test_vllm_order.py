# SPDX-License-Identifier: Apache-2.0
"""The order in vLLM's real scheduler, and the hits that it goes by.

vLLM's own tests say nothing of the order, as their prompts are of equal length.
Here each release is compared with the order in its plainest form, and each hit
with vLLM's own look-up, in every step of random histories.
"""

import os
import random
import time

import pytest

import vllm_world as world
from fairway.vllm import seam
from fairway.vllm.clock import Clock
from naive import Waiting, releases
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.request import RequestStatus

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
HISTORIES = int(os.environ.get("FAIRWAY_HISTORIES") or 100)
TABLE = ((100, 0.01), (1000, 0.1), (10000, 2.0))
SETTINGS = {"table": TABLE, "guard": 0, "max_moved": 0,
            "preempted_first": False}


class Time:
    """A clock that stands until it is moved."""

    def __init__(self):
        self.now = 1000.0

    def clock(self):
        return Clock(lambda: self.now, lambda: self.now)


class World:
    """A scheduler, a naive copy of its queue, and a record of what it pops."""

    def __init__(self, rng, blocks, budget=2048, number=None, **form):
        self.rng = rng
        self.name = SEED, number
        self.time = Time()
        self.s = world.scheduler_of(blocks, budget, 64, **form, **SETTINGS)
        self.queue = self.s.waiting
        self.queue.clock = self.time.clock()
        self.docs = [self.draw(rng.randrange(20, 400)) for _ in range(4)]
        self.seq = 0
        self.seqs = {}
        #: Of the step: what the naive form would release, and what popped.
        self.due = None
        self.popped = []
        self.watch()

    def watch(self):
        """A pass begins at the first peek, behind the loop over what runs."""
        queue, form = self.queue, seam.VllmQueue

        def peek():
            if self.due is None:
                self.due = self.expected()
            return form.peek_request(queue)

        def pop():
            request = form.pop_request(queue)
            self.popped.append(request)
            return request

        queue.peek_request, queue.pop_request = peek, pop

    def draw(self, num):
        return [self.rng.randrange(3, 30000) for _ in range(num)]

    def add(self):
        doc = self.rng.choice(self.docs)
        tokens = doc[: self.rng.randrange(len(doc) + 1)]
        tokens += self.draw(self.rng.randrange(1, 300))
        request = world.make_request(
            self.seq, tokens, self.time.now - self.rng.random(),
            max_tokens=self.rng.randrange(1, 4),
            # Such a one may not use what is cached.
            prompt_logprobs=1 if self.rng.random() < 0.1 else None)
        self.seqs[request] = self.seq
        self.seq += 1
        self.s.add_request(request)

    def abort(self):
        if self.s.requests:
            name = self.rng.choice(list(self.s.requests))
            self.s.finish_requests(name, RequestStatus.FINISHED_ABORTED)

    def expected(self):
        """All releases of a pass that begins now, by the naive form."""
        waiting = [
            Waiting(r, r.num_tokens, r.arrival_time, self.seqs[r],
                    world.probe(self.s, r))
            for r in self.queue
        ]
        # The queue's clock is in whole nanoseconds.
        for w in waiting:
            w.arrival = self.queue.clock.arrival(w.arrival) / 1e9
        return [r for r, _, _ in releases(waiting, self.time.now, TABLE)]

    def step(self):
        self.time.now += 0.03
        self.due = None
        self.popped.clear()
        scheduled = self.s.schedule()
        assert self.popped == (self.due or [])[: len(self.popped)], self.name
        self.s.update_from_output(scheduled, world.outputs(self.s, scheduled))
        return scheduled

    def check_hits(self):
        for request in self.queue:
            assert self.queue.hit(request) == min(
                world.probe(self.s, request), request.num_tokens - 1
            ), (self.name, request.request_id)


def test_each_step_admits_in_the_order_of_the_naive_form():
    """Whatever runs beside, with hits and misses of different lengths."""
    passes = 0
    for number in range(HISTORIES):
        rng = random.Random(SEED * 1000 + number)
        w = World(rng, blocks=400, number=number)
        for _ in range(rng.randrange(2, 25)):
            w.add()
        for _ in range(30):
            w.step()
            # Whoever asks for a hit brings it up to date, so nobody asks here.
            passes += len(w.popped) > 1
            while rng.random() < 0.3:
                w.add()
    assert passes > HISTORIES


def test_every_hit_is_what_vllm_would_find_after_every_step():
    """A cache too small, aborts, and resets at random moments."""
    for number in range(HISTORIES):
        rng = random.Random(SEED * 1000 + 500 + number)
        w = World(rng, blocks=rng.choice((60, 120, 400)), budget=512,
                  number=number, eagle=rng.random() < 0.3, is_async=rng.random() < 0.5)
        for _ in range(60):
            while rng.random() < 0.5:
                w.add()
            if rng.random() < 0.1:
                w.abort()
            if rng.random() < 0.02:
                w.s.reset_prefix_cache(reset_running_requests=True)
            w.step()
            w.check_hits()
        for _ in range(3000):
            if not w.s.requests:
                break
            w.step()
        assert not w.s.requests, w.name
        assert len(w.queue) == 0
        assert w.queue.stats().get("waiting", 0) == 0


def pair(settings, blocks, policy="fcfs"):
    """Fairway and stock, with the same requests."""
    return [
        world.make_scheduler(form, blocks, given, policy=policy)
        for form, given in ((seam.SyncScheduler, settings), (Scheduler, None))
    ]


@pytest.mark.parametrize("policy", ["fcfs", "priority"])
def test_fcfs_is_the_order_of_stock(policy):
    rng = random.Random(SEED)
    both = pair({"order": "fcfs"}, 300, policy)
    now = time.time()
    for i in range(200):
        tokens = [rng.randrange(3, 30000) for _ in range(rng.randrange(1, 900))]
        for s in both:
            s.add_request(world.make_request(
                i, tokens, now - 300 + i, priority=i * 7 % 3))
    for _ in range(2000):
        admitted = []
        for s in both:
            scheduled = s.schedule()
            admitted.append([r.req_id for r in scheduled.scheduled_new_reqs])
            s.update_from_output(scheduled, world.outputs(s, scheduled))
        assert admitted[0] == admitted[1]
        if not both[0].requests:
            return
    raise AssertionError("requests are left")


def test_a_skip_is_not_charged_in_vllm():
    """One whose grammar is not ready is put aside, and no ledger knows it."""
    w = World(random.Random(SEED), blocks=20000, budget=16384)
    doc = w.draw(6000)
    warm = world.make_request("warm", doc, w.time.now)
    w.seqs[warm] = -1
    w.s.add_request(warm)
    while w.s.requests:
        w.step()
    miss = world.make_request("miss", w.draw(6000), w.time.now)
    hits = [world.make_request(f"H{i}", doc + w.draw(300), w.time.now + 0.001)
            for i in range(6)]
    w.s.add_request(miss)
    for r in hits:
        w.s.add_request(r)
    hits[0].status = RequestStatus.WAITING_FOR_STRUCTURED_OUTPUT_GRAMMAR
    before = w.queue.stats()["skipped"]
    w.s._handle_blocked_waiting_request = (
        lambda r: r is not hits[0] or r.status == RequestStatus.WAITING)
    w.popped.clear()
    # The naive form knows of no skip.
    w.due = []
    w.s.schedule()
    assert w.popped == [*hits[:6], miss]
    assert w.queue.stats()["skipped"] == before + 1
    assert list(w.queue) == [hits[0]]
    del w.s._handle_blocked_waiting_request
