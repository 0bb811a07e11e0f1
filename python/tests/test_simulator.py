# SPDX-License-Identifier: Apache-2.0
"""vLLM's scheduler with Fairway in virtual time, against the simulator.

Each step takes what the simulator says that an A6000 takes. Then each request
must start in the same step in both, with the same hit, so its time to the first
token is the same to rounding. The simulator shares neither vLLM's blocks nor
the package's queue. The golden traces come from $FAIRWAY_SHARED; random ones go
through the command that $FAIRWAY names.
"""

import csv
import json
import os
import random
import subprocess
import time
from pathlib import Path

import pytest

import vllm_world as world
from effect_vllm import duration
from fairway.vllm.clock import Clock
from vllm.v1.core.sched.scheduler import Scheduler

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
HISTORIES = int(os.environ.get("FAIRWAY_HISTORIES") or 100)
GOLDEN = Path(os.environ.get("FAIRWAY_SHARED", "../shared"), "golden")
COMMAND = os.environ.get("FAIRWAY")
#: Blocks of the traces' caches.
POOLS = {"g1": 1000, "g2": 100, "g3": 10, "g4": 8, "g5": 2000, "g6": 400,
         "g7": 6000, "g8": 6000, "g9": 865}
#: Where memory runs out, vLLM gives other blocks away than the simulator: it
#: keeps two copies of a block that it computed again. Its own scheduler, too,
#: finds other hits there.
OTHER_BLOCKS = ("g4", "g9")
#: The simulator's policy, and the setting that is the same order.
ORDERS = {
    "fcfs": {"order": "fcfs", "guard": 0},
    "fairway": {"order": "paper", "guard": 0},
    "srpf": {"order": "srpf", "guard": 0.5},
    "srpf:guard=off": {"order": "srpf", "guard": 0},
}
SETTINGS = {"device": "a6000", "max_moved": 0}


def read(path):
    """(arrival, tokens) of each request of a trace with blocks of 16."""
    for i, line in enumerate(path.read_text().splitlines()):
        row = json.loads(line)
        tokens = [k for key in row["hash_ids"] for k in [key] * world.BLOCK]
        short = row["input_length"] - len(tokens)
        yield row["timestamp"] / 1000, (
            tokens[: row["input_length"]] + [10**6 + i] * short)


def serve(requests, blocks, order):
    """serve_by() with Fairway. Of a cache in vLLM one block is never used."""
    s = world.scheduler_of(blocks + 1, 2048, 256, **SETTINGS, **ORDERS[order])
    now = [0.0]
    s.waiting.clock = Clock(lambda: now[0], lambda: now[0])
    return serve_by(s, requests, now)


def serve_by(s, requests, now):
    """(time to first token, cached tokens) by request; now is the time."""
    out, cached, at = {}, {}, 0
    while at < len(requests) or s.requests:
        while at < len(requests) and requests[at][1] <= now[0] + 1e-12:
            name, arrival, tokens = requests[at]
            s.add_request(world.make_request(name, tokens, arrival))
            at += 1
        if not s.requests:
            now[0] = requests[at][1]
            continue
        scheduled = s.schedule()
        for new in scheduled.scheduled_new_reqs:
            cached[int(new.req_id)] = new.num_computed_tokens
        assert scheduled.num_scheduled_tokens, "nothing runs, and some wait"
        now[0] = round(now[0] + duration(s, scheduled), 9)
        output = world.outputs(s, scheduled)
        arrivals = {n: s.requests[n].arrival_time for n in output.req_ids}
        s.update_from_output(scheduled, output)
        for name, tokens in zip(output.req_ids, output.sampled_token_ids):
            if tokens:
                out[int(name)] = now[0] - arrivals[name], cached[int(name)]
    return out


def check(given, expected, words):
    assert given.keys() == expected.keys(), words
    for name, (ttft, cached) in expected.items():
        assert given[name][1] == cached, (words, name)
        assert abs(given[name][0] - ttft) < 1e-6, (words, name, given[name])


def golden():
    """(trace, policy) -> {request: (ttft, cached)} of those that were served."""
    out: dict = {}
    for name in ("expected.csv", "srpf.csv"):
        with (GOLDEN / name).open() as file:
            for row in csv.DictReader(file):
                if float(row["ttft_s"]) >= 0:
                    out.setdefault((row["trace"], row["policy"]), {})[
                        int(row["id"])] = (
                            float(row["ttft_s"]), int(row["cached_tokens"]))
    return out


@pytest.mark.skipif(not GOLDEN.is_dir(), reason=f"no {GOLDEN}")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("trace", [t for t in POOLS if t not in OTHER_BLOCKS])
def test_the_golden_traces_come_out(trace, order):
    expected = golden()[trace, order]
    # What the simulator refuses is longer than the cache.
    requests = [(i, *r) for i, r in enumerate(read(GOLDEN / f"{trace}.jsonl"))
                if i in expected]
    check(serve(requests, POOLS[trace], order), expected, (trace, order))


@pytest.mark.skipif(not GOLDEN.is_dir(), reason=f"no {GOLDEN}")
@pytest.mark.parametrize("trace", OTHER_BLOCKS)
def test_where_blocks_differ_fcfs_is_stock(trace):
    requests = [(i, *r) for i, r in enumerate(read(GOLDEN / f"{trace}.jsonl"))]
    stock = serve_by(world.make_scheduler(Scheduler, POOLS[trace] + 1),
                     requests, [0.0])
    given = serve(requests, POOLS[trace], "fcfs")
    assert given == stock
    assert any(given[i] != golden()[trace, "fcfs"][i] for i in given)


def random_trace(rng, path):
    """Documents of whole blocks, some of them longer than a step."""
    docs, next_id = [], 1
    for _ in range(rng.randrange(1, 5)):
        num = rng.randrange(1, 200)
        docs.append(list(range(next_id, next_id + num)))
        next_id += num
    lines, now = [], 0
    for _ in range(rng.randrange(2, 30)):
        now += rng.choice((0, 0, 1, 7, 40, 300))
        doc = rng.choice(docs)
        ids = doc[: rng.randrange(len(doc) + 1)]
        more = rng.randrange(0 if ids else 1, 150)
        ids = ids + list(range(next_id, next_id + more))
        next_id += more
        lines.append({"timestamp": now, "output_length": 1, "hash_ids": ids,
                      "input_length": len(ids) * world.BLOCK
                      - rng.randrange(world.BLOCK if more else 1)})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def simulate(path, blocks):
    """The same as golden() for all ORDERS, by the command."""
    table = path.with_suffix(".csv")
    subprocess.run(
        [COMMAND, "sim", "--trace", path, "--format", "mooncake",
         "--block-size", str(world.BLOCK), "--kv-blocks", str(blocks),
         "--policy", ",".join(ORDERS), "--jobs", "1", "--quiet",
         "--requests", table], check=True, capture_output=True)
    out: dict = {order: {} for order in ORDERS}
    with table.open() as file:
        for row in csv.DictReader(file):
            assert row["outcome"] == "done"
            out[row["policy"]][int(row["id"])] = (
                float(row["ttft_s"]), int(row["cached_tokens"]))
    return out


@pytest.mark.skipif(not COMMAND, reason="no command in $FAIRWAY")
def test_random_histories_are_served_as_in_the_simulator(tmp_path):
    for number in range(HISTORIES):
        rng = random.Random(SEED * 1000 + number)
        blocks = 6000
        path = tmp_path / "trace.jsonl"
        random_trace(rng, path)
        requests = [(i, *r) for i, r in enumerate(read(path))]
        for order, expected in simulate(path, blocks).items():
            check(serve(requests, blocks, order), expected,
                  (SEED, number, order))
