# SPDX-License-Identifier: Apache-2.0
"""When requests start and give a first token, as vLLM's steps show it."""

import logging
import time

from vllm.v1.request import RequestStatus

log = logging.getLogger("vllm.fairway")


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
