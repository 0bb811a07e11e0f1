# SPDX-License-Identifier: Apache-2.0
"""Fairway inside vLLM: `--scheduler-cls fairway.vllm.Scheduler`.

`Scheduler` is what vLLM calls to make its scheduler. It picks the form that
fits: vLLM decides on asynchronous scheduling without a look at the class.
Settings stand in `--additional-config '{"fairway": {...}}'`, see settings.py.
"""

from fairway.vllm.settings import Settings

__all__ = ["Scheduler", "Settings"]


def Scheduler(**kwargs):
    """A scheduler in Fairway's order for this configuration of vLLM."""
    from fairway.vllm import seam

    return seam.make(**kwargs)
