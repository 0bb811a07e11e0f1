# SPDX-License-Identifier: Apache-2.0
"""What protection costs: the share of a step that it takes, in vLLM.

97% of the prompts begin with one of 40 documents, and the cache holds 17, so each
step evicts. Times are of the thread, with the collector off: a step is schedule()
and update_from_output(), and without the search for blocks that nobody waits for
it is what it would be. `bench_protect.py [WAITING...]`.
"""

import gc
import sys
import time

from bench_vllm import Load, step
from fairway.vllm import seam
from vllm_world import make_scheduler

STEPS = 120


def run(waiting):
    """(microseconds of a step, of its search) of each step."""
    load = Load(0.97, 40)
    s = make_scheduler(seam.SyncScheduler, 3000,
                       {"device": "a6000", "protect": True})
    pool = s.kv_cache_manager.block_pool
    searched = [0.0]
    give = s.fairway_protection.give_way

    def timed(num):
        start = time.thread_time_ns()
        give(num)
        searched[0] += (time.thread_time_ns() - start) / 1e3

    s.fairway_protection.give_way = timed
    times = []
    gc.collect()
    gc.disable()
    for _ in range(STEPS):
        while len(s.waiting) < waiting:
            s.add_request(load.same(1)[0])
        searched[0] = 0.0
        times.append((step(s)[0], searched[0]))
    gc.enable()
    assert pool.get_num_free_blocks() > 0
    return times[STEPS // 4:]


def main():
    print("waiting  step_us  without_us  ratio  worst_ratio")
    for waiting in [int(a) for a in sys.argv[1:]] or [100, 1000, 5000]:
        times = run(waiting)
        total, search = (sum(t[i] for t in times) for i in (0, 1))
        worst = max(t / (t - look) for t, look in times)
        print(f"{waiting:7} {total / len(times):8.0f} "
              f"{(total - search) / len(times):11.0f} "
              f"{total / (total - search):6.2f} {worst:12.2f}", flush=True)


if __name__ == "__main__":
    main()
