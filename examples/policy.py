# SPDX-License-Identifier: Apache-2.0
"""A policy of one's own in Python: fewest tokens to compute first, but each
second of waiting counts as so many tokens less. With the package installed:

    fairway sim --workload sec-dynamic --policy fcfs,spf,./policy.py:500
"""


class Policy:
    def __init__(self, node, flags):
        # What a second is worth, in tokens.
        self.rate = float(flags or 300)

    def key(self, waiter, now):
        # All wait equally long from now on, so the arrival stands for the wait.
        return waiter.len - waiter.hit + self.rate * waiter.arrival
