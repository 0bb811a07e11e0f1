# SPDX-License-Identifier: Apache-2.0
"""Hits of waiting requests, from what vLLM's block pool stores and evicts.

The pool's map from hashes to blocks is replaced by one that tells a cache of
each block that comes or goes. reset_prefix_cache() of the pool makes a new map,
which is replaced too.
"""

import logging

from fairway import Cache
from fairway._core import BlockMap

from vllm.v1.core.kv_cache_coordinator import UnitaryKVCacheCoordinator
from vllm.v1.core.single_type_kv_cache_manager import FullAttentionManager

log = logging.getLogger("vllm.fairway")

#: Bytes of a hash that can be a key.
HASH_SIZES = (16, 32)
#: A block may stand in the map under more than one hash.
KEYS_PER_BLOCK = 4


def coarse_reason(manager):
    """Why hits cannot be known exactly, in words; None when they can."""
    coordinator = manager.coordinator
    if not manager.enable_caching:
        return "prefix caching is off"
    if not isinstance(coordinator, UnitaryKVCacheCoordinator):
        return "the model has several groups of layers"
    if not isinstance(coordinator.single_type_managers[0], FullAttentionManager):
        return "the model's attention is not full"
    pool_map = manager.block_pool.cached_block_hash_to_block
    if not all(hasattr(pool_map, n) for n in ("insert", "pop", "_cache")):
        return "vLLM's map of blocks is not as it was"
    return None


def full_attention_group(manager):
    """Number of the group whose hits bound those of the others, or None.

    Full attention is closed downward: what its group lacks, all lack.
    """
    managers = manager.coordinator.single_type_managers
    hash_tokens = manager.block_pool.hash_block_size
    for number, one in enumerate(managers):
        if isinstance(one, FullAttentionManager) and (
            getattr(one, "block_size", None) == hash_tokens
        ):
            return number
    return None


def hook_pool(pool, cache, group):
    """Let the cache hear of the pool's blocks, also after a reset."""
    def replace():
        old = pool.cached_block_hash_to_block
        pool.cached_block_hash_to_block = BlockMap(old._cache, cache, group)

    reset = pool.reset_prefix_cache

    def reset_prefix_cache(*args, **kwargs):
        before = pool.cached_block_hash_to_block
        done = reset(*args, **kwargs)
        if pool.cached_block_hash_to_block is not before:
            replace()
            cache.clear()
        return done

    replace()
    pool.reset_prefix_cache = reset_prefix_cache


def make_cache(manager, settings):
    """A cache that hears of the pool's blocks, or None where hits are unknown."""
    if settings.order == "fcfs" or not manager.enable_caching:
        return None
    reason = coarse_reason(manager)
    group = 0 if reason is None else full_attention_group(manager)
    if reason is not None:
        log.warning(
            "fairway: %s; hits are %s", reason,
            "not known" if group is None else "an upper bound",
        )
    if group is None:
        return None
    pool = manager.block_pool
    # In vLLM 0.33 a group that is flagged need not drop a block.
    coordinator = manager.coordinator
    eagle = group in getattr(coordinator, "drop_eagle_group_ids",
                             coordinator.eagle_group_ids)
    cache = Cache(
        block_tokens=pool.hash_block_size,
        max_blocks=pool.num_gpu_blocks * KEYS_PER_BLOCK + 1024,
        dropped=1 if eagle else 0,
        max_moved=settings.max_moved,
        demand=settings.protect,
    )
    hook_pool(pool, cache, group)
    if settings.protect and reason is not None:
        # Blocks of other groups would go first, and a hit needs them too.
        log.warning("fairway: %s; nothing is protected", reason)
    return cache


def facts_of(cache, tenant=None):
    """What the order is told of a request: (tokens, keys, hit), and its tenant."""
    def facts(request):
        tokens = max(request.num_tokens, 1)
        computed = request.num_computed_tokens
        if computed:
            return tokens, None, min(computed, tokens - 1)
        if cache is None or request.skip_reading_prefix_cache:
            return tokens, None, 0
        hashes = request.block_hashes
        if hashes and len(hashes[0]) not in HASH_SIZES:
            return tokens, None, 0
        return tokens, hashes, 0

    if tenant is None:
        return facts
    return lambda request: (*facts(request), tenant(request))
