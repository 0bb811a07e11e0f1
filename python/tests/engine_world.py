# SPDX-License-Identifier: Apache-2.0
"""vLLM's whole engine on the CPU, with a tiny model of made-up weights, for tests.

Answers are greedy, so a request's tokens are the same in whatever order it is
served. The cache has 140 blocks, far fewer than those that run could use. As a
program it prints, by order, how many tokens of the prompts were cached, and after
how many seconds of the clock half and 99 in 100 had their first token, as all came
at once: `FAIRWAY_SEED=1 FWV=DIR python engine_world.py`.
"""

import copy
import functools
import gc
import os
import random
import time
from dataclasses import dataclass

os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

from fairway.vllm.trial import rank
from vllm import SamplingParams
from vllm.distributed import cleanup_dist_env_and_memory
from vllm.engine.arg_utils import EngineArgs
from vllm.sampling_params import RequestOutputKind
from vllm.v1.engine.llm_engine import LLMEngine

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
REQUESTS, DOCS, SESSIONS = 200, 6, 5
BLOCKS, BLOCK = 140, 32
#: The same for a server, as options of its command.
OPTIONS = {
    "model": os.environ["FWV"] + "/tiny",
    "load_format": "dummy",
    "dtype": "float32",
    "skip_tokenizer_init": True,
    "enforce_eager": True,
    "max_model_len": 2048,
    "max_num_batched_tokens": 512,
    "max_num_seqs": 32,
    "block_size": BLOCK,
    "num_gpu_blocks_override": BLOCKS,
    "seed": 0,
}


@dataclass
class Asked:
    """A prompt, how many tokens it wants, and its priority."""

    tokens: list
    num: int
    priority: int


def draw(rng, num):
    return [rng.randrange(3, 32000) for _ in range(num)]


@functools.cache
def requests():
    """The 200 of this seed: three of four begin with one of six documents."""
    rng = random.Random(SEED)
    docs = [draw(rng, 96 + 80 * i) for i in range(DOCS)]
    out = []
    for _ in range(REQUESTS):
        if rng.random() < 0.75:
            doc = docs[min(DOCS, int(rng.paretovariate(1))) - 1]
            tokens = doc + draw(rng, rng.randrange(1, 60))
        else:
            tokens = draw(rng, rng.randrange(1, 800))
        out.append(Asked(tokens, rng.randrange(1, 10), rng.randrange(3)))
    return out


@functools.cache
def sessions():
    """Sessions whose prompts grow: (tokens, how many are wanted) of each turn."""
    rng = random.Random(SEED + 1)
    return [[(draw(rng, rng.randrange(1, 80)), rng.randrange(1, 6))
             for _ in range(rng.randrange(2, 5))] for _ in range(SESSIONS)]


def params(num, kind=RequestOutputKind.CUMULATIVE):
    return SamplingParams(max_tokens=num, temperature=0, ignore_eos=True,
                          detokenize=False, output_kind=kind)


class Engine:
    """vLLM's engine in this process; ends with the `with`."""

    def __init__(self, settings=None, policy="fcfs"):
        more = {}
        if settings is not None:
            more = {"scheduler_cls": "fairway.vllm.Scheduler",
                    "additional_config": {"fairway": settings}}
        self.engine = LLMEngine.from_engine_args(EngineArgs(
            **OPTIONS, **more, scheduling_policy=policy,
            disable_log_stats=True))
        self.scheduler = self.engine.engine_core.engine_core.scheduler
        #: What each request, by its name, was answered so far, and who ended.
        self.answers: dict[str, list] = {}
        self.ended: set[str] = set()
        #: When each had its first token.
        self.first: dict[str, float] = {}
        self.cached = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.engine.engine_core.shutdown()
        self.engine = self.scheduler = None
        gc.collect()
        cleanup_dist_env_and_memory()

    def forget(self):
        """As it was when it was made, for the next test."""
        self.answers.clear()
        self.ended.clear()
        self.first.clear()
        assert self.engine.reset_prefix_cache()

    def add(self, name, asked):
        self.engine.add_request(
            name, {"prompt_token_ids": asked.tokens}, params(asked.num),
            priority=asked.priority)

    def abort(self, name):
        self.engine.abort_request([name])

    def feed(self, name, tokens, num, more=True):
        """A session's next turn; its end is a turn with more=False."""
        request = self.engine.input_processor.process_inputs(
            name, {"prompt_token_ids": list(tokens)},
            params(num, RequestOutputKind.DELTA),
            supported_tasks=self.engine.get_supported_tasks(), resumable=more)
        request.external_req_id = name
        # Each makes the prompt longer; between processes they share no list.
        shown = copy.copy(request)
        shown.prompt_token_ids = list(tokens)
        self.engine.output_processor.add_request(shown, None, None, 0)
        self.engine.engine_core.add_request(request)

    def busy(self):
        return self.engine.has_unfinished_requests()

    def step(self):
        for out in self.engine.step():
            tokens = list(out.outputs[0].token_ids)
            self.first.setdefault(out.request_id, time.monotonic())
            if out.request_id.startswith("s"):
                self.answers.setdefault(out.request_id, []).extend(tokens)
            else:
                self.answers[out.request_id] = tokens
            if out.finished:
                self.ended.add(out.request_id)
                self.cached += out.num_cached_tokens or 0


@functools.cache
def answers():
    """What vLLM's own scheduler gives: of the requests, and of the sessions."""
    with Engine() as e:
        for i, asked in enumerate(requests()):
            e.add(str(i), asked)
        while e.busy():
            e.step()
        alone = dict(e.answers)
        e.forget()
        serve_sessions(e, random.Random(SEED + 2))
        return alone, dict(e.answers)


def serve_sessions(engine, rng):
    """Turns come while those before them wait, run, or are over."""
    steps = 0
    left = [(f"s{i}", list(turns)) for i, turns in enumerate(sessions())]
    crowd = list(enumerate(requests()[:40]))
    while left or crowd or engine.busy():
        for name, turns in left:
            if rng.random() < 0.3:
                if turns:
                    engine.feed(name, *turns.pop(0))
                else:
                    engine.feed(name, [0], 1, more=False)
                    turns.append(None)
        left = [(n, t) for n, t in left if t != [None]]
        for _ in range(rng.randrange(3)):
            if crowd:
                i, asked = crowd.pop(0)
                engine.add(str(i), asked)
        engine.step()
        steps += 1
        assert steps < 2000, engine.scheduler.requests


def main():
    print("order   cached   p50_s   p99_s")
    for order in (None, "fcfs", "paper", "rest", "srpf"):
        with Engine(order and {"order": order, "device": "a6000"}) as e:
            begin = time.monotonic()
            for i, asked in enumerate(requests()):
                e.add(str(i), asked)
            while e.busy():
                e.step()
            ttft = sorted(t - begin for t in e.first.values())
            print(f"{order or 'stock':5}  {e.cached:7}  {rank(ttft, 50):6.2f}"
                  f"  {rank(ttft, 99):6.2f}", flush=True)


if __name__ == "__main__":
    main()
