# SPDX-License-Identifier: Apache-2.0
"""A pass of fairway.Order to its end, and keys of prompts, for tests."""

TABLE = [(100, 0.01), (1000, 0.1), (10000, 2.0)]
BLOCK = 16


def keys_of(words):
    """Chained hashes of 16 bytes, one for each block of a prompt."""
    chain, keys = 0, []
    for word in words:
        chain = hash((chain, word))
        keys.append(chain.to_bytes(8, "big", signed=True) * 2)
    return keys


def run_pass(order, now):
    out = []
    order.begin(now)
    while (name := order.peek()) is not None:
        out.append((name, *order.head()))
        order.admit()
    order.end()
    return out
