# SPDX-License-Identifier: Apache-2.0
"""Tenants in vLLM's real scheduler: whoever floods it, delays only itself."""

import os
import random
import time

import pytest

import vllm_world as world
from effect_vllm import duration, rank
from fairway.vllm import seam
from fairway.vllm.clock import Clock
from fairway.vllm.tenants import number_of
from vllm.lora.request import LoRARequest

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
QUIET = ("ann", "bob", "eve")
#: How a request names its tenant, for each setting.
NAMED = {
    "cache_salt": lambda name: {"cache_salt": name},
    "lora": lambda name: {"lora_request": LoRARequest(
        name, 1 + number_of(name) % 1000, "/nowhere")},
    "xargs": lambda name: {"xargs": {"tenant": name}},
}


def workload(rng, flood, named):
    """(arrival, name, tokens, how it names its tenant), by arrival."""
    out = []
    for name in QUIET:
        now = rng.random()
        while now < 40:
            out.append((now, name, rng.randrange(300, 1200)))
            now += rng.expovariate(1 / 3)
    out += [(rng.random() * 5, "mal", rng.randrange(500, 4000))
            for _ in range(flood)]
    return [(arrival, name,
             [rng.randrange(3, 30000) for _ in range(tokens)], named(name))
            for arrival, name, tokens in sorted(out, key=lambda r: r[0])]


def serve(settings, requests):
    """Times to first token by name of tenant, in virtual time."""
    s = world.make_scheduler(seam.SyncScheduler, 4000,
                             {"device": "a6000"} | settings)
    now, at, arrived = 0.0, 0, {}
    s.waiting.clock = Clock(lambda: now, lambda: now)
    ttft = {}
    while at < len(requests) or s.requests:
        while at < len(requests) and requests[at][0] <= now:
            arrival, name, tokens, given = requests[at]
            s.add_request(world.make_request(at, tokens, arrival, **given))
            arrived[str(at)] = arrival, name
            at += 1
        if not s.requests:
            now = requests[at][0]
            continue
        scheduled = s.schedule()
        now += duration(s, scheduled)
        output = world.outputs(s, scheduled)
        s.update_from_output(scheduled, output)
        for request, tokens in zip(output.req_ids, output.sampled_token_ids):
            if tokens:
                arrival, name = arrived[request]
                ttft.setdefault(name, []).append(now - arrival)
    assert sum(map(len, ttft.values())) == len(requests)
    assert s.waiting.stats()["waiting"] == 0
    return ttft


def quiet_p99(ttft):
    return rank(sorted(t for name in QUIET for t in ttft[name]), 99)


@pytest.mark.parametrize("source", NAMED)
def test_a_tenant_that_floods_delays_no_other(source):
    """By no more than what stands in the way: the steps that run already."""
    named = NAMED[source]
    alone = quiet_p99(serve(
        {"tenant": source}, workload(random.Random(SEED), 0, named)))
    flooded = workload(random.Random(SEED), 250, named)
    fair = serve({"tenant": source}, flooded)
    assert quiet_p99(fair) < alone + 1.5, SEED
    # And the flood is served too, with all that is left of the device.
    everyone = serve({}, flooded)
    print(f"# p99 of the quiet: {alone:.1f} s alone, {quiet_p99(fair):.1f} "
          f"flooded, {quiet_p99(everyone):.1f} without tenants")
    assert quiet_p99(everyone) > 10, SEED
    assert max(fair["mal"]) < 1.3 * max(everyone["mal"]), SEED


def test_weights_go_by_name():
    s = world.make_scheduler(
        seam.SyncScheduler, 4000,
        {"device": "a6000", "tenant": "cache_salt", "guard": 0,
         "tenant_weights": {"ann": 3}}, budget=256)
    rng, now = random.Random(SEED), time.time()
    for i in range(300):
        for name in ("ann", "bob"):
            tokens = [rng.randrange(3, 30000) for _ in range(250)]
            s.add_request(world.make_request(
                f"{name}{i}", tokens, now, cache_salt=name))
    admitted = []
    while len(admitted) < 200:
        scheduled = s.schedule()
        admitted += [r.req_id[:3] for r in scheduled.scheduled_new_reqs]
        s.update_from_output(scheduled, world.outputs(s, scheduled))
    assert abs(admitted.count("ann") - 150) <= 2


def test_a_session_keeps_its_tenant_whatever_it_brings():
    s = world.make_scheduler(seam.SyncScheduler, 400,
                             {"device": "a6000", "tenant": "xargs"})
    request = world.make_request("r", [5] * 100, time.time(),
                                 xargs={"tenant": "ann"}, resumable=True)
    s.add_request(request)
    request.sampling_params.extra_args = {"tenant": "bob"}
    scheduled = s.schedule()
    assert scheduled.num_scheduled_tokens == {"r": 100}


def test_who_names_no_tenant_is_one_and_no_name_is_too_odd():
    tenant = seam.tenant_of("xargs")
    numbers = {
        tenant(world.make_request(i, [5], 0.0, xargs=xargs))
        for i, xargs in enumerate((None, {}, {"tenant": ""}, {"tenant": None}))}
    assert numbers == {0}
    odd = ["x", "x" * 10**6, "\udc80", 7, 1.5, ["x"], b"x"]
    assert len({number_of(name) for name in odd}) == len(odd)
    assert all(0 < number_of(name) < 2**64 for name in odd)
    # The same one in each process and each version.
    assert number_of("ann") == 10176691957563388837


def test_a_wrong_weight_stops_vllm_in_one_line():
    for given in ({"tenant": "header"}, {"tenant_weights": {"ann": 2}},
                  {"tenant": "lora", "tenant_weights": {"ann": 0}},
                  {"tenant": "lora", "tenant_weights": [1]}):
        with pytest.raises(ValueError, match="^fairway: tenant[^\n]*$"):
            world.make_scheduler(seam.SyncScheduler, 100, given)
