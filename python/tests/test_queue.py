# SPDX-License-Identifier: Apache-2.0
"""vLLM's queue in Fairway's order, as vLLM's loop asks it, without vLLM."""

import os
import random
import time
import unittest

from fairway import Cache, Order
from fairway.vllm.clock import Clock
from fairway.vllm.queue import SPARE_TIERS, Queue

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())


class Request:
    """As much of vLLM's request as the queue looks at."""

    def __init__(self, name, tokens, arrival, keys=None, priority=0):
        self.name, self.tokens, self.keys = name, tokens, keys
        self.arrival_time, self.priority = arrival, priority
        self.status, self.resumable = "WAITING", False

    def __repr__(self):
        return self.name


def make_queue(cache=None, **keywords):
    clock = Clock(lambda: 100.0, lambda: 100.0)
    return Queue(lambda: Order(cache=cache),
                 lambda r: (r.tokens, r.keys, 0), "RUNNING", "PREEMPTED",
                 clock=clock, **keywords)


def key(i):
    return i.to_bytes(16, "big")


class QueueCase(unittest.TestCase):
    def run_all(self, queue):
        out = []
        while queue:
            request = queue.pop_request()
            request.status = "RUNNING"
            out.append(request)
        queue.end_step()
        return out

    def fill(self, hits=6):
        """A miss that came first, and hits of 300 tokens."""
        cache = Cache(max_blocks=2000)
        keys = [key(i) for i in range(375)]
        cache.store(keys)
        queue = make_queue(cache)
        miss = Request("miss", 6000, 0.0)
        rest = [Request(f"H{i}", 6300, 1.0 + i, keys) for i in range(hits)]
        for request in (miss, *rest):
            queue.add_request(request)
        return queue, miss, rest

    def test_five_hits_overtake_a_miss(self):
        queue, miss, hits = self.fill(8)
        # The younger hits come after the older ones: equal scores but for wait.
        self.assertEqual(self.run_all(queue),
                         [*hits[:5], miss, *hits[5:]])

    @staticmethod
    def put_first_aside(queue):
        """A step that skips the first: that one, and who ran."""
        aside = queue.pop_request()
        order = []
        while queue:
            request = queue.pop_request()
            request.status = "RUNNING"
            order.append(request)
        queue.prepend_requests([aside])
        queue.end_step()
        return aside, order

    def test_a_skip_is_not_charged_and_comes_back(self):
        queue, miss, hits = self.fill(6)
        aside, order = self.put_first_aside(queue)
        self.assertIs(aside, hits[0])
        # Five hits before the miss, though six were popped.
        self.assertEqual(order, [*hits[1:6], miss])
        self.assertEqual(list(queue), [aside])
        self.assertEqual(queue.stats()["skipped"], 1)
        self.assertEqual(self.run_all(queue), [aside])

    def test_the_record_has_who_ran_and_not_who_was_put_aside(self):
        queue, miss, hits = self.fill(6)
        lines = []
        queue.released = lambda request, why: lines.append((request, why))
        _, order = self.put_first_aside(queue)
        self.assertEqual([request for request, _ in lines], order)
        for at, (request, why) in enumerate(lines):
            self.assertEqual(why["position"], at)
            self.assertEqual(why["left"], 6000 if request is miss else 300)
            self.assertEqual(why["lane"], "fair" if request is miss else "fast")
            # The miss, and the one that was put aside and waits on.
            self.assertEqual(why["older"], 2 if at < 5 else 0)

    def test_a_skip_that_does_not_come_back_is_dropped(self):
        queue, _, hits = self.fill(2)
        aside = queue.pop_request()
        self.assertNotIn(aside, queue)
        self.assertEqual(len(queue), 2)
        queue.end_step()
        self.assertEqual(len(queue), 2)
        self.assertNotIn(aside, self.run_all(queue))
        self.assertEqual(queue.stats()["waiting"], 0)

    def test_one_put_aside_is_not_offered_again_in_its_step(self):
        queue = make_queue()
        old, new = Request("old", 100, 1.0), Request("new", 100, 2.0)
        queue.add_request(old)
        self.assertIs(queue.pop_request(), old)
        # Added within the pass: another one must begin for it.
        queue.add_request(new)
        self.assertEqual(len(queue), 1)
        self.assertIs(queue.pop_request(), new)
        new.status = "RUNNING"
        self.assertFalse(queue)
        queue.prepend_requests([old])
        queue.end_step()
        self.assertEqual(self.run_all(queue), [old])

    def test_peek_and_pop_agree_whatever_happens_between(self):
        rng = random.Random(SEED)
        for _ in range(200):
            cache = Cache(max_blocks=200)
            queue = make_queue(cache, tiers=rng.random() < 0.3)
            waiting, seq = {}, 0
            for _ in range(120):
                what = rng.randrange(9)
                if what < 3 or not waiting:
                    keys = [key(rng.randrange(2) + 2 * i)
                            for i in range(rng.randrange(1, 6))]
                    seq += 1
                    r = Request(f"r{seq}", len(keys) * 16 + 9,
                                float(rng.randrange(100)), keys,
                                rng.randrange(3))
                    waiting[r] = True
                    queue.add_request(r)
                elif what == 3:
                    gone = rng.choice(list(waiting))
                    queue.remove_requests({gone, Request("x", 5, 0.0)})
                    del waiting[gone]
                elif what == 4:
                    cache.store_somewhere([key(rng.randrange(12))])
                elif what == 5:
                    cache.forget([key(rng.randrange(12))])
                elif what == 6:
                    queue.end_step()
                elif what == 7:
                    # Popped, put aside, and back again.
                    r = queue.pop_request()
                    self.assertIn(r, waiting)
                    queue.prepend_requests([r])
                else:
                    head = queue.peek_request()
                    cache.clear()
                    queue.add_request(rng.choice(list(waiting)))
                    self.assertIs(queue.peek_request(), head)
                    self.assertIs(queue.pop_request(), head)
                    head.status = "RUNNING"
                    del waiting[head]
                self.assertEqual(len(queue), len(waiting), f"seed {SEED}")
                self.assertEqual(set(queue), set(waiting), f"seed {SEED}")
            self.assertEqual(set(self.run_all(queue)), set(waiting))
            self.assertEqual(queue.stats().get("waiting", 0), 0)

    def test_a_switch_takes_all_that_waits_along(self):
        queue, miss, hits = self.fill(2)
        fcfs = {"fair_lane": False, "wait_constant": 1e-9}
        aside = queue.pop_request()
        queue.prepend_requests([aside])
        queue.switch(lambda: Order(**fcfs), lambda r: (r.tokens, None, 0))
        self.assertEqual(len(queue), 3)
        self.assertEqual(queue.stats()["skipped"], 1)
        self.assertEqual(self.run_all(queue), [miss, *hits])

    def test_priorities_that_clients_make_up_leave_nothing_behind(self):
        rng = random.Random(SEED)
        queue, served = make_queue(tiers=True), 0
        for _ in range(30):
            waiting = [Request("r", 10, 0.0, priority=rng.randrange(-9 ** 9, 9 ** 9))
                       for _ in range(rng.randrange(200))]
            for request in waiting:
                queue.add_request(request)
            order = []
            for _ in range(len(waiting) // 2):
                order.append(queue.pop_request())
                order[-1].status = "RUNNING"
            queue.end_step()
            order += self.run_all(queue)
            served += len(order)
            self.assertEqual([r.priority for r in order],
                             sorted(r.priority for r in waiting))
            self.assertLessEqual(len(queue._orders), SPARE_TIERS)
            self.assertEqual(queue._levels, sorted(queue._orders))
            stats = queue.stats()
            self.assertEqual(
                stats["admitted_fast"] + stats["admitted_fair"], served)

    def test_tiers_in_which_nobody_waits_are_not_looked_at(self):
        queue = make_queue(tiers=True)
        for priority in range(SPARE_TIERS):
            queue.add_request(Request("r", 10, 0.0, priority=priority))
        self.run_all(queue)
        before = queue.stats()["passes"]
        queue.add_request(Request("last", 10, 0.0, priority=99))
        self.run_all(queue)
        self.assertEqual(queue.stats()["passes"], before + 1)

    def test_tiers_go_before_all_else(self):
        queue = make_queue(tiers=True)
        for i in range(30):
            queue.add_request(Request(f"r{i}", 10 + 50 * (i % 7), float(i),
                                      None, i % 3))
        order = [r.priority for r in self.run_all(queue)]
        self.assertEqual(order, sorted(order))

    def test_a_preempted_request_goes_first(self):
        for first in (True, False):
            queue = make_queue(preempted_first=first)
            old = Request("old", 100, 1.0)
            back = Request("back", 5000, 2.0)
            back.status = "PREEMPTED"
            queue.add_request(old)
            queue.prepend_request(back)
            self.assertEqual(self.run_all(queue),
                             [back, old] if first else [old, back])

    def test_what_changes_while_it_waits_is_read_again(self):
        for resumable, status in ((True, "WAITING"), (False, "PREEMPTED")):
            cache = Cache(max_blocks=200)
            queue = make_queue(cache, preempted_first=False)
            r = Request("r", 17, 0.0, [key(1)])
            r.resumable, r.status = resumable, status
            queue.prepend_request(r)
            cache.store([key(1), key(2)])
            r.tokens, r.keys = 33, [key(1), key(2)]
            queue.peek_request()
            queue.end_step()
            self.assertEqual(queue.hit(r), 32)

    def test_a_pass_ends_with_its_step(self):
        cache = Cache(max_blocks=200)
        queue = make_queue(cache)
        a, b = (Request(str(i), 3200, 99.0 + i / 10, [
            key(300 * i + k) for k in range(200)]) for i in range(2))
        queue.add_request(a)
        queue.add_request(b)
        self.assertIs(queue.peek_request(), a)
        queue.end_step()
        cache.store(b.keys)
        self.assertIs(queue.peek_request(), b)

    def test_work_under_way_is_told_to_the_guard(self):
        told = []

        class Spy:
            def __init__(self):
                self.order = Order(guard=0.5)

            def __getattr__(self, name):
                return getattr(self.order, name)

            def __len__(self):
                return len(self.order)

            def outside(self, hit, left):
                told.append((hit, left))
                self.order.outside(hit, left)

        queue = Queue(Spy, lambda r: (r.tokens, None, 0), "RUNNING",
                      "PREEMPTED", outside=lambda: [(16, 5000)])
        queue.add_request(Request("r", 5, 0.0))
        queue.peek_request()
        self.assertEqual(told, [(16, 5000)])


if __name__ == "__main__":
    print(f"# FAIRWAY_SEED={SEED}", flush=True)
    unittest.main()
