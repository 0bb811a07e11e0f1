# SPDX-License-Identifier: Apache-2.0
"""Fairway in vLLM's engine: each request is answered as by vLLM's own order.

With FAIRWAY_FULL=1 in each order and under both policies, else in two of them.
"""

import os
import random

import pytest

from engine_world import SEED, Engine, answers, requests, serve_sessions
from engine_world import sessions

FORMS = [("paper", "fcfs"), ("srpf", "priority")]
if os.environ.get("FAIRWAY_FULL") == "1":
    FORMS += [("rest", "fcfs"), ("fcfs", "fcfs"), ("paper", "priority"),
              ("fcfs", "priority"), ("srpf", "fcfs"), ("rest", "priority")]


@pytest.fixture(scope="module", params=FORMS, ids="-".join)
def served(request):
    """An engine for the tests of one form; stock's answers are made before."""
    order, policy = request.param
    answers()
    with Engine({"order": order, "table_dir": ""}, policy) as engine:
        yield engine


@pytest.fixture
def engine(served):
    served.forget()
    return served


def check_nothing_is_left(engine):
    s = engine.scheduler
    assert not engine.busy() and not s.requests and not s.running
    assert len(s.waiting) == 0 and list(s.waiting) == []
    assert not s.kv_holding_waiting
    assert s.waiting.stats()["waiting"] == 0
    pool = s.kv_cache_manager.block_pool
    assert pool.get_num_free_blocks() == pool.num_gpu_blocks - 1


def test_all_are_answered_as_by_stock(engine):
    for i, asked in enumerate(requests()):
        engine.add(str(i), asked)
    assert len(engine.scheduler.waiting) == len(requests())
    while engine.busy():
        engine.step()
    assert engine.answers == answers()[0]
    assert len(engine.ended) == len(requests())
    s = engine.scheduler
    assert bool(s.fairway_pauses) == (s.waiting.stats()["went_on"] > 0)
    check_nothing_is_left(engine)


def test_aborts_at_random_moments_lose_no_other(engine):
    rng = random.Random(SEED + 3)
    left = list(enumerate(requests()))
    aborted, alive = set(), set()
    while left or engine.busy():
        for _ in range(rng.randrange(12)):
            if left:
                i, asked = left.pop(0)
                engine.add(str(i), asked)
                alive.add(str(i))
        alive -= engine.ended
        if alive and rng.random() < 0.6:
            name = rng.choice(sorted(alive))
            engine.abort(name)
            alive.remove(name)
            aborted.add(name)
        engine.step()
    assert aborted and engine.ended.isdisjoint(aborted)
    assert len(engine.ended) + len(aborted) == len(requests())
    stock = answers()[0]
    for name in engine.ended:
        assert engine.answers[name] == stock[name], name
    for name in aborted & set(engine.answers):
        given = engine.answers[name]
        assert given == stock[name][: len(given)], name
    check_nothing_is_left(engine)


def test_sessions_are_answered_as_by_stock(engine):
    serve_sessions(engine, random.Random(SEED + 4))
    stock = answers()[1]
    assert engine.answers == stock
    for i, turns in enumerate(sessions()):
        assert len(stock[f"s{i}"]) == sum(num for _, num in turns)
    check_nothing_is_left(engine)
