# SPDX-License-Identifier: Apache-2.0
"""Prompts that have begun may pause: they stand in the walk with those that wait.

vLLM serves what has begun before all that waits. Here a prompt whose prefill is
not over leaves `running` for the time of one schedule(), keeps its blocks, and
stands in the queue. Its status is then PREEMPTED, with which vLLM's loop takes it
up again where it was. After schedule() it is in its old place in `running`,
whether it was served or not. So nobody but schedule() ever sees it outside, and
workers are told of it as of any running request.
"""

from vllm.v1.core.sched.interface import PauseState
from vllm.v1.core.sched.request_queue import SchedulingPolicy
from vllm.v1.core.single_type_kv_cache_manager import FullAttentionManager
from vllm.v1.engine import EngineCoreEventType
from vllm.v1.request import RequestStatus


def why_not(scheduler):
    """Why prompts cannot pause in this scheduler, in words, or None."""
    managers = scheduler.kv_cache_manager.coordinator.single_type_managers
    if len(managers) != 1 or not isinstance(managers[0], FullAttentionManager):
        return "the model's layers are not one group of full attention"
    if not scheduler.scheduler_config.enable_chunked_prefill:
        return "chunked prefill is off"
    if scheduler.connector is not None or (
        scheduler.aux_output_connector is not None
    ):
        return "a connector follows the requests"
    return None


def blocks_for(tokens, size):
    return -(-tokens // size)


class Pauses:
    """Takes begun prompts out of `running` for a step, and puts them back."""

    def __init__(self, scheduler):
        self._scheduler = scheduler
        manager = scheduler.kv_cache_manager
        self._manager = manager
        self._pool = manager.block_pool
        self._kind = manager.coordinator.single_type_managers[0]
        #: Those that were taken out, and how many blocks they had.
        self._out: dict = {}
        #: What `running` was then.
        self._before: list = []
        #: Blocks that a request of this priority may take; None: not known.
        self._room: int | None = None
        self._room_for = 0
        self._tiers = scheduler.policy == SchedulingPolicy.PRIORITY

    # A step.

    def begin(self, queue, throttled):
        """Before schedule(): whom may it find in the queue?"""
        self._room = None
        out = set() if throttled else self._who_may_pause()
        # Alone it gets the same in `running`.
        if len(out) + len(queue) > 1 and self._memory_suffices(out):
            self._take_out(out)
        # While they are RUNNING, as the queue takes others for preempted.
        queue.put_back(self._out)
        for request in self._out:
            request.status = RequestStatus.PREEMPTED

    def _who_may_pause(self):
        s = self._scheduler
        # What holds blocks and waits goes before the queue, and would get
        # the place of one that was taken out.
        if s.kv_holding_waiting or s._pause_state != PauseState.UNPAUSED:
            return set()
        return {r for r in s._inflight_prefills if self._may_pause(r)}

    def _take_out(self, out):
        s = self._scheduler
        self._before = s.running
        s.running = [r for r in self._before if r not in out]
        for request in self._before:
            if request in out:
                self._out[request] = len(self._blocks_of(request))

    def end(self, queue):
        """After schedule(), whatever it did."""
        if not self._out:
            return
        queue.end_walk()
        s = self._scheduler
        ran = set(s.running)
        for request in self._out:
            if request.status == RequestStatus.PREEMPTED:
                request.status = RequestStatus.RUNNING
            elif s.log_stats:
                self._unsay_start(request)
        known = set(self._before)
        s.running = [
            *(r for r in self._before if r in ran or r in self._out),
            *(r for r in s.running if r not in known),
        ]
        self._out = {}
        if s.prefill_capacity_bound:
            # vLLM took those that it did not reach for waiting ones.
            waiting = s.get_request_counts()[1]
            s.prefill_capacity_bound = waiting > len(s.deferred_waiting)

    @staticmethod
    def _unsay_start(request):
        """Its first start was told already."""
        if request.events and (
            request.events[-1].type == EngineCoreEventType.SCHEDULED
        ):
            request.events.pop()

    def _may_pause(self, request):
        s = self._scheduler
        left = request.num_tokens - request.num_computed_tokens
        return (
            request.status == RequestStatus.RUNNING
            # With drafts vLLM pads a last token that it takes up again.
            and left > (1 if s.num_spec_tokens else 0)
            and not request.num_output_placeholders
            and not request.num_stale_output_tokens
            and not request.has_encoder_inputs
            and not request.resumable
            and request.lora_request is None
        )

    # Memory.

    def _blocks_of(self, request):
        return self._kind.req_to_blocks.get(request.request_id, ())

    def _free(self, priority=None):
        """Blocks that are free and not needed by prompts that have begun.

        With tiers those of a later one than priority keep nothing from it.
        """
        s = self._scheduler
        needed = sum(
            s._request_remaining_blocks(r) for r in s._inflight_prefills
            if priority is None or not self._tiers or r.priority <= priority)
        free = self._pool.get_num_free_blocks()
        return free - needed - self._manager.watermark_blocks

    def _memory_suffices(self, out):
        """Can all that runs go on in this step, and all that has begun end?

        When not, vLLM preempts, and must see those that have begun.
        """
        s = self._scheduler
        size = self._kind.block_size
        free = self._free()
        ahead = 1 + s.num_spec_tokens + s.num_lookahead_tokens
        if len(s.running) * blocks_for(ahead, size) <= free:
            return True
        need = 0
        for request in s.running:
            if request in out:
                continue
            tokens = (request.num_tokens_with_spec
                      + request.num_output_placeholders
                      + s.num_lookahead_tokens)
            held = len(self._blocks_of(request))
            need += max(0, blocks_for(tokens, size) - held)
        return need <= free

    def may_start(self, request):
        """Is there a place and room for all of it beside those that have begun?"""
        s = self._scheduler
        if not s._inflight_prefills:
            return True
        paused = sum(r.status == RequestStatus.PREEMPTED for r in self._out)
        if (len(s.running) + paused + s.num_waiting_for_streaming_input
                >= s.max_num_active_reqs):
            return False
        # One more, as it may share a part of a block.
        most = 1 + blocks_for(request.num_tokens + s.num_lookahead_tokens,
                              self._kind.block_size)
        if (self._room is None or most > self._room
                or request.priority != self._room_for):
            self._room_for = request.priority
            self._room = self._free(request.priority)
        if most > self._room:
            most = self._exact_need(request)
        if most > self._room:
            return False
        self._room -= most
        return True

    def _exact_need(self, request):
        """Blocks that it takes from the free ones; looks its hit up."""
        coordinator = self._manager.coordinator
        blocks, hit = self._manager.empty_kv_cache_blocks.blocks, 0
        if self._manager.prefix_cache_lookup_enabled(request):
            blocks, hit, _ = coordinator.find_longest_cache_hit(
                request.block_hashes, request.num_tokens - 1)
        tokens = min(request.num_tokens, self._scheduler.max_model_len)
        return coordinator.get_num_blocks_to_allocate(
            request_id=request.request_id,
            num_tokens=tokens,
            new_computed_blocks=blocks,
            num_encoder_tokens=0,
            total_computed_tokens=hit,
            num_local_computed_tokens=hit,
            num_tokens_main_model=tokens,
            apply_admission_cap=True,
            prefill_end=max(request.num_prompt_tokens, request.num_tokens - 1),
        )

    # What workers are told.

    def is_paused(self, request):
        return request in self._out

    def as_running(self, running, resumed, blocks):
        """Those that were put back count as running, with their new blocks."""
        served = [r for r in self._out if r.status == RequestStatus.RUNNING]
        for request in served:
            before = self._out[request]
            groups = blocks[request.request_id].blocks
            blocks[request.request_id] = self._manager.create_kv_cache_blocks(
                tuple(group[before:] for group in groups))
        return [*running, *served], [r for r in resumed if r not in self._out]

    def without(self, new):
        """vLLM's newer runner takes the resumed for new: not those."""
        names = {r.request_id for r in self._out}
        return [n for n in new if n.req_id not in names]
