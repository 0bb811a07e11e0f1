# SPDX-License-Identifier: Apache-2.0
"""Where Fairway enters vLLM: what vLLM makes in the place of its scheduler.

Once vLLM has made it, its queue of waiting requests is replaced, and what
cache.py and protect.py replace in its block pool.
"""

import logging
import time

from fairway import Order
from fairway.vllm import measure
from fairway.vllm.cache import coarse_reason, facts_of, make_cache
from fairway.vllm.figures import Figures
from fairway.vllm.observe import Recorder
from fairway.vllm.pause import Pauses, why_not
from fairway.vllm.protect import Protection
from fairway.vllm.queue import Queue
from fairway.vllm.record import Record
from fairway.vllm.settings import Settings
from fairway.vllm.tenants import tenant_of
from fairway.vllm.trial import Trial
from fairway.vllm.watch import Observer

import vllm
from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.request_queue import RequestQueue, SchedulingPolicy
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.request import RequestStatus

log = logging.getLogger("vllm.fairway")

#: Versions whose own tests pass with Fairway in their scheduler, and others
#: that were only read: they have the same insides where Fairway enters.
TRIED = ((0, 31), (0, 32))
READ = ((0, 33),)


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
    fairway_record = None
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
        log.info("fairway: %s", settings.summary())
        if settings.mode in ("on", "trial"):
            self._replace_queue(settings)
        if settings.mode == "observe":
            recorder = Recorder(
                settings.observe_dir,
                self.kv_cache_manager.block_pool.hash_block_size,
                self._pool_tokens())
            log.info("fairway: writes %s and %s", recorder.log, recorder.trace)
            self.fairway_observer = Observer(self, settings, recorder)
        if settings.mode == "trial":
            self._begin_trial(settings)

    def _pool_tokens(self):
        """Tokens that the cache holds; 0 where groups share the blocks."""
        groups = self.kv_cache_config.kv_cache_groups
        blocks = self.kv_cache_manager.block_pool.num_gpu_blocks
        return blocks * self.block_size if len(groups) == 1 else 0

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
        names = (model.model, model.dtype, measure.device_name(),
                 self.vllm_config.parallel_config.world_size)
        path = measure.place(settings.table_dir, names)
        if path is not None:
            self.fairway_table = measure.load(path)
        if self.fairway_table is not None:
            return

        def found(table):
            self.fairway_table = table
            if path is not None:
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
        if settings.record:
            self.fairway_record = record = Record(settings.record)
            self.waiting.released = lambda request, why: record.released(
                request.request_id, why)
        self.fairway_figures = Figures(
            self.waiting.stats,
            lambda line: log.info("fairway: %s", line),
            settings.log_interval)

    def schedule(self, throttle_prefills=False):
        if self.fairway is None:
            output = super().schedule(throttle_prefills)
        else:
            output = self._schedule_by_order(throttle_prefills)
            self._count_starts(output.scheduled_new_reqs)
        if self.fairway_observer is not None:
            self.fairway_observer.scheduled(output)
        if self.fairway_measure is not None and not self.fairway_measure.done:
            self.fairway_measure.scheduled(
                id(output), measure.chunks_of(self, output))
        return output

    def _count_starts(self, new):
        now = time.time()
        for start in new:
            request = self.requests[start.req_id]
            self.fairway_figures.started(
                now - request.arrival_time, start.num_computed_tokens,
                request.num_tokens)

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
        if self.fairway_record is not None:
            self.fairway_record.close()
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
