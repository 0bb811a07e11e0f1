# SPDX-License-Identifier: Apache-2.0
"""What a step of vLLM's scheduler costs with Fairway, beside its own.

Both schedulers do the same work: before each of its steps the stock one gets
its queue in the order in which Fairway's admitted, which is not timed. That order
is told by a third scheduler, which leads and is not timed either: whoever goes
first finds the processor's caches cold. The two that are timed go second and
third in turn. Times are of the thread, with the collector off.

The last column is the way of the source paper: a look-up for every waiting
request in each step, and a sort. With --observe the second scheduler is one that
only observes, and both serve in vLLM's order.

`bench_vllm.py [--observe] [WAITING...]`.
"""

import gc
import random
import statistics
import sys
import tempfile
import time
from collections import deque

from fairway.vllm.seam import SyncScheduler
from vllm.v1.core.sched.scheduler import Scheduler

from vllm_world import make_request, make_scheduler, outputs, probe

DOC, TAIL = 2700, 300
SEED = 7
STEPS = 120
#: Steps whose times do not count.
WARM_UP = 5
#: name -> (share with a document, blocks of the cache)
CASES = {"roomy": (0.8, 20000), "small": (0.97, 3000)}


class Load:
    """Prompts of 3,000 tokens, of which a share begins with a document."""

    def __init__(self, share, docs):
        self.rng = random.Random(SEED)
        self.share = share
        self.docs = [self.draw(DOC) for _ in range(docs)]
        self.made = 0

    def draw(self, num):
        return [self.rng.randrange(3, 32000) for _ in range(num)]

    def same(self, num):
        """The same request for each of num schedulers."""
        if self.rng.random() < self.share:
            doc = self.docs[int(self.rng.paretovariate(1)) % len(self.docs)]
            tokens = doc + self.draw(TAIL)
        else:
            tokens = self.draw(DOC + TAIL)
        self.made += 1
        arrival = time.time()
        return [make_request(self.made, tokens, arrival) for _ in range(num)]


def timed(call, *args):
    start = time.thread_time_ns()
    result = call(*args)
    return (time.thread_time_ns() - start) / 1e3, result


def step(scheduler):
    """schedule() and update_from_output(), in microseconds."""
    first, scheduled = timed(scheduler.schedule)
    output = outputs(scheduler, scheduled)
    second, _ = timed(scheduler.update_from_output, scheduled, output)
    return first + second, scheduled


def touch(scheduler):
    """What arrange() brings into the processor's cache, for both alike."""
    return sum(len(r.request_id) for r in scheduler.requests.values())


def arrange(stock, admitted):
    """Put these requests at the head of the stock queue, in this order."""
    names = {name: i for i, name in enumerate(admitted)}
    touch(stock)
    heads = [r for r in stock.waiting if r.request_id in names]
    heads.sort(key=lambda r: names[r.request_id])
    rest = deque(r for r in stock.waiting if r.request_id not in names)
    stock.waiting.clear()
    stock.waiting.extend(heads)
    stock.waiting.extend(rest)


def resort(scheduler):
    """Order all that wait by reuse and relative wait, as the paper does."""
    now = time.time()

    def score(request):
        hit, length = probe(scheduler, request), request.num_tokens
        return hit / length + (now - request.arrival_time) / (length * 1e-4)

    return sorted(scheduler.waiting, key=score, reverse=True)


def run(waiting, share, blocks, settings):
    load = Load(share, 40)
    lead = make_scheduler(SyncScheduler, blocks, settings)
    ours = make_scheduler(SyncScheduler, blocks, settings)
    stock = make_scheduler(Scheduler, blocks)
    forms = (ours, stock, lead)
    gc.collect()
    gc.disable()
    adds = [[], [], []]

    def add():
        for which, request in enumerate(load.same(3)):
            spent, _ = timed(forms[which].add_request, request)
            adds[which].append(spent)

    for _ in range(waiting):
        add()
    times, sorts = [[], []], []
    for number in range(STEPS):
        _, led = step(lead)
        new = [r.req_id for r in led.scheduled_new_reqs]
        arrange(stock, new)
        touch(ours)
        for which in (0, 1) if number % 2 else (1, 0):
            spent, scheduled = step(forms[which])
            assert scheduled.num_scheduled_tokens == led.num_scheduled_tokens
            if number >= WARM_UP:
                times[which].append(spent)
        if number % (STEPS // 3) == WARM_UP:
            sorts.append(timed(resort, stock)[0])
        while len(ours.waiting) < waiting:
            add()
    gc.enable()
    return times, adds, sorts


def run_observed(waiting, share, blocks):
    """Times of a scheduler that observes, and of the stock one."""
    load = Load(share, 40)
    times = [[], []]
    with tempfile.TemporaryDirectory() as folder:
        settings = {"mode": "observe", "observe_dir": folder}
        forms = (make_scheduler(SyncScheduler, blocks, settings),
                 make_scheduler(Scheduler, blocks))
        gc.collect()
        gc.disable()
        for number in range(4 * STEPS):
            while len(forms[1].waiting) < waiting:
                for form, request in zip(forms, load.same(2)):
                    form.add_request(request)
            for which in (0, 1) if number % 2 else (1, 0):
                touch(forms[which])
                spent, _ = step(forms[which])
                if number >= WARM_UP:
                    times[which].append(spent)
        gc.enable()
    return times


def compare_observed(lengths):
    print("waiting  case        stock_us  observe_us  median  sums")
    for waiting in lengths:
        for case, (share, blocks) in CASES.items():
            print(row(waiting, case, run_observed(waiting, share, blocks)),
                  flush=True)


def row(waiting, case, times):
    ours, stock = map(statistics.median, times)
    return (f"{waiting:7}  {case:10} {stock:9.0f} {ours:11.0f} "
            f"{ours / stock:7.3f} {sum(times[0]) / sum(times[1]):5.3f}")


def compare(lengths):
    print("waiting  case        stock_us  fairway_us  median  sums   "
          "add_stock  add_fairway  worst_us  resort_us")
    for waiting in lengths:
        for case, (share, blocks) in CASES.items():
            times, adds, sorts = run(waiting, share, blocks,
                                     {"device": "a6000"})
            print(f"{row(waiting, case, times)} "
                  f"{statistics.median(adds[1]):10.1f} "
                  f"{statistics.median(adds[0]):12.1f} "
                  f"{max(times[0]):9.0f} "
                  f"{statistics.median(sorts):10.0f}", flush=True)


def main():
    args = sys.argv[1:]
    observed = "--observe" in args
    lengths = [int(a) for a in args if a != "--observe"]
    lengths = lengths or [100, 1000, 5000, 20000]
    if observed:
        compare_observed(lengths)
    else:
        compare(lengths)


if __name__ == "__main__":
    main()
