# SPDX-License-Identifier: Apache-2.0
"""pytest -p vllm_swap: vLLM's own tests get Fairway's schedulers."""

import vllm.v1.core.sched.async_scheduler as async_scheduler
import vllm.v1.core.sched.scheduler as scheduler

from fairway.vllm import seam

scheduler.Scheduler = seam.SyncScheduler
async_scheduler.AsyncScheduler = seam.AsyncFairScheduler
