# SPDX-License-Identifier: Apache-2.0
"""order=srpf in vLLM's real scheduler: each step is that of the plain form."""

import collections
import os
import random
import time

import pytest

import vllm_world as world
from fairway.vllm import seam
from fairway.vllm.clock import Clock
from pause_world import TABLE, Workers, World
from vllm.v1.core.sched.interface import PauseState
from vllm.v1.request import RequestStatus

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
HISTORIES = int(os.environ.get("FAIRWAY_HISTORIES") or 25)


@pytest.mark.parametrize("pause", [True, False])
@pytest.mark.parametrize("guard", [0.5, 0])
def test_each_step_is_that_of_the_plain_form(guard, pause):
    """Room for all, few sequences: hits, misses, long prompts, aborts."""
    late = paused = 0
    for number in range(HISTORIES):
        rng = random.Random(SEED * 1000 + number)
        w = World(rng, 3000, guard, max_seqs=rng.choice((3, 64)),
                  decodes=rng.random() < 0.5, pause=pause)
        try:
            for _ in range(30):
                while rng.random() < 0.5:
                    w.add()
                if rng.random() < 0.1:
                    w.abort()
                w.step()
            w.drain()
        except AssertionError as error:
            raise AssertionError(f"seed {SEED}, history {number}") from error
        late += w.walks.late
        paused += w.queue.stats()["went_on"]
    assert bool(paused) == pause
    assert bool(late) == bool(guard)


def test_memory_that_is_short_loses_nothing():
    """Preemption, resets and aborts; the walk is the plain one where it is."""
    preempted = 0
    for number in range(HISTORIES):
        rng = random.Random(SEED * 1000 + 500 + number)
        w = World(rng, rng.choice((170, 250)), decodes=True)
        try:
            for _ in range(50):
                while rng.random() < 0.5:
                    w.add()
                if rng.random() < 0.1:
                    w.abort()
                if rng.random() < 0.02:
                    w.s.reset_prefix_cache(reset_running_requests=True)
                preempted += sum(
                    r.num_preemptions for r in w.s.requests.values())
                w.step()
            w.drain()
        except AssertionError as error:
            raise AssertionError(f"seed {SEED}, history {number}") from error
    assert preempted


def test_a_short_remainder_does_not_wait_for_a_long_prompt():
    """An agent's next turn, while 20,000 tokens of another one have begun."""
    steps = {}
    for pause in (False, True):
        s = world.make_scheduler(
            seam.SyncScheduler, 3000,
            {"order": "srpf", "pause": pause, "table": TABLE}, budget=512)
        # By a clock that goes on a busy machine may let the guard step in.
        s.waiting.clock = Clock(lambda: 1000.0, lambda: 1000.0)
        rng = random.Random(SEED)
        history = [rng.randrange(3, 30000) for _ in range(6000)]
        s.add_request(world.make_request("before", history, 1000.0))
        while s.requests:
            s.update_from_output(out := s.schedule(), world.outputs(s, out))
        long = [rng.randrange(3, 30000) for _ in range(20000)]
        s.add_request(world.make_request("long", long, 1000.0))
        s.update_from_output(out := s.schedule(), world.outputs(s, out))
        turn = history + [rng.randrange(3, 30000) for _ in range(200)]
        s.add_request(world.make_request("turn", turn, 1000.0))
        steps[pause] = 0
        while "turn" in s.requests:
            s.update_from_output(out := s.schedule(), world.outputs(s, out))
            steps[pause] += 1
        assert not pause or s.requests["long"] in s.running
    # It gets what the last chunk of the long one leaves.
    assert steps == {False: 20000 // 512, True: 1}


@pytest.mark.parametrize("state", [PauseState.PAUSED_NEW, PauseState.PAUSED_ALL])
def test_what_has_begun_stays_where_vllm_looks_for_it(state):
    """While nothing new may start, and on steps that put prefills off."""
    w = World(random.Random(SEED), 3000)
    for _ in range(5):
        w.add()
    w.step()
    while not w.s._inflight_prefills:
        w.add()
        w.step()
    w.s.set_pause_state(state)
    (begun,) = w.s._inflight_prefills
    before = begun.num_computed_tokens
    scheduled = w.s.schedule()
    w.workers.step(scheduled)
    assert (begun.num_computed_tokens > before) == (
        state == PauseState.PAUSED_NEW)
    w.s.update_from_output(scheduled, world.outputs(w.s, scheduled))
    w.s.set_pause_state(PauseState.UNPAUSED)
    w.drain()


class Pipeline:
    """Steps of which some are scheduled before the last one's output is there."""

    def __init__(self, scheduler, depth):
        self.s, self.depth = scheduler, depth
        self.workers = Workers(scheduler, False)
        self.under_way = collections.deque()

    def step(self):
        s = self.s
        scheduled = s.schedule()
        self.workers.step(scheduled)
        assert len(s.running) + len(s.waiting) == len(s.requests)
        output = world.outputs(s, scheduled)
        output.sampled_token_ids = [
            [] if s.requests[n].is_prefill_chunk else [7]
            for n in output.req_ids]
        self.under_way.append((scheduled, output))
        if len(self.under_way) == self.depth:
            s.update_from_output(*self.under_way.popleft())


@pytest.mark.parametrize("settings", [
    {"form": seam.AsyncFairScheduler}, {"tenant": "xargs"}, {"mode": "trial"},
    {"order": "paper", "pause": True}, {"preempted_first": True},
    {"protect": True},
    {"device": None}], ids=str)
def test_nobody_is_lost_whatever_else_is_set(settings, monkeypatch):
    """Also with turns of two orders, and with no prefill times yet."""
    rng = random.Random(SEED)
    monkeypatch.setattr(seam.Trial, "arm", lambda self: rng.choice(self.arms))
    given = {"order": "srpf", "device": "a6000"} | settings
    form = given.pop("form", seam.SyncScheduler)
    s = world.make_scheduler(form, 150, given, budget=200, max_seqs=64)
    pipeline = Pipeline(s, 1 if form is seam.SyncScheduler else 2)
    doc = [rng.randrange(3, 30000) for _ in range(900)]
    for i in range(150):
        tokens = doc[: rng.randrange(900)] + [5, i + 6]
        if rng.random() < 0.5:
            # A miss, long enough to begin and not to end.
            tokens.reverse()
        s.add_request(world.make_request(
            i, tokens, time.time(), max_tokens=rng.randrange(1, 20),
            xargs={"tenant": str(rng.randrange(3))}))
        if rng.random() < 0.05:
            s.finish_requests(rng.choice(list(s.requests)),
                              RequestStatus.FINISHED_ABORTED)
        pipeline.step()
    for _ in range(3000):
        if s.requests:
            pipeline.step()
    stats = s.waiting.stats()
    assert not s.requests and not s.waiting and stats["waiting"] == 0
    assert stats["went_on"] and not s.waiting._begun, f"seed {SEED}"
