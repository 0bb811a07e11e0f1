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
#: Bytes behind the hash in a key of vLLM's map: the number of the group.
GROUP_BYTES = 4


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


def oldest_free(queue):
    """(key, block) of the free blocks, the next one to be evicted first."""
    block = queue.fake_free_list_head.next_free_block
    last = queue.fake_free_list_tail
    while block is not last:
        name = block.block_hash
        yield name and name[:-GROUP_BYTES], block
        block = block.next_free_block


class Protection:
    """The pool evicts last what waiting requests would hit."""

    def __init__(self, pool, cache):
        self._pool, self._cache = pool, cache
        take = pool.get_new_blocks

        def get_new_blocks(num):
            self.give_way(num)
            return take(num)

        pool.get_new_blocks = get_new_blocks

    def give_way(self, num):
        """Put so many blocks first that nobody waits for, if there are any."""
        queue = self._pool.free_block_queue
        unwanted, kept = divide(oldest_free(queue), self._cache.wanted, num)
        if not kept or not unwanted:
            return
        enough = len(unwanted) == num
        move, put = ((kept, queue.append_n) if enough
                     else (unwanted, queue.prepend_n))
        for block in move:
            queue.remove(block)
        put(move)
