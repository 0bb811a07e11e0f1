# SPDX-License-Identifier: Apache-2.0
"""What of fairway.vllm needs no vLLM: settings, the clock,
and what observes, measures and records. The queue is in test_queue.py."""

import copy
import dataclasses
import json
import math
import os
import random
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from fairway import Order
from fairway.vllm import measure
from fairway.vllm.clock import Clock
from fairway.vllm.figures import Figures
from fairway.vllm.observe import Recorder
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
        for given, environ in (({"ordre": "fcfs"}, {}), ({"order": "x"}, {}),
                               ({"record": "/x/y"}, {}), ({"mode": "x"}, {}),
                               ({"observe_dir": "/x"}, {}), ({"guard": -1}, {}),
                               ({}, {"FAIRWAY_GUARD": "much"}),
                               ({}, {"FAIRWAY_FALLBACK": "yes"})):
            with self.assertRaisesRegex(ValueError, "^fairway: [^\n]*$"):
                Settings.read(given, environ)

    def test_a_value_of_another_type_is_refused_and_named(self):
        for name, value in (
                ("protect", "false"), ("guard", "0.2"), ("guard", True),
                ("max_moved", 1.5), ("order", ["srpf"]), ("pause", 1),
                ("observe_dir", None), ("device", "A100"), ("table", "a"),
                ("tenant_weights", [1]), ("carry", False)):
            with self.assertRaisesRegex(ValueError, f"^fairway: {name} [^\n]*$"):
                Settings.read({name: value}, {})
        for given in ("srpf", None, ["srpf"]):
            with self.assertRaisesRegex(ValueError, "^fairway: settings are"):
                Settings.read(given, {})
        for name in ("table", "tenant_weights"):
            with self.assertRaisesRegex(ValueError, f"^fairway: {name} "):
                Settings.read({}, {f"FAIRWAY_{name.upper()}": "[]"})

    def test_the_summary_has_the_order_and_what_was_set(self):
        for given, line in (
                ({}, "mode=on order=paper"),
                ({"mode": "observe", "observe_dir": "/"},
                 "mode=observe observe_dir=/"),
                ({"order": "srpf", "guard": 0, "table": [[5, 1.0]]},
                 "mode=on order=srpf guard=0 table=given")):
            self.assertEqual(Settings.read(given, {}).summary(), line)

    def test_rows_may_be_tuples(self):
        rows = ((1, 1.0), (2, 2.0))
        self.assertEqual(Settings.read({"table": rows}, {}).table, rows)

    def test_each_setting_refuses_what_it_cannot_be(self):
        """Whatever JSON may bring, in one line, or an order can be opened."""
        values = ("x", "1", "", "\0", None, [], {}, [1], {"a": 1}, [[1, 2, 3]],
                  [["a", 1.0]], [[1, math.nan]], True, 0, -1, 1.5, 1e-9, 1e300,
                  2 ** 70, math.nan, math.inf, -math.inf, b"x", object())
        accepted = set()
        for name in (f.name for f in dataclasses.fields(Settings)):
            for value in values:
                try:
                    s = Settings.read({name: value}, {})
                except ValueError as error:
                    self.assertRegex(str(error), "^fairway: [^\n]*$")
                else:
                    Order(**s.order_settings(2048, table=[[1, 1.0]]))
                    accepted.add((name, str(value)))
            # Nothing else is true or false, and no number is true.
            self.assertNotIn((name, "nan"), accepted)
        for name in ("protect", "preempted_first", "fallback", "untried"):
            self.assertNotIn((name, "x"), accepted)
            self.assertIn((name, "True"), accepted)
        self.assertNotIn(("guard", "True"), accepted)
        self.assertIn(("guard", "1.5"), accepted)
        for given in (None, "on", [], 5, ["mode"]):
            with self.assertRaisesRegex(ValueError, "^fairway: [^\n]*$"):
                Settings.read(given, {})

    def test_what_only_a_measured_table_needs_is_refused_at_once(self):
        """A guard that rounds to nothing, which is made while serving."""
        with self.assertRaisesRegex(ValueError, "guard"):
            Settings.read({"guard": 1e-9}, {})

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


def key(i):
    return i.to_bytes(16, "big")


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

    def test_the_first_line_has_the_pool_of_the_node(self):
        for pool, blocks in ((0, None), (1280, 10), (1281, 11)):
            with tempfile.TemporaryDirectory() as folder:
                recorder = Recorder(folder, 16, pool)
                for i in range(2):
                    recorder.served(100.0 + i, 101.0, 102.0, 300, 0, [])
                recorder.flush()
                first, second = map(
                    json.loads, recorder.trace.read_text().splitlines())
                self.assertEqual(first.get("kv_blocks"), blocks)
                self.assertNotIn("kv_blocks", second)

    def test_the_verdict_says_when_no_order_helps(self):
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(folder, 16)
            for wait, left, words in ((0.0, (5, 1000), "nobody waits"),
                                      (1.0, (500, 501), "alike")):
                for i in range(20):
                    recorder.served(100.0, 100.0 + wait, 102.0,
                                    left[i % 2], 0, [])
                self.assertIn(words, recorder.verdict())


    def test_a_full_disk_ends_the_record_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(folder, 16)
            recorder.log = Path("/dev/full")
            with self.assertLogs("vllm.fairway", "WARNING") as said:
                for _ in range(1000):
                    recorder.served(1.0, 2.0, 3.0, 300, 0, [])
                self.assertIn("1000 requests", recorder.verdict())
            self.assertEqual(len(said.output), 1)
            self.assertFalse(any(recorder._lines))

    def test_what_nobody_asks_a_verdict_of_does_not_grow(self):
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(folder, 16)
            recorder.flush = lambda: [lines.clear() for lines in recorder._lines]
            for _ in range(70000):
                recorder.served(1.0, 2.0, 3.0, 300, 0, ())
            self.assertIn("65536 requests", recorder.verdict())


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
                         '{"table": [[5, 2.0], [5, 3.0]]}',
                         '{"table": [[5, Infinity]]}', '{"table": [[5.5, 1.0]]}',
                         '{"table": {"5": 1.0}}'):
                path.write_text(text)
                self.assertIsNone(measure.load(path))

    def test_a_folder_that_cannot_be_is_nowhere(self):
        self.assertIsNone(measure.place("", ("m",)))
        self.assertIsNone(measure.place("~no such user/x", ("m",)))
        path = measure.place("a\0b", ("m",))
        self.assertIsNone(measure.load(path))
        measure.keep(path, ("m",), [[1, 1.0]])

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
        # The first pair has no interval.
        self.assertRegex(said[0], r"one pair .*p50 [+-]\d+\.\d+ s, p99 [^n]*$")
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

    def test_waits_are_told_apart_by_what_was_cached(self):
        waits: dict = {"none": [], "some": [], "most": []}

        class Waits:
            def labels(self, cached):
                self.observe = waits[cached].append
                return copy.copy(self)

        figures = Figures(dict, print, 0, metrics={}, waits=Waits())
        for wait, cached in ((1, 0), (2, 1), (3, 49), (4, 50), (-5, 99)):
            figures.started(wait, cached, 100)
        self.assertEqual(waits, {"none": [1], "some": [2, 3], "most": [4, 0]})
        Figures(dict, print, 0, metrics={}).started(1, 0, 100)


if __name__ == "__main__":
    print(f"# FAIRWAY_SEED={SEED}", flush=True)
    unittest.main()
