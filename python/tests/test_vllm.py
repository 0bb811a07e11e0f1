# SPDX-License-Identifier: Apache-2.0
"""How Fairway enters vLLM's real scheduler, what it measures there, and that it
leaves nothing behind."""

import gc
import json
import os
import random
import sys
import time
import unittest

import pytest

import fairway.vllm
import vllm_world as world
from fairway.vllm import cache, seam
from fairway.vllm.settings import Settings
from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.request import Request, RequestStatus

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
FULL = os.environ.get("FAIRWAY_FULL") == "1"


@pytest.mark.parametrize("is_async", [False, True])
def test_the_form_is_that_of_the_configuration(is_async):
    s = world.make_scheduler(fairway.vllm.Scheduler, 100, {}, is_async=is_async)
    assert isinstance(s, AsyncScheduler) == is_async


@pytest.mark.parametrize("dropping", [None, set(), {0}])
def test_eagle_drops_a_block_where_vllm_does(dropping, monkeypatch):
    """In 0.33 a group may be flagged and drop none; 0.32 has no such set."""
    manager = world.make_scheduler(Scheduler, 100, eagle=True).kv_cache_manager
    if dropping is not None:
        manager.coordinator.drop_eagle_group_ids = dropping
    given = {}
    monkeypatch.setattr(cache, "Cache", lambda **k: given.update(k))
    monkeypatch.setattr(cache, "hook_pool", lambda *_: None)
    cache.make_cache(manager, Settings())
    assert given["dropped"] == (0 if dropping == set() else 1)


@pytest.mark.parametrize("first", [False, True])
def test_a_preempted_request_goes_first_where_it_is_set(first):
    s = world.make_scheduler(
        seam.SyncScheduler, 400, {"preempted_first": first, "device": "a6000"})
    now = time.time()
    s.add_request(world.make_request("back", [5] * 3000, now - 1))
    s.schedule()
    s.add_request(world.make_request("old", [7] * 100, now - 60))
    s.reset_prefix_cache(reset_running_requests=True)
    assert len(s.waiting) == 2 and not s.running
    assert s.waiting.peek_request().request_id == ("back" if first else "old")


def test_settings_that_are_wrong_stop_vllm_in_one_line():
    with pytest.raises(ValueError, match="^fairway: order is one of"):
        world.make_scheduler(seam.SyncScheduler, 100, {"order": "best"})


def test_the_log_says_what_serves_and_which_files_it_writes(tmp_path):
    logs = unittest.TestCase().assertLogs("vllm.fairway", "INFO")
    with logs as said:
        world.make_scheduler(seam.SyncScheduler, 100, {"order": "srpf"})
        world.make_scheduler(seam.SyncScheduler, 100, {
            "mode": "observe", "observe_dir": str(tmp_path)})
    lines = "\n".join(said.output)
    assert "fairway: mode=on order=srpf" in lines
    assert "fairway: mode=observe" in lines
    for path in tmp_path.iterdir():
        assert str(path) in lines
    assert len(list(tmp_path.iterdir())) == 2


def test_another_version_is_refused_unless_it_may_fall_back(monkeypatch):
    monkeypatch.setattr(seam.vllm, "__version_tuple__", (0, 30, 1))
    with pytest.raises(RuntimeError, match="^fairway: vLLM .* is not one of"):
        world.make_scheduler(seam.SyncScheduler, 100, {"untried": True})
    s = world.make_scheduler(seam.SyncScheduler, 100, {"fallback": True})
    assert s.fairway is None and len(s.schedule().num_scheduled_tokens) == 0
    monkeypatch.setattr(seam.vllm, "__version_tuple__", (0, 33, 0))
    with pytest.raises(RuntimeError, match="^fairway: vLLM .* was not tried"):
        world.make_scheduler(seam.SyncScheduler, 100, {})
    assert world.make_scheduler(
        seam.SyncScheduler, 100, {"untried": True}).fairway is not None


def test_prefill_times_are_measured_and_then_guarded(tmp_path):
    rng = random.Random(SEED)
    s = world.make_scheduler(
        seam.SyncScheduler, 300, {"table_dir": str(tmp_path)}, budget=256)
    assert s.fairway_table is None
    for i in range(150):
        s.add_request(world.make_request(
            i, [rng.randrange(3, 30000) for _ in range(rng.randrange(1, 900))],
            time.time()))
    while s.requests:
        scheduled = s.schedule()
        s.update_from_output(scheduled, world.outputs(s, scheduled))
    assert s.fairway_table is not None and not s.waiting
    # The next start has it from the file.
    again = world.make_scheduler(
        seam.SyncScheduler, 300, {"table_dir": str(tmp_path)})
    assert again.fairway_table == s.fairway_table
    assert again.fairway_measure is None


def test_a_trial_switches_under_load_and_loses_nothing(monkeypatch):
    rng = random.Random(SEED)
    monkeypatch.setattr(seam.Trial, "arm", lambda self: rng.choice(self.arms))
    s = world.make_scheduler(seam.SyncScheduler, 120, {"mode": "trial"})
    doc = [rng.randrange(3, 30000) for _ in range(300)]
    for i in range(100):
        s.add_request(world.make_request(
            i, doc[: rng.randrange(300)] + [5, i + 6], time.time()))
    for _ in range(2000):
        if not s.requests:
            break
        scheduled = s.schedule()
        s.update_from_output(scheduled, world.outputs(s, scheduled))
    assert not s.requests and s.waiting.stats()["waiting"] == 0


def test_observing_changes_nothing_and_records_what_was_served(tmp_path):
    rng = random.Random(SEED)
    watched = world.make_scheduler(
        seam.SyncScheduler, 300,
        {"mode": "observe", "observe_dir": str(tmp_path)})
    both = [watched, world.make_scheduler(Scheduler, 300)]
    doc = [rng.randrange(3, 30000) for _ in range(400)]
    for i in range(50):
        tokens = doc + [rng.randrange(3, 30000) for _ in range(1 + i)]
        for s in both:
            s.add_request(world.make_request(i, tokens, time.time()))
    while both[0].requests:
        steps = [s.schedule() for s in both]
        assert (steps[0].num_scheduled_tokens == steps[1].num_scheduled_tokens)
        for s, scheduled in zip(both, steps):
            s.update_from_output(scheduled, world.outputs(s, scheduled))
    watched.shutdown()
    (log,) = tmp_path.glob("*.csv")
    rows = [r.split(",") for r in log.read_text().splitlines()[1:]]
    assert sorted(int(r[1]) + int(r[2]) for r in rows) == [
        401 + i for i in range(50)]
    # All but the first, and those of its step, hit the document.
    assert sum(int(r[1]) == 400 for r in rows) >= 40
    (trace,) = tmp_path.glob("*.jsonl")
    lines = trace.read_text().splitlines()
    assert len(lines) == 50
    first = json.loads(lines[0])
    assert first["kv_blocks"] * first["block_size"] >= 300 * world.BLOCK
    assert (first["kv_blocks"] - 1) * first["block_size"] < 300 * world.BLOCK


def resident():
    """KiB of this process that are in memory now."""
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def test_memory_and_references_stay_flat():
    """Requests that were served, or aborted, leave nothing behind."""
    rng = random.Random(SEED)
    s = world.make_scheduler(seam.SyncScheduler, 300, {})
    doc = [rng.randrange(3, 30000) for _ in range(160)]
    fixed = (Request, fairway.Order, fairway.Cache, s, s.waiting, None)

    def run(num):
        for i in range(num):
            tail = [rng.randrange(3, 30000) for _ in range(20)]
            s.add_request(world.make_request(
                i, doc[: rng.randrange(160)] + tail, time.time()))
            if rng.random() < 0.1:
                s.finish_requests(str(i), RequestStatus.FINISHED_ABORTED)
            while i % 20 == 19 and s.requests:
                scheduled = s.schedule()
                s.update_from_output(scheduled, world.outputs(s, scheduled))

    def counts():
        gc.collect()
        objects = gc.get_objects()
        alive = sum(type(o) is Request for o in objects)
        total = len(objects)
        del objects
        return alive, total, [sys.getrefcount(o) for o in fixed]

    few, many = (20000, 100000) if FULL else (500, 3500)
    run(few)
    alive, total, references = counts()
    before = resident()
    run(many - few)
    after = counts()
    assert after[0] == alive
    # The interpreter itself moves some.
    assert abs(after[1] - total) < 100, (after[1], total)
    for one, was, now in zip(fixed, references, after[2]):
        assert abs(now - was) < 100, one
    grown = resident() - before
    print(f"# {many} requests: {before} KiB, and {grown:+} since {few}")
    assert grown < 8192, f"{grown} KiB more after {many} requests"


def test_the_record_tells_each_release_in_its_order(tmp_path):
    path = tmp_path / "record"
    s = world.make_scheduler(seam.SyncScheduler, 400, {
        "device": "a6000", "guard": 0, "record": str(path)})
    rng = random.Random(SEED)
    hits, served = {}, []
    for i in range(60):
        tokens = [5] * rng.randrange(400) + [rng.randrange(3, 30000)]
        s.add_request(world.make_request(i, tokens, time.time()))
    while s.requests:
        scheduled = s.schedule()
        for new in scheduled.scheduled_new_reqs:
            served.append(new.req_id)
            hits[new.req_id] = new.num_computed_tokens
        s.update_from_output(scheduled, world.outputs(s, scheduled))
    s.shutdown()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["request"] for line in lines] == served
    # The hit is that of the pass's begin; what it stores is found by vLLM.
    assert all(line["hit"] <= hits[line["request"]] for line in lines)
    assert [line["waiting"] for line in lines] == list(range(59, -1, -1))
