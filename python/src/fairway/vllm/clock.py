# SPDX-License-Identifier: Apache-2.0
"""Times of arrival, which are told by other clocks."""

import time

#: The wall clock was set, when it is further from where it was than this.
STEP_S = 0.01


class Clock:
    """Nanoseconds of this host's monotonic clock.

    vLLM's times of arrival are of the wall clock of its API server, or what a
    client says. What lies ahead of now has waited for no time.
    """

    def __init__(self, monotonic=time.monotonic, wall=time.time):
        self._monotonic = monotonic
        self._wall = wall
        self._offset = monotonic() - wall()

    def now(self):
        return int(self._monotonic() * 1e9)

    def arrival(self, wall_s):
        """When that was by the monotonic clock, at most now."""
        now = self._monotonic()
        offset = now - self._wall()
        # The same offset for all, so that equal arrivals stay equal.
        if abs(offset - self._offset) > STEP_S:
            self._offset = offset
        return int(min(wall_s + self._offset, now) * 1e9)
