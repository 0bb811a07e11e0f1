# SPDX-License-Identifier: Apache-2.0
"""Which free blocks vLLM's pool gives, with protection, by a slow form."""

import os
import random
import time

import pytest

import vllm_world as world
from fairway.vllm import seam
from fairway.vllm.protect import FACTOR, SPARE
from vllm.v1.request import RequestStatus

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
HISTORIES = int(os.environ.get("FAIRWAY_HISTORIES") or 100)
SETTINGS = {"device": "a6000", "guard": 0, "max_moved": 0, "protect": True}


def make(blocks, **settings):
    return world.make_scheduler(seam.SyncScheduler, blocks,
                                SETTINGS | settings, budget=512, max_seqs=64)


def step(s):
    scheduled = s.schedule()
    s.update_from_output(scheduled, world.outputs(s, scheduled))


def begin_pass(s):
    """Hits and demand are those of now."""
    s.waiting.end_step()
    if s.waiting:
        s.waiting.peek_request()


def wanted_keys(s):
    """Keys of all blocks that a waiting request would hit, by vLLM's look-up."""
    keys = set()
    for request in s.waiting:
        if not request.num_computed_tokens:
            hit = world.probe(s, request) // world.BLOCK
            keys.update(request.block_hashes[:hit])
    return keys


def expected(s, num):
    """(blocks that are given, the free list after that), by numbers."""
    wanted = wanted_keys(s)
    free = s.kv_cache_manager.block_pool.free_block_queue.get_all_free_blocks()
    seen = free[: SPARE + FACTOR * num]
    good = [b for b in seen
            if b.block_hash is None or b.block_hash[:-4] not in wanted]
    if len(good) >= num:
        last = good[num - 1]
        seen = free[: free.index(last) + 1]
        kept = [b for b in seen if b not in good]
        free = good[:num] + free[len(seen):] + kept
    else:
        free = good + [b for b in free if b not in good]
    numbers = [b.block_id for b in free]
    return numbers[:num], numbers[num:]


def test_the_pool_gives_the_blocks_of_the_slow_form():
    protected = 0
    # Making one takes a second, so histories share them.
    both = make(150), make(300)
    # Some histories protect nothing.
    for number in range(max(20, HISTORIES // 10)):
        rng = random.Random(SEED * 1000 + number)
        s = rng.choice(both)
        pool = s.kv_cache_manager.block_pool

        def draw(num, rng=rng):
            return [rng.randrange(3, 30000) for _ in range(num)]

        docs = [draw(rng.randrange(200, 900)) for _ in range(4)]
        for at in range(100):
            while rng.random() < 0.6 and len(s.waiting) < 20:
                tokens = rng.choice(docs) + draw(rng.randrange(1, 300))
                s.add_request(world.make_request(at + rng.random(), tokens, 0.0))
            step(s)
            begin_pass(s)
            num = rng.choice((1, 5, 40))
            if num > pool.get_num_free_blocks():
                continue
            plain = pool.free_block_queue.get_all_free_blocks()[:num]
            want, after = expected(s, num)
            given = pool.get_new_blocks(num)
            assert [b.block_id for b in given] == want, (SEED, number)
            free = pool.free_block_queue.get_all_free_blocks()
            assert [b.block_id for b in free] == after, (SEED, number)
            assert len(free) == pool.get_num_free_blocks()
            protected += given != plain
            pool.free_blocks(given)
        for _ in range(2000):
            if not s.requests:
                break
            step(s)
        assert not s.requests, (SEED, number)
        assert s.reset_prefix_cache(), (SEED, number)
    assert protected, SEED


def two_documents(**settings):
    """A scheduler, the blocks of an old document and of one that came later."""
    s = make(200, **settings)
    docs = [[n] * 640 for n in (5, 6)]
    for i, doc in enumerate(docs):
        s.add_request(world.make_request(f"d{i}", doc, 0.0))
        while s.requests:
            step(s)
    # vLLM frees a prompt's last blocks first.
    free = s.kv_cache_manager.block_pool.free_block_queue.get_all_free_blocks()
    cached = [b for b in free if b.block_hash is not None]
    assert len(cached) == 80
    return s, docs, cached[:40], cached[40:]


def evict(s, num):
    """What goes when so many blocks are needed beyond those that are empty."""
    pool = s.kv_cache_manager.block_pool
    empty = sum(b.block_hash is None
                for b in pool.free_block_queue.get_all_free_blocks())
    names = {b.block_id: b.block_hash for b in pool.blocks}
    given = pool.get_new_blocks(empty + num)
    return [b for b in given if names[b.block_id] is not None]


@pytest.mark.parametrize("protected", [True, False])
def test_who_is_waited_for_stays_though_others_are_younger(protected):
    s, docs, old, young = two_documents(protect=protected)
    s.add_request(world.make_request("w", docs[0] + [7] * 2000, 0.0))
    begin_pass(s)
    assert evict(s, 40) == (young if protected else old)
    assert world.probe(s, s.requests["w"]) == (640 if protected else 0)


def test_where_all_are_waited_for_the_oldest_go():
    s, docs, old, young = two_documents()
    for i, doc in enumerate(docs):
        s.add_request(world.make_request(f"w{i}", doc + [7] * 2000, 0.0))
    begin_pass(s)
    assert evict(s, 50) == old + young[:10]
    begin_pass(s)
    assert world.probe(s, s.requests["w0"]) == 0
    assert evict(s, 30) == young[10:]


def test_where_nobody_waits_any_more_the_oldest_go():
    s, docs, old, young = two_documents()
    s.add_request(world.make_request("w", docs[0] + [7] * 2000, 0.0))
    begin_pass(s)
    s.finish_requests("w", RequestStatus.FINISHED_ABORTED)
    assert evict(s, 40) == old


def test_where_a_hit_needs_other_groups_too_nothing_is_protected(monkeypatch):
    assert "get_new_blocks" in vars(make(100).kv_cache_manager.block_pool)
    monkeypatch.setattr(seam, "coarse_reason", lambda manager: "it has two")
    assert "get_new_blocks" not in vars(make(100).kv_cache_manager.block_pool)


def test_protection_without_hits_stops_vllm_in_one_line():
    with pytest.raises(ValueError, match="^fairway: protect needs[^\n]*$"):
        make(100, order="fcfs")
