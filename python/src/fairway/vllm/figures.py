# SPDX-License-Identifier: Apache-2.0
"""What the order did, as a line in the log and as metrics.

vLLM's /metrics is served by another process than the scheduler's. It shows
these metrics where the two share a folder: set PROMETHEUS_MULTIPROC_DIR, or run
vLLM in one process.
"""

import time

#: Of the orders' counters those that are shown, and what they say.
COUNTERS = {
    "admitted_fast": "requests that left by the fast lane",
    "admitted_fair": "requests that left by the fair lane",
    "went_on": "releases of prompts that had begun",
    "skipped": "releases that vLLM put aside",
    "overtaken": "releases ahead of the oldest request",
    "late": "passes that served by arrival, because of the guard",
    "bound_broken": "times that the bound on overtaking did not hold; always 0",
}


#: Upper bounds of waits, in seconds.
BUCKETS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)


def make_waits():
    """The histogram of waits, None where prometheus_client is not there."""
    try:
        from prometheus_client import Histogram

        return Histogram(
            "fairway:wait_seconds",
            "seconds until a request started, by how much of it was cached",
            ["cached"], buckets=BUCKETS)
    except (ImportError, ValueError):
        return None


def make_metrics():
    """name -> counter of prometheus_client, {} where that is not there."""
    try:
        from prometheus_client import Counter

        return {n: Counter(f"fairway:{n}", words)
                for n, words in COUNTERS.items()}
    except (ImportError, ValueError):
        # ValueError: a second scheduler in one process; the first one counts.
        return {}


class Figures:
    """Tells every so many seconds what changed; free between."""

    def __init__(self, stats, say, interval, clock=time.monotonic,
                 metrics=None, waits=None):
        self._stats, self._say, self._interval = stats, say, interval
        self._clock = clock
        self._metrics = make_metrics() if metrics is None else metrics
        waits = make_waits() if metrics is None else waits
        #: Of misses, of less than half, and of more; none without a histogram.
        self._waits = waits and [waits.labels(c)
                                 for c in ("none", "some", "most")]
        self._before: dict[str, int] = {}
        self._due = clock() + interval

    def step(self):
        """Called once a step."""
        if self._interval and self._clock() >= self._due:
            self.tell()

    def started(self, wait, cached, tokens):
        """A request waited for so many seconds, and had that much cached."""
        if self._waits:
            which = (cached > 0) + (2 * cached >= tokens)
            self._waits[which].observe(max(0.0, wait))

    def tell(self):
        now = self._stats()
        change = {n: v - self._before.get(n, 0) for n, v in now.items()}
        self._before = now
        self._due = self._clock() + self._interval
        for name, counter in self._metrics.items():
            counter.inc(change.get(name, 0))
        if change.get("passes"):
            self._say(
                f"waiting {now.get('waiting', 0)}, admitted "
                f"{change['admitted_fast']} fast and "
                f"{change['admitted_fair']} fair, {change['overtaken']} ahead "
                f"of the oldest, {change['skipped']} put aside, "
                f"{change['late']} passes by arrival")
