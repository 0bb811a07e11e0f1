# SPDX-License-Identifier: Apache-2.0
"""What the order does to times to first token: vLLM's real scheduler in virtual
time.

Nothing is computed. Each step takes as long as an A6000 takes for its tokens and
their attention, by the constants of the simulator (lib/cost/device.c), and the
scheduler's clock is the virtual one. Hot documents and misses arrive faster than
the device computes for a while, then slower. BLOCKS in the environment is the size
of the cache. `effect_vllm.py [SEED...]`; PLOT in it is the name of an SVG, which
gnuplot makes of the last seed.
"""

import os
import random
import subprocess
import sys

from fairway.vllm.clock import Clock
from fairway.vllm.seam import SyncScheduler
from vllm.v1.core.sched.scheduler import Scheduler

from vllm_world import make_request, make_scheduler, outputs

#: Seconds: t0 + a * tokens, at least tw, and b for each pair of attention.
T0, A, B, TW = 8e-3, 0.120e-3, 5.5e-9, 25e-3
REQUESTS, DOCS = 600, 24
BLOCKS = int(os.environ.get("BLOCKS") or 6000)

FORMS = {
    "stock": None,
    "fcfs": {"order": "fcfs"},
    "paper": {"order": "paper", "guard": 0, "device": "a6000"},
    "paper, guard": {"order": "paper", "device": "a6000"},
    "rest, guard": {"order": "rest", "device": "a6000"},
    "srpf, guard": {"order": "srpf", "device": "a6000"},
    "paper, guard, protect": {"order": "paper", "device": "a6000",
                              "protect": True},
    "rest, guard, protect": {"order": "rest", "device": "a6000",
                             "protect": True},
    "srpf, guard, protect": {"order": "srpf", "device": "a6000",
                             "protect": True},
}
#: Those that the plot shows.
SHOWN = ("stock", "paper, guard", "srpf, guard")


def workload(seed):
    """(arrival, tokens) of each request; a third come in a burst."""
    rng = random.Random(seed)

    def draw(num):
        return [rng.randrange(3, 32000) for _ in range(num)]

    docs = [draw(rng.randrange(2000, 6000)) for _ in range(DOCS)]
    now, out = 0.0, []
    for i in range(REQUESTS):
        burst = REQUESTS // 3 <= i < 2 * REQUESTS // 3
        now += rng.expovariate(12.0 if burst else 3.0)
        if rng.random() < 0.85:
            doc = docs[min(DOCS - 1, int(rng.paretovariate(0.8)) - 1)]
            tokens = doc + draw(rng.randrange(50, 400))
        else:
            tokens = draw(rng.randrange(500, 6000))
        out.append((now, tokens))
    return out


def duration(scheduler, scheduled):
    """Of the step, by the device's constants."""
    tokens, pairs = 0, 0.0
    for name, num in scheduled.num_scheduled_tokens.items():
        request = scheduler.requests[name]
        first = request.num_computed_tokens - num
        tokens += num
        pairs += num * (first + (num + 1) / 2)
    return max(TW, T0 + A * tokens) + B * pairs


def serve(form, settings, requests):
    """Times to first token, and tokens that were cached."""
    s = make_scheduler(form, BLOCKS, settings)
    now = [0.0]
    if settings is not None:
        s.waiting.clock = Clock(lambda: now[0], lambda: now[0])
    ttft, cached, at, arrivals = [], 0, 0, {}
    while at < len(requests) or s.requests:
        while at < len(requests) and requests[at][0] <= now[0]:
            arrival, tokens = requests[at]
            request = make_request(at, tokens, arrival)
            arrivals[request.request_id] = arrival
            s.add_request(request)
            at += 1
        if not s.requests:
            now[0] = requests[at][0]
            continue
        scheduled = s.schedule()
        cached += sum(r.num_computed_tokens
                      for r in scheduled.scheduled_new_reqs)
        now[0] += duration(s, scheduled)
        output = outputs(s, scheduled)
        s.update_from_output(scheduled, output)
        for name, tokens in zip(output.req_ids, output.sampled_token_ids):
            if tokens:
                ttft.append(now[0] - arrivals[name])
    return sorted(ttft), cached


def rank(values, share):
    return values[max(0, -(-len(values) * share // 100) - 1)]


def plot(path, ttfts):
    """The share of the requests that had their first token by then."""
    curves = ", ".join(f"'-' using 1:2 with steps lw 2 title '{n}'"
                       for n in ttfts)
    data = "".join(
        "".join(f"{t:.4f} {100 * i / len(ttft):.2f}\n"
                for i, t in enumerate(ttft, 1)) + "e\n"
        for ttft in ttfts.values())
    subprocess.run(["gnuplot"], check=True, text=True, input=f"""
        set terminal svg size 720,400 background 'white'
        set output '{path}'
        set logscale x
        set grid
        set key bottom right
        set xlabel 'seconds to the first token'
        set ylabel '% of the requests'
        plot {curves}
        """ + data)


def main():
    seeds = [int(a) for a in sys.argv[1:]] or [1, 2, 3]
    print("seed  order                  p50_s   p99_s   max_s  cached")
    for seed in seeds:
        requests = workload(seed)
        total = sum(len(t) for _, t in requests)
        ttfts = {}
        for name, settings in FORMS.items():
            form = Scheduler if settings is None else SyncScheduler
            ttft, cached = serve(form, settings, requests)
            assert len(ttft) == len(requests)
            if name in SHOWN:
                ttfts[name] = ttft
            print(f"{seed:4}  {name:21} {rank(ttft, 50):6.2f}  "
                  f"{rank(ttft, 99):6.2f}  {ttft[-1]:6.2f}  "
                  f"{cached / total:6.3f}", flush=True)
    if os.environ.get("PLOT"):
        plot(os.environ["PLOT"], ttfts)


if __name__ == "__main__":
    main()
