# SPDX-License-Identifier: Apache-2.0
"""A scheduler whose prompts pause, with the plain form of each step beside it."""

import vllm_world as world
from fairway.vllm import seam
from fairway.vllm.clock import Clock
from vllm.v1.core.sched.interface import PauseState
from vllm.v1.request import RequestStatus
from walk import Unfinished, Walks

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
