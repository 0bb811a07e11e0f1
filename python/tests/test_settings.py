# SPDX-License-Identifier: Apache-2.0
"""What of fairway.vllm needs no vLLM: settings, clock, and the queue."""

import json
import os
import random
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from fairway import Cache, Order
from fairway.vllm import measure
from fairway.vllm.clock import Clock
from fairway.vllm.figures import Figures
from fairway.vllm.observe import Recorder
from fairway.vllm.queue import Queue
from fairway.vllm.record import Record
from fairway.vllm.settings import Settings
from fairway.vllm.trial import Trial

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())


class SettingsCase(unittest.TestCase):
    def test_the_configuration_goes_before_the_environment(self):
        environ = {"FAIRWAY_ORDER": "fcfs", "FAIRWAY_GUARD": "2",
                   "FAIRWAY_FALLBACK": "1"}
        s = Settings.read({"order": "rest"}, environ)
        self.assertEqual((s.order, s.guard, s.fallback), ("rest", 2.0, True))

    def test_the_guard_is_on_unless_it_is_set_off(self):
        s = Settings.read({"device": "a100"}, {})
        self.assertEqual(s.order_settings(9)["guard"], 0.5)
        s = Settings.read({"guard": 0, "device": "a100"}, {})
        self.assertEqual(s.order_settings(9)["guard"], 0)

    def test_what_is_wrong_is_said_in_one_line(self):
        for given, environ in (({"ordre": "fcfs"}, {}), ({"order": "x"}, {}), ({"record": "/x/y"}, {}),
                               ({"mode": "x"}, {}), ({"observe_dir": "/x"}, {}), ({"guard": -1}, {}),
                               ({}, {"FAIRWAY_GUARD": "much"}),
                               ({}, {"FAIRWAY_FALLBACK": "yes"})):
            with self.assertRaisesRegex(ValueError, "^fairway: [^\n]*$"):
                Settings.read(given, environ)

    def test_prompts_pause_under_srpf_or_where_it_is_asked_for(self):
        for given, environ, pauses in (
                ({}, {}, False), ({"order": "rest"}, {}, False),
                ({"order": "srpf"}, {}, True), ({"pause": True}, {}, True),
                ({"order": "srpf", "pause": False}, {}, False),
                ({}, {"FAIRWAY_PAUSE": "1"}, True)):
            s = Settings.read(given, environ)
            self.assertEqual(s.pauses(), pauses, (given, environ))
            self.assertFalse(s.pauses("fcfs"))
        for given in ({"order": "fcfs", "pause": True}, {"pause": "yes"}):
            with self.assertRaisesRegex(ValueError, "^fairway: [^\n]*$"):
                Settings.read(given, {})

    def test_each_order_can_be_opened(self):
        for order in ("paper", "rest", "srpf", "fcfs"):
            keywords = Settings.read({"order": order}, {}).order_settings(2048)
            Order(**keywords)


class ClockCase(unittest.TestCase):
    def test_arrivals_that_lie_ahead_are_now(self):
        clock = Clock(lambda: 50.0, lambda: 1000.0)
        self.assertEqual(clock.arrival(990.0), 40 * 10**9)
        self.assertEqual(clock.arrival(2000.0), 50 * 10**9)

    def test_equal_arrivals_stay_equal_until_the_clock_is_set(self):
        now = [50.0, 1000.0]
        clock = Clock(lambda: now[0], lambda: now[1])
        first = clock.arrival(900.0)
        now[:] = [60.0, 1010.000001]
        self.assertEqual(clock.arrival(900.0), first)
        now[1] = 1310.0
        self.assertEqual(clock.arrival(1300.0), 50 * 10**9)


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


class RecordCase(unittest.TestCase):
    def test_a_line_a_release_and_no_more_than_two_files_of_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "record")
            record = Record(str(path), 2000)
            for i in range(200):
                record.released(f"r{i}", {"lane": "fast", "hit": i})
            old = Path(f"{path}.1").read_text().splitlines()
            lines = [json.loads(t) for t in old + path.read_text().splitlines()]
            self.assertEqual([n["hit"] for n in lines],
                             list(range(200 - len(lines), 200)))
            self.assertEqual(lines[-1]["request"], "r199")
            self.assertLessEqual(abs(lines[-1]["time"] - time.time()), 60)
            self.assertGreater(len(lines), 20)
            for file in Path(folder).iterdir():
                self.assertLessEqual(file.stat().st_size, 2000)
            # A later process goes on behind it.
            record.close()
            record = Record(str(path), 2000)
            record.released("again", {})
            record.close()
            self.assertIn("again", path.read_text().splitlines()[-1])

    def test_a_disk_that_is_full_stops_the_record_alone(self):
        record = Record("/dev/full")
        with self.assertLogs("vllm.fairway", "WARNING"):
            record.released("r", {})
        record.released("r", {})


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

    def test_a_skip_is_not_charged_and_comes_back(self):
        queue, miss, hits = self.fill(6)
        aside = queue.pop_request()
        self.assertIs(aside, hits[0])
        order = []
        while queue:
            request = queue.pop_request()
            request.status = "RUNNING"
            order.append(request)
        queue.prepend_requests([aside])
        queue.end_step()
        # Five hits before the miss, though six were popped.
        self.assertEqual(order, [*hits[1:6], miss])
        self.assertEqual(list(queue), [aside])
        self.assertEqual(queue.stats()["skipped"], 1)
        self.assertEqual(self.run_all(queue), [aside])

    def test_the_record_has_who_ran_and_not_who_was_put_aside(self):
        queue, miss, hits = self.fill(6)
        lines = []
        queue.released = lambda request, why: lines.append((request, why))
        aside = queue.pop_request()
        order = [aside]
        while queue:
            request = queue.pop_request()
            request.status = "RUNNING"
            order.append(request)
        queue.prepend_requests([aside])
        queue.end_step()
        self.assertEqual([request for request, _ in lines], order[1:])
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

            def outside(self, hit, left):
                told.append((hit, left))
                self.order.outside(hit, left)

        queue = Queue(Spy, lambda r: (r.tokens, None, 0), "RUNNING",
                      "PREEMPTED", outside=lambda: [(16, 5000)])
        queue.add_request(Request("r", 5, 0.0))
        queue.peek_request()
        self.assertEqual(told, [(16, 5000)])


class ObserveCase(unittest.TestCase):
    def test_what_was_served_is_a_log_and_a_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(folder, 16)
            doc = [key(i) for i in range(20)]
            for i in range(20):
                left = 1000 if i % 2 else 5
                recorder.served(100.0 + i, 101.0 + i, 102.0 + i, 300 + left,
                                300, doc)
            line = recorder.verdict()
            self.assertIn("fairway analyze", line)
            self.assertIsNone(recorder.verdict())
            rows = recorder.log.read_text().splitlines()
            self.assertEqual(rows[0], "arrival_s,cached_tokens,uncached_tokens,"
                                      "start_s,ttft_s")
            self.assertEqual(rows[1], "100.000000,300,5,101.000000,2.000000")
            trace = [json.loads(t)
                     for t in recorder.trace.read_text().splitlines()]
            self.assertEqual(trace[0], {"timestamp": 0, "input_length": 305,
                                        "block_size": 128,
                                        "hash_ids": [0, 1]})
            self.assertEqual(trace[3]["timestamp"], 3000)
            self.assertEqual(trace[3]["hash_ids"], [0, 1])

    def test_the_command_reads_both(self):
        command = os.environ.get("FAIRWAY")
        if not command or not os.path.exists(command):
            self.skipTest("no command is built")
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(folder, 16)
            for i in range(300):
                keys = [key(i % 3), *(key(1000 + 20 * i + k) for k in range(9))]
                recorder.served(5e8 + i * 0.01, 5e8 + i * 0.05,
                                5e8 + 1 + i * 0.05, 160, 16, keys)
            recorder.flush()
            for args in (("analyze", recorder.log), ("analyze", recorder.trace),
                         ("sim", "--trace", recorder.trace)):
                done = subprocess.run([command, *args], capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_verdict_says_when_no_order_helps(self):
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(folder, 16)
            for wait, left, words in ((0.0, (5, 1000), "nobody waits"),
                                      (1.0, (500, 501), "alike")):
                for i in range(20):
                    recorder.served(100.0, 100.0 + wait, 102.0,
                                    left[i % 2], 0, [])
                self.assertIn(words, recorder.verdict())


class MeasureCase(unittest.TestCase):
    MODEL = (0.004, 0.0001, 6e-9)

    def steps(self, num, model, noise=0.0):
        rng = random.Random(SEED)
        for _ in range(num):
            chunks = [(rng.randrange(20000), rng.randrange(1, 700))
                      for _ in range(rng.randrange(1, 5))]
            tokens = sum(n for _, n in chunks)
            pairs = sum(n * (f + (n + 1) / 2) for f, n in chunks)
            seconds = sum(c * v for c, v in zip(model, (1, tokens, pairs)))
            yield chunks, tokens, pairs, seconds * (
                1 + noise * rng.uniform(-1, 1))

    def test_the_model_of_the_steps_is_found(self):
        for model in (self.MODEL, (0.0, 2e-4, 1e-9), (0.02, 1e-5, 0.0)):
            found = measure.fit([s[1:] for s in self.steps(100, model)])
            for x, y in zip(found, model):
                self.assertAlmostEqual(x, y, delta=1e-6 + y * 1e-3)

    def test_some_steps_that_stalled_do_not_count(self):
        steps = [list(s[1:]) for s in self.steps(200, self.MODEL, 0.02)]
        for i in range(0, 200, 20):
            steps[i][2] *= 30
        found = measure.fit(steps)
        for tokens in (100, 2000, 20000):
            self.assertAlmostEqual(
                measure.prefill(found, tokens)
                / measure.prefill(self.MODEL, tokens), 1.0, delta=0.1)

    def test_two_steps_in_flight_are_timed_one_after_the_other(self):
        now, tables = [0.0], []
        m = measure.Measure(tables.append, lambda: now[0])
        todo = list(self.steps(70, self.MODEL))
        m.scheduled(0, todo[0][0])
        for i, (this, after) in enumerate(zip(todo, todo[1:])):
            m.scheduled(i + 1, after[0])
            now[0] += this[3]
            m.ended(i)
        self.assertEqual(len(tables), 1)
        for tokens, seconds in tables[0]:
            self.assertAlmostEqual(
                seconds, measure.prefill(self.MODEL, tokens),
                delta=seconds * 1e-3)
        Order(table=tables[0])

    def test_steps_of_single_tokens_alone_are_not_measured(self):
        m = measure.Measure(self.fail, lambda: 1.0)
        for i in range(1000):
            m.scheduled(i, [(500, 1), (600, 1)])
            m.ended(i)
        self.assertFalse(m.done)

    def test_a_table_is_kept_and_a_bad_file_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a", "b.json")
            self.assertIsNone(measure.load(path))
            table = measure.make_table(self.MODEL)
            measure.keep(path, ("model", "device"), table)
            self.assertEqual(measure.load(path), table)
            for text in ("", "{}", '{"table": [[5, 0]]}', '{"table": 7}',
                         '{"table": [[5, 2.0], [5, 3.0]]}'):
                path.write_text(text)
                self.assertIsNone(measure.load(path))

    def test_there_is_no_guard_before_prefill_times_are_known(self):
        table = measure.make_table(self.MODEL)
        s = Settings.read({}, {})
        self.assertEqual(s.order_settings(9)["guard"], 0.0)
        self.assertEqual(s.order_settings(9, table=table)["guard"], 0.5)
        s = Settings.read({"device": "h100"}, {})
        self.assertEqual(s.order_settings(9)["guard"], 0.5)


class TrialCase(unittest.TestCase):
    def run_trial(self, pairs, ttft, num=40):
        """ttft(arm, arrival) seconds; one request every 1/num of a block."""
        now, said = [0.0], []
        trial = Trial(("fcfs", "paper"), 10.0, 2.0, said.append,
                      clock=lambda: now[0], rng=random.Random(SEED))
        arms = []
        for i in range(pairs * 2 * num):
            now[0] = i * 10.0 / num
            arms.append(trial.arm())
            trial.served(now[0], 0, now[0] + ttft(arms[-1], now[0]), 1, 0, [])
        now[0] = pairs * 20.0
        trial.arm()
        return trial, said, arms

    def test_each_pair_has_both_orders_and_chance_says_which_is_first(self):
        _, _, arms = self.run_trial(40, lambda arm, at: 1.0)
        blocks = arms[::40]
        firsts = blocks[::2]
        self.assertTrue(all({a, b} == {"fcfs", "paper"}
                            for a, b in zip(firsts, blocks[1::2])))
        self.assertEqual(set(firsts), {"fcfs", "paper"})

    def test_the_difference_is_found_below_a_load_that_drifts(self):
        trial, said, _ = self.run_trial(
            20, lambda arm, at: 5 + at / 100 - (arm == "paper"))
        self.assertEqual(len(trial.pairs), 20)
        mean = sum(p[0] for p in trial.pairs) / 20
        self.assertAlmostEqual(mean, -1.0, delta=0.1)
        self.assertRegex(said[-1], r"20 pairs.*p50 -[01]\.\d+ s \+- 0\.0")

    def test_who_arrives_in_the_washout_does_not_count(self):
        trial, _, _ = self.run_trial(
            6, lambda arm, at: 100.0 * (arm == "paper" and at % 10 < 2))
        self.assertTrue(all(p[:2] == (0.0, 0.0) for p in trial.pairs))

    def test_blocks_with_few_requests_are_left_out(self):
        trial, said, _ = self.run_trial(2, lambda arm, at: 1.0, num=10)
        self.assertEqual(trial.pairs, [])
        self.assertIn("too few", said[0])


class FiguresCase(unittest.TestCase):
    def test_each_interval_tells_what_changed(self):
        now, said, counted = [0.0], [], {}

        class Count:
            def __init__(self, name):
                self.name = name

            def inc(self, by):
                counted[self.name] = counted.get(self.name, 0) + by

        stats = dict.fromkeys(("waiting", "passes", "admitted_fast", "late",
                               "admitted_fair", "skipped", "overtaken"), 0)
        figures = Figures(lambda: dict(stats), said.append, 60,
                          clock=lambda: now[0],
                          metrics={"admitted_fast": Count("fast")})
        for minute, fast in ((0.5, 2), (1.1, 5), (2.2, 5), (3.3, 9)):
            now[0] = minute * 60
            stats.update(passes=int(minute * 10), admitted_fast=fast)
            figures.step()
        self.assertEqual(counted, {"fast": 9})
        self.assertEqual(len(said), 3)
        self.assertIn("admitted 4 fast", said[-1])


if __name__ == "__main__":
    print(f"# FAIRWAY_SEED={SEED}", flush=True)
    unittest.main()
