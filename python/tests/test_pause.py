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
from vllm.v1.core.sched.interface import PauseState
from vllm.v1.request import RequestStatus
from walk import Unfinished, Walks

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
HISTORIES = int(os.environ.get("FAIRWAY_HISTORIES") or 25)
TABLE = ((100, 0.01), (1000, 0.1), (10000, 2.0))
BLOCK = world.BLOCK


class Workers:
    """What workers know of blocks, from what they are told."""

    def __init__(self, scheduler, newer):
        self.scheduler, self.tables = scheduler, {}
        # The newer runner is told of resumed requests as of new ones.
        self.newer = scheduler.use_v2_model_runner = newer

    def step(self, scheduled):
        gone = set(scheduled.finished_req_ids)
        if self.newer:
            gone |= scheduled.preempted_req_ids
        for name in gone:
            self.tables.pop(name, None)
        for new in scheduled.scheduled_new_reqs:
            assert new.req_id not in self.tables
            self.tables[new.req_id] = list(new.block_ids[0])
        cached = scheduled.scheduled_cached_reqs
        for name, blocks in zip(cached.req_ids, cached.new_block_ids):
            more = blocks[0] if blocks else []
            if name in cached.resumed_req_ids:
                self.tables[name] = []
            self.tables[name] += more
        for name in scheduled.num_scheduled_tokens:
            (blocks,) = self.scheduler.kv_cache_manager.get_block_ids(name)
            assert self.tables[name] == blocks, name


class World:
    """A scheduler, and the plain form of each of its steps beside it."""

    def __init__(self, rng, blocks, guard=0.5, max_seqs=64, decodes=False,
                 pause=True):
        self.rng, self.budget, self.decodes = rng, 256, decodes
        self.s = world.scheduler_of(
            blocks, self.budget, max_seqs, order="srpf", table=TABLE,
            guard=guard, pause=pause, max_moved=0, preempted_first=False)
        assert not self.s.running
        self.s.set_pause_state(PauseState.UNPAUSED)
        self.now = 1000.0
        self.queue = self.s.waiting
        self.queue.clock = Clock(lambda: self.now, lambda: self.now)
        self.walks = Walks(TABLE, guard)
        self.docs = [self.draw(rng.randrange(20, 900)) for _ in range(4)]
        self.seqs, self.seen = {}, None
        self.popped, self.refused = [], []
        self.workers = Workers(self.s, rng.random() < 0.5)
        self.watch()

    def draw(self, num):
        return [self.rng.randrange(3, 30000) for _ in range(num)]

    def watch(self):
        """Note what the queue is asked, and what it says."""
        kind, queue = seam.VllmQueue, self.queue
        look, pop = (getattr(kind, n).__get__(queue)
                     for n in ("_look", "pop_request"))
        pauses = self.s.fairway_pauses

        def look_and_note():
            if self.seen is None:
                self.see()
            return look()

        def pop_and_note():
            request = pop()
            self.popped.append(request)
            return request

        def may_start_and_note(request):
            fits = pauses.may_start(request)
            assert fits == self.fits(request), request.request_id
            if not fits:
                self.refused.append(request)
            return fits

        manager = self.s.kv_cache_manager
        allocate = type(manager).allocate_slots.__get__(manager)

        def allocate_and_note(request, *args, **kwargs):
            blocks = allocate(request, *args, **kwargs)
            if blocks is None and request.status != RequestStatus.RUNNING:
                # vLLM ends its loop: nobody that has begun may be left in it.
                assert not any(self.has_begun(r) for r in queue)
                self.refused.append(request)
            return blocks

        manager.allocate_slots = allocate_and_note
        queue._look, queue.pop_request = look_and_note, pop_and_note
        if pauses is not None:
            queue._may_start = may_start_and_note

    def fits(self, request):
        """The same by counting blocks one by one."""
        s = self.s
        begun = {r for r in self.popped if r in s._inflight_prefills} | self.begun
        if not begun:
            return True
        running = set(s.running) | set(begun)
        if len(running) >= s.max_num_running_reqs:
            return False
        manager = s.kv_cache_manager
        held = manager.coordinator.single_type_managers[0].req_to_blocks
        free = manager.block_pool.get_num_free_blocks()
        for r in begun:
            free -= max(0, -(-r.num_tokens // BLOCK) - len(held[r.request_id]))
        (blocks,), _, _ = manager.coordinator.find_longest_cache_hit(
            request.block_hashes, request.num_tokens - 1)
        used = sum(b.ref_cnt > 0 for b in blocks)
        return -(-request.num_tokens // BLOCK) - used <= free

    @staticmethod
    def has_begun(r):
        return 0 < r.num_computed_tokens < r.num_tokens and (
            r.is_prefill_chunk and not r.is_finished())

    def see(self):
        """What is unfinished when the walk begins."""
        s = self.s
        waits = set(self.queue)
        self.seen = []
        self.outside, self.begun = [], set()
        self.seats = s.max_num_running_reqs - len(s.running)
        for r in s.requests.values():
            begun = self.has_begun(r)
            if begun:
                self.begun.add(r)
            if begun and r not in waits:
                left = r.num_tokens - r.num_computed_tokens
                self.outside.append((r.num_computed_tokens, left))
            elif begun or r in waits:
                hit = r.num_computed_tokens if begun else world.probe(s, r)
                arrival = self.queue.clock.arrival(r.arrival_time) / 1e9
                self.seen.append(Unfinished(
                    r, r.num_tokens, int(arrival * 1e9), self.seqs[r], hit,
                    begun))
                self.seats -= begun

    def add(self):
        rng, doc = self.rng, self.rng.choice(self.docs)
        tokens = doc[: rng.randrange(len(doc) + 1)]
        tokens += self.draw(rng.choice((5, 60, 300, 1500)) + rng.randrange(60))
        request = world.make_request(
            len(self.seqs), tokens, self.now - rng.random(),
            max_tokens=rng.randrange(1, 30) if self.decodes else 1)
        self.seqs[request] = len(self.seqs)
        self.s.add_request(request)

    def abort(self):
        if self.s.requests:
            name = self.rng.choice(list(self.s.requests))
            self.s.finish_requests(name, RequestStatus.FINISHED_ABORTED)

    def step(self):
        self.now += self.rng.choice((0.002, 0.03, 0.3))
        self.seen = None
        self.popped.clear()
        self.refused.clear()
        before = list(self.s.running)
        begun = [r for r in before if self.has_begun(r)]
        preempted = sum(r.num_preemptions for r in self.s.requests.values())
        scheduled = self.s.schedule()
        self.check_places(before)
        self.workers.step(scheduled)
        got = scheduled.num_scheduled_tokens
        if self.seen is not None:
            self.check_walk(scheduled)
            assert preempted == sum(
                r.num_preemptions for r in self.s.requests.values())
        elif len(begun) > 1 and sum(got.values()) < self.budget:
            # Then all that had begun went on in vLLM's way, or was preempted.
            assert all(r.request_id in got or r not in self.s.running
                       for r in begun)
        for r in list(self.walks.due):
            if r.is_finished() or r.num_computed_tokens >= r.num_tokens:
                del self.walks.due[r]
        self.s.update_from_output(scheduled, world.outputs(self.s, scheduled))
        return scheduled

    def check_places(self, before):
        """Nobody is lost, doubled, or elsewhere than it was in `running`."""
        s = self.s
        assert [r for r in s.running if r in before] == [
            r for r in before if r in s.running]
        assert len(set(s.running)) == len(s.running) <= s.max_num_running_reqs
        assert all(r.status == RequestStatus.RUNNING for r in s.running)
        assert set(s.requests.values()) == set(s.running) | set(self.queue)
        assert len(s.running) + len(self.queue) == len(s.requests)

    def check_walk(self, scheduled):
        got = scheduled.num_scheduled_tokens
        walked = {u.name.request_id for u in self.seen}
        budget = self.budget - sum(n for k, n in got.items() if k not in walked)
        hits = {n.req_id: n.num_computed_tokens
                for n in scheduled.scheduled_new_reqs}
        cached = scheduled.scheduled_cached_reqs
        for name, num in zip(cached.req_ids, cached.num_computed_tokens):
            hits[name] = num
        order = self.walks.order(int(self.now * 1e9), self.seen, self.outside)
        expected = self.walks.serve(
            order, budget, self.seats,
            # One that should have been served, and was not, has any hit.
            lambda r: hits.get(r.request_id, 0),
            lambda r: r not in self.refused)
        assert [r for r, _ in expected] == self.popped
        assert all(got[r.request_id] == n for r, n in expected)

    def drain(self):
        for _ in range(5000):
            if not self.s.requests:
                break
            self.step()
        assert not self.s.requests and not self.queue
        assert self.queue.stats().get("waiting", 0) == 0
        assert not self.queue._begun


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
