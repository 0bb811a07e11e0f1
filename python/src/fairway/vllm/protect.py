# SPDX-License-Identifier: Apache-2.0
"""Blocks that waiting requests would hit are evicted last.

The pool gives the blocks that have been free for longest. Before it does, as many
as it needs that nobody waits for are put first. Those in front of them that
somebody waits for get a second chance: they go behind all others, in their order,
as if they had been used now.
"""

#: How many blocks are looked at to find num: SPARE and FACTOR * num.
SPARE = 64
FACTOR = 3


def divide(blocks, wanted, num):
    """(unwanted, wanted) of these, up to the num-th that is not wanted.

    Of blocks, (key, block) from the oldest on, no more than a bound are looked
    at. A key is None where nothing is cached in the block.
    """
    unwanted, kept = [], []
    for (key, block), _ in zip(blocks, range(SPARE + FACTOR * num)):
        if key is not None and wanted(key):
            kept.append(block)
            continue
        unwanted.append(block)
        if len(unwanted) == num:
            break
    return unwanted, kept
