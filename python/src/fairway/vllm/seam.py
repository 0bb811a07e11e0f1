# SPDX-License-Identifier: Apache-2.0
"""Where Fairway enters vLLM: what knows vLLM's insides stands here, and in
pause.py.

Three things of a scheduler are replaced once vLLM has made it: its queue of
waiting requests; the block pool's map from hashes to blocks, by which the cache
hears of each block that comes or goes; and reset_prefix_cache() of the pool,
which makes a new map.
"""

import logging
import time

from fairway import Cache, Order
from fairway._core import BlockMap
from fairway.vllm import measure
from fairway.vllm.figures import Figures
from fairway.vllm.observe import Recorder
from fairway.vllm.pause import Pauses, why_not
from fairway.vllm.protect import divide
from fairway.vllm.queue import Queue
from fairway.vllm.settings import Settings
from fairway.vllm.tenants import tenant_of
from fairway.vllm.trial import Trial

import vllm
from vllm.v1.core.kv_cache_coordinator import UnitaryKVCacheCoordinator
from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.request_queue import RequestQueue, SchedulingPolicy
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.core.single_type_kv_cache_manager import FullAttentionManager
from vllm.v1.request import RequestStatus

log = logging.getLogger("vllm.fairway")

#: Versions whose own tests pass with Fairway in their scheduler, and others
#: that were only read: they have the same insides where Fairway enters.
TRIED = ((0, 31), (0, 32))
READ = ((0, 33),)
#: Bytes of a hash that can be a key.
HASH_SIZES = (16, 32)
#: Bytes behind the hash in a key of vLLM's map: the number of the group.
GROUP_BYTES = 4
#: A block may stand in the map under more than one hash.
KEYS_PER_BLOCK = 4


class VllmQueue(Queue, RequestQueue):
    """Queue by another name: vLLM wants a RequestQueue."""


def read_settings(vllm_config):
    given = getattr(vllm_config, "additional_config", None)
    given = given.get("fairway", {}) if isinstance(given, dict) else {}
    return Settings.read(given)


def what_is_missing(scheduler, settings):
    """Why Fairway cannot serve this scheduler, in words; None when it can."""
    version = tuple(vllm.__version_tuple__[:2])
    if version in READ and not settings.untried:
        return f"vLLM {vllm.__version__} was not tried; 'untried' allows it"
    if version not in TRIED + READ:
        return f"vLLM {vllm.__version__} is not one of 0.31 to 0.33"
    for name in ("waiting", "kv_holding_waiting", "deferred_waiting"):
        if not hasattr(scheduler, name):
            return f"vLLM's scheduler has no '{name}'"
    if scheduler.waiting or scheduler.kv_holding_waiting:
        return "requests wait already"
    return None


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


def prompts_under_way(scheduler, tenant=None):
    """(hit, left) of each prompt that runs and is not computed, for a guard.

    And its tenant, where there are tenants. One that was put back is not told
    of: it stands in the order.
    """
    def outside():
        pauses = scheduler.fairway_pauses
        for request in scheduler._inflight_prefills:
            if pauses is not None and pauses.is_paused(request):
                continue
            computed = request.num_computed_tokens
            left = request.num_tokens - computed
            if left > 0 and tenant is None:
                yield computed, left
            elif left > 0:
                yield computed, left, tenant(request)

    return outside


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


class Observer:
    """Tells a recorder, or a trial, of each request that gave a first token."""

    def __init__(self, scheduler, settings, recorder):
        self._scheduler = scheduler
        self._recorder = recorder
        #: Requests that started, when, and how much of them was cached.
        self._started: dict = {}
        self._interval = settings.log_interval
        self._due = time.monotonic() + self._interval

    def scheduled(self, output):
        now = time.time()
        for new in output.scheduled_new_reqs:
            request = self._scheduler.requests.get(new.req_id)
            if request is not None:
                # Before any of its chunks all that is computed was cached.
                self._started[request] = now, new.num_computed_tokens

    def updated(self):
        if self._started:
            self._first_tokens()
        if self._interval and time.monotonic() >= self._due:
            self._due = time.monotonic() + self._interval
            verdict = self._recorder.verdict()
            if verdict:
                log.info("fairway: %s", verdict)

    def _first_tokens(self):
        now = time.time()
        over = [r for r in self._started
                if r.num_output_tokens or RequestStatus.is_finished(r.status)]
        for request in over:
            start, cached = self._started.pop(request)
            # An abort before its first token says nothing of the queue.
            if request.num_output_tokens:
                self._recorder.served(
                    request.arrival_time, start, now,
                    request.num_prompt_tokens, cached, request.block_hashes)

    def close(self):
        self._recorder.flush()


class Mixin:
    """What both forms of vLLM's scheduler get."""

    # Of the class, as vLLM's tests make schedulers without __init__().
    fairway = None
    fairway_observer = None
    fairway_trial = None
    fairway_measure = None
    fairway_table = None
    fairway_tenant = None
    fairway_protection = None
    fairway_pauses = None
    _new_table = False

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._enter(kwargs.get("vllm_config") or args[0])

    def _enter(self, vllm_config):
        settings = read_settings(vllm_config)
        missing = what_is_missing(self, settings)
        if missing and not settings.fallback:
            raise RuntimeError(f"fairway: {missing}")
        if missing:
            log.warning("fairway: %s; vLLM's own order is used", missing)
            return
        if settings.mode in ("on", "trial"):
            self._replace_queue(settings)
        if settings.mode == "observe":
            recorder = Recorder(
                settings.observe_dir,
                self.kv_cache_manager.block_pool.hash_block_size)
            self.fairway_observer = Observer(self, settings, recorder)
        if settings.mode == "trial":
            self._begin_trial(settings)

    def _begin_trial(self, settings):
        trial = Trial(
            ("fcfs", settings.order), settings.trial_block,
            settings.trial_washout,
            lambda line: log.info("fairway: %s", line))
        self.fairway_trial = trial
        self._arm = settings.order
        self.fairway_observer = Observer(self, settings, trial)

    def _take_turns(self):
        """The order of the trial's block, if that is another one now."""
        arm = self.fairway_trial.arm()
        if arm != self._arm:
            self._arm = arm
            self.fairway.switch(*self._parts(arm))

    def _parts(self, order):
        """How to make an Order of this name, and what to tell it."""
        keywords = self.fairway_settings.order_settings(
            self.scheduler_config.max_num_batched_tokens, order,
            self.fairway_table)
        cache = None if order == "fcfs" else self.fairway_cache
        facts = facts_of(cache, self.fairway_tenant)
        self.fairway_pauses = self._made_pauses(order)
        may_start = self.fairway_pauses and self.fairway_pauses.may_start
        return lambda: Order(cache=cache, **keywords), facts, may_start

    def _made_pauses(self, order):
        """What lets prompts pause under this order, None where none does."""
        if not self.fairway_settings.pauses(order):
            return None
        reason = why_not(self)
        if tuple(vllm.__version_tuple__[:2]) not in TRIED:
            reason = f"vLLM {vllm.__version__} was not tried"
        if reason is None:
            return Pauses(self)
        log.warning("fairway: %s; no prompt pauses", reason)
        return None

    def _measure(self, settings):
        """Prefill times from a file, or from the steps that come."""
        model = self.vllm_config.model_config
        names = (model.model, model.dtype, device_name(),
                 self.vllm_config.parallel_config.world_size)
        path = measure.place(settings.table_dir, names)
        if settings.table_dir:
            self.fairway_table = measure.load(path)
        if self.fairway_table is not None:
            return

        def found(table):
            self.fairway_table = table
            if settings.table_dir:
                measure.keep(path, names, table)
            self._new_table = True

        self.fairway_measure = measure.Measure(found, time.monotonic)

    def _take_table(self):
        """Between two steps: the order goes by what was measured."""
        self._new_table = False
        log.info("fairway: measured %.1f s for a prompt of %d tokens",
                 self.fairway_table[5][1], self.fairway_table[5][0])
        order = self.fairway_settings.order
        if self.fairway_trial is not None:
            order = self._arm
        self.fairway.switch(*self._parts(order))

    def _replace_queue(self, settings):
        self.fairway_settings = settings
        if settings.tenant != "none":
            self.fairway_tenant = tenant_of(settings.tenant)
        if settings.measures and settings.order != "fcfs":
            self._measure(settings)
        self.fairway_cache = make_cache(self.kv_cache_manager, settings)
        if settings.protect and coarse_reason(self.kv_cache_manager) is None:
            self.fairway_protection = Protection(
                self.kv_cache_manager.block_pool, self.fairway_cache)
        guarded = settings.guard and hasattr(self, "_inflight_prefills")
        new_order, facts, may_start = self._parts(settings.order)
        self.waiting = self.fairway = VllmQueue(
            new_order,
            facts,
            RequestStatus.RUNNING,
            RequestStatus.PREEMPTED,
            outside=(prompts_under_way(self, self.fairway_tenant)
                     if guarded else None),
            tiers=self.policy == SchedulingPolicy.PRIORITY,
            preempted_first=settings.preempted_first,
            may_start=may_start,
        )
        self.fairway_figures = Figures(
            self.waiting.stats,
            lambda line: log.info("fairway: %s", line),
            settings.log_interval)

    def schedule(self, throttle_prefills=False):
        if self.fairway is None:
            output = super().schedule(throttle_prefills)
        else:
            output = self._schedule_by_order(throttle_prefills)
        if self.fairway_observer is not None:
            self.fairway_observer.scheduled(output)
        if self.fairway_measure is not None and not self.fairway_measure.done:
            self.fairway_measure.scheduled(id(output), chunks_of(self, output))
        return output

    def _schedule_by_order(self, throttled):
        queue = self.fairway
        queue.end_step()
        self.fairway_figures.step()
        if self._new_table:
            self._take_table()
        if self.fairway_trial is not None:
            self._take_turns()
        pauses = self.fairway_pauses
        if pauses is None:
            try:
                return super().schedule(throttled)
            finally:
                queue.end_step()
        pauses.begin(queue, throttled)
        try:
            output = super().schedule(throttled)
            output.scheduled_new_reqs = pauses.without(output.scheduled_new_reqs)
            return output
        finally:
            queue.end_step()
            pauses.end(queue)
            queue.forget_ended(self._inflight_prefills)

    # Names of parameters as vLLM's own, whose tests use them.
    def _make_cached_request_data(
        self, running_reqs, resumed_reqs, num_scheduled_tokens,
        spec_decode_tokens, req_to_new_blocks,
    ):
        if self.fairway_pauses is not None:
            running_reqs, resumed_reqs = self.fairway_pauses.as_running(
                running_reqs, resumed_reqs, req_to_new_blocks)
        return super()._make_cached_request_data(
            running_reqs, resumed_reqs, num_scheduled_tokens,
            spec_decode_tokens, req_to_new_blocks)

    def update_from_output(self, scheduler_output, *args, **kwargs):
        if self.fairway_measure is not None:
            self.fairway_measure.ended(id(scheduler_output))
        result = super().update_from_output(scheduler_output, *args, **kwargs)
        if self.fairway_observer is not None:
            self.fairway_observer.updated()
        return result

    def shutdown(self, *args, **kwargs):
        if self.fairway_observer is not None:
            self.fairway_observer.close()
        return super().shutdown(*args, **kwargs)


class SyncScheduler(Mixin, Scheduler):
    """vLLM's scheduler with Fairway's queue."""


class AsyncFairScheduler(Mixin, AsyncScheduler):
    """The same for asynchronous scheduling."""


def make(**kwargs):
    """The form that the configuration asks for."""
    config = kwargs["vllm_config"]
    if getattr(config, "diffusion_config", None) is not None:
        raise RuntimeError("fairway: diffusion models need their own scheduler")
    is_async = config.scheduler_config.async_scheduling
    form = AsyncFairScheduler if is_async else SyncScheduler
    return form(**kwargs)
