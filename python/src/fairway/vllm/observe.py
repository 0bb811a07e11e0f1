# SPDX-License-Identifier: Apache-2.0
"""A record of what was served, in the forms that `fairway` reads.

Two files, named by process: FAIRWAY.csv is a log for `fairway analyze`, with
what was really cached and when each request started; FAIRWAY.jsonl is a trace
for `fairway sim`, which serves it again in any order. Neither has a token of a
prompt. Blocks are numbered in the order in which they are first seen.
"""

import logging
import os
import statistics
from collections import deque
from pathlib import Path

log = logging.getLogger("vllm.fairway")

#: Tokens of one block of the trace: vLLM's are shorter than it needs.
GRAIN = 128
#: Blocks whose numbers are known; beyond that all are forgotten, so that a
#: server that runs for weeks stays small. A later prompt then shares nothing.
MAX_IDS = 1 << 20
#: Lines that wait to be written.
MAX_LINES = 256
#: Requests that a verdict looks at: the last ones.
MAX_JUDGED = 1 << 16
#: What a queue must show, for an order to be able to help: requests that wait
#: together, and a spread of what is left to compute.
MIN_WAIT_S, MIN_SPREAD = 0.05, 4.0

HEADER = "arrival_s,cached_tokens,uncached_tokens,start_s,ttft_s\n"


class Recorder:
    """Writes what it is told of. Times are of the wall clock, in seconds."""

    def __init__(self, folder, block_tokens, pool_tokens=0):
        self.log = Path(folder) / f"fairway-{os.getpid()}.csv"
        self.trace = self.log.with_suffix(".jsonl")
        #: Blocks of vLLM's in one of the trace.
        self.step = max(1, GRAIN // block_tokens)
        self.grain = self.step * block_tokens
        # The first line has them, so that the node simulated has this pool.
        self._facts = f', "block_size": {self.grain}'
        if pool_tokens:
            self._facts += f', "kv_blocks": {-(-pool_tokens // self.grain)}'
        self._ids: dict[bytes, int] = {}
        self._next_id = 0
        self._origin = None
        self._told = 0
        self._lines = [], []
        self._full = False
        self._new_verdict()
        self.log.write_text(HEADER)
        self.trace.write_text("")

    def _new_verdict(self):
        self._waits: deque[float] = deque(maxlen=MAX_JUDGED)
        self._lefts: deque[int] = deque(maxlen=MAX_JUDGED)

    def _numbers(self, tokens, hashes):
        """One number for each full block of the trace."""
        ids = self._ids
        if len(ids) > MAX_IDS:
            ids.clear()
        num = min(tokens // self.grain, len(hashes) // self.step)
        keys = hashes[self.step - 1 : num * self.step : self.step]
        out = list(map(ids.get, keys))
        for i, number in enumerate(out):
            if number is None:
                # Unless the prompt has it twice.
                out[i] = ids.setdefault(keys[i], self._next_id)
                self._next_id += out[i] == self._next_id
        return out

    def served(self, arrival, start, first, tokens, cached, hashes):
        """A request of so many tokens arrived, started, and gave a token."""
        cached = min(cached, tokens)
        if self._origin is None:
            self._origin = arrival
        # Whole numbers and a list of them look in JSON as in Python.
        facts = "" if self._told else self._facts
        self._told += 1
        self._lines[0].append(
            f"{arrival:.6f},{cached},{tokens - cached},"
            f"{start:.6f},{first - arrival:.6f}\n")
        self._lines[1].append(
            f'{{"timestamp": {max(0, round((arrival - self._origin) * 1000))}, '
            f'"input_length": {tokens}, '
            f'"hash_ids": {self._numbers(tokens, hashes)}{facts}}}\n')
        self._waits.append(start - arrival)
        self._lefts.append(tokens - cached)
        if len(self._lines[0]) >= MAX_LINES:
            self.flush()

    def flush(self):
        """Writes until that fails: serving does not depend on it."""
        try:
            for path, lines in zip((self.log, self.trace), self._lines):
                if lines and not self._full:
                    with path.open("a") as file:
                        file.writelines(lines)
        except OSError as error:
            self._full = True
            log.warning("fairway: %s; nothing is recorded any more", error)
        for lines in self._lines:
            lines.clear()

    def verdict(self):
        """One line on what started since the last call, None if nothing did.

        A rule of thumb. `fairway analyze` simulates, and tells by how much.
        """
        waits, lefts = self._waits, self._lefts
        self._new_verdict()
        self.flush()
        if len(lefts) < 2:
            return None
        tenth, *_, ninetieth = statistics.quantiles(lefts, n=10)
        spread = ninetieth / max(1.0, tenth)
        wait = statistics.median(waits)
        if wait < MIN_WAIT_S:
            words = "nobody waits, so no order helps"
        elif spread < MIN_SPREAD:
            words = "what waits is alike, so no order helps much"
        else:
            words = f"another order may pay: fairway analyze {self.log}"
        return (f"{len(lefts)} requests, median wait {wait:.3f} s, tokens left "
                f"to compute spread {spread:.1f} (p90/p10): {words}")
