# SPDX-License-Identifier: Apache-2.0
"""Fairway's order mode: which waiting prompt an engine computes next.

>>> import fairway
>>> order = fairway.Order()
>>> order.add("a long miss", 6000, 0)
>>> order.add("a hit", 6300, 1, None, 6000)
>>> order.begin(10)
>>> order.peek()
'a hit'

`Cache` lets an order find hits by itself; `fairway.vllm` is a scheduler for
vLLM that does so. One thread at a time uses an order and its cache.
"""

from fairway._core import Cache, Order, device_names

__all__ = ["Cache", "Order", "device_names"]
