# SPDX-License-Identifier: Apache-2.0
"""Prefill times of the device that vLLM runs on, from vLLM's own first steps.

A step takes t0 + a * tokens + b * pairs seconds: pairs of a token that is
computed and one that it attends to. From steps that computed part of a prompt
the three are fitted by least squares of relative errors, as `fairway calibrate`
does for a file of steps. What comes out is a table of whole prompts. It is kept
in a file, so that the next start knows it.
"""

import hashlib
import json
import os
from pathlib import Path

from fairway import Order

#: Steps after which the table is made, and made again.
FITS_AT = (64, 512)
#: Lengths of the table's rows.
LENGTHS = (64, 256, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)
#: Tokens of a chunk of a prompt alone, as in lib/cost/cost.h.
CHUNK = 2048
#: Share of the steps, those that fit worst, that a second fit leaves out.
WORST = 0.1


def solve(rows, columns):
    """Least squares of sum(x[c] * row[c]) = 1 by elimination; None if singular.

    rows hold (1, tokens, pairs) / seconds.
    """
    n = len(columns)
    m = [[sum(r[i] * r[j] for r in rows) for j in columns]
         + [sum(r[i] for r in rows)] for i in columns]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(m[k][i]))
        if abs(m[pivot][i]) < 1e-12 * (1 + abs(m[i][i])):
            return None
        m[i], m[pivot] = m[pivot], m[i]
        for k in range(n):
            if k != i:
                f = m[k][i] / m[i][i]
                m[k] = [x - f * y for x, y in zip(m[k], m[i])]
    x = [0.0, 0.0, 0.0]
    for i, column in enumerate(columns):
        x[column] = m[i][n] / m[i][i]
    return x


def solve_positive(rows):
    """No time is negative: the column whose time would be is left out."""
    columns = [0, 1, 2]
    while columns:
        x = solve(rows, columns)
        if x is None:
            columns.pop()
            continue
        worst = min(columns, key=lambda c: x[c])
        if x[worst] >= 0:
            return x
        columns.remove(worst)
    return None


def fit(steps):
    """(t0, a, b) of steps (tokens, pairs, seconds); None when they tell none."""
    rows = [(1 / s, n / s, p / s) for n, p, s in steps if s > 0]
    x = solve_positive(rows)
    if x is None:
        return None

    def error(row):
        return abs(sum(c * v for c, v in zip(x, row)) - 1)

    rows.sort(key=error)
    return solve_positive(rows[: max(3, int(len(rows) * (1 - WORST)))])


def prefill(model, tokens):
    """Seconds for a whole prompt alone."""
    t0, a, b = model
    seconds, first = 0.0, 0
    while first < tokens:
        num = min(CHUNK, tokens - first)
        seconds += t0 + a * num + b * num * (first + (num + 1) / 2)
        first += num
    return seconds


def make_table(model):
    """Rows for fairway.Order."""
    return [[n, prefill(model, n)] for n in LENGTHS]


def place(folder, names):
    """The file for a model and a device, by their names; None for nowhere."""
    folder = os.path.expanduser(folder)
    # A user without a home has no folder there.
    if not folder or folder.startswith("~"):
        return None
    digest = hashlib.sha256("\0".join(map(str, names)).encode()).hexdigest()
    return Path(folder) / f"prefill-{digest[:16]}.json"


def load(path):
    """A table that was kept, or None."""
    try:
        table = json.loads(path.read_text())["table"]
        # Which refuses what are no prefill times.
        Order(table=table)
        return table
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(path, names, table):
    """For the next start; a folder that cannot be written is no fault."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(
            {"of": [str(n) for n in names], "table": table}))
        beside.replace(path)
    except (OSError, ValueError):
        pass


def device_name():
    """Of the device that vLLM runs on, as it names it."""
    from vllm.platforms import current_platform

    try:
        return current_platform.get_device_name()
    except (NotImplementedError, RuntimeError):
        return current_platform.device_type


def chunks_of(scheduler, output):
    """(tokens before, tokens) of each request of a step."""
    for name, num in output.num_scheduled_tokens.items():
        request = scheduler.requests.get(name)
        if request is not None:
            yield max(0, request.num_computed_tokens - num), num


class Measure:
    """Takes the time of steps until there are enough of them.

    found(table) is called once the steps made one. A step's time begins when
    it was scheduled, or when the step before ended, as two may be in flight.
    """

    def __init__(self, found, clock):
        self._found, self._clock = found, clock
        self._steps: list[tuple[int, float, float]] = []
        #: Steps under way: (name, (when it was scheduled, tokens, pairs)).
        self._under_way: list = []
        self._ended = 0.0

    @property
    def done(self):
        return len(self._steps) >= FITS_AT[-1]

    def scheduled(self, name, chunks):
        """A step was scheduled: (tokens before, tokens) of each request."""
        tokens, pairs, prompts = 0, 0.0, False
        for first, num in chunks:
            tokens += num
            pairs += num * (first + (num + 1) / 2)
            prompts |= num > 1
        self._under_way.append(
            (name, (self._clock(), tokens, pairs) if prompts else None))

    def ended(self, name):
        """A step gave its tokens. Older ones that did not never will."""
        names = [n for n, _ in self._under_way]
        if name not in names:
            return
        step = self._under_way[names.index(name)][1]
        del self._under_way[: names.index(name) + 1]
        now = self._clock()
        before, self._ended = self._ended, now
        if step is None or self.done:
            return
        began, tokens, pairs = step
        self._steps.append((tokens, pairs, now - max(began, before)))
        if len(self._steps) in FITS_AT:
            model = fit(self._steps)
            if model is not None and prefill(model, LENGTHS[0]) > 0:
                self._found(make_table(model))
