# SPDX-License-Identifier: Apache-2.0
"""What an operator can set, where it comes from, and what it defaults to."""

import math
import os
from dataclasses import dataclass, field, fields
from typing import get_args

from fairway import Order, device_names
from fairway.vllm.tenants import SOURCES, number_of

#: What each order is made of.
ORDERS = {
    # The paper's: reuse plus relative wait, merged with the order of arrival.
    "paper": {"fast": "score"},
    # The shortest remaining prefill first, in the place of the score.
    "rest": {"fast": "rest"},
    # The same, and a prompt that has begun may pause.
    "srpf": {"fast": "rest"},
    # Order of arrival, through the same queue: to compare with.
    "fcfs": {"fair_lane": False, "wait_constant": 1e-9},
}
#: Those whose prompts pause unless that is set off.
PAUSING = ("srpf",)
MODES = ("on", "observe", "trial", "off")
#: Takes the place of prefill times that are not known yet.
SOME_TABLE = [[1, 1.0]]
#: Settings that no variable can hold.
ROWS = ("table", "tenant_weights")
#: How a value of each type is called.
WORDS = {bool: "true or false", int: "a whole number", float: "a number",
         str: "text", list: "a list", dict: "an object"}


@dataclass
class Settings:
    """Settings of `--additional-config '{"fairway": {...}}'`.

    Each may also be given as an environment variable, FAIRWAY_ORDER and so
    on; what stands in the configuration goes before it.
    """

    #: "on"; "observe" leaves vLLM's order and writes a trace; "trial" takes
    #: both orders by turns and says what differs; "off".
    mode: str = "on"
    #: One of ORDERS.
    order: str = "paper"
    #: Share of its wait in order of arrival that a request may wait longer;
    #: 0 for no guard.
    guard: float = 0.5
    #: Do prompts that have begun stand in the order, and pause where others
    #: come first? None for what the order says.
    pause: bool | None = None
    #: What a token of the fast lane is charged, in tokens of the fair lane.
    weight: float = 4.0
    #: Do the ledgers outlive a step? off, on or long.
    carry: str = "off"
    #: Prefill times that make one unit of wait, and the least unit in seconds.
    multiplier: float = 3.0
    floor: float = 1.0
    #: Device with built-in prefill times, see fairway.device_names(). Without
    #: it and without a table the first steps are measured.
    device: str | None = None
    #: Or an own table: rows of tokens and seconds, both rising.
    table: list | None = field(default=None)
    #: Where what was measured is kept, by model and device; "" for nowhere.
    table_dir: str = "~/.cache/fairway"
    #: Hits that a step moves at most; 0 for all.
    max_moved: int = 32
    #: Are blocks that waiting requests would hit evicted last?
    protect: bool = False
    #: Does a preempted request go ahead of the order, as in vLLM's own?
    preempted_first: bool = True
    #: Whose a request is, for an order that is fair between tenants: "none",
    #: or what names the tenant, see tenants.SOURCES.
    tenant: str = "none"
    #: Shares of tenants by name, from 0.01 to 1000; others have 1.
    tenant_weights: dict | None = field(default=None)
    #: Serve in vLLM's own order where Fairway cannot, instead of refusing.
    fallback: bool = False
    #: Serve versions of vLLM too whose own tests were not run.
    untried: bool = False
    #: Where mode=observe writes; a folder.
    observe_dir: str = "."
    #: File that gets a line for each request that is released; "" for none.
    record: str = ""
    #: For mode=trial: seconds of one order, and of those at its begin the ones
    #: that do not count.
    trial_block: float = 600.0
    trial_washout: float = 120.0
    #: Seconds between two lines in the log; 0 for none.
    log_interval: float = 60.0

    def __post_init__(self):
        for known in fields(self):
            _check_type(known.name, known.type, getattr(self, known.name))
        _check(self.mode in MODES, f"mode is one of {', '.join(MODES)}")
        _check(self.order in ORDERS, f"order is one of {', '.join(ORDERS)}")
        _check(not self.pause or self.order != "fcfs",
               "nothing pauses in order of arrival")
        _check(0 <= self.guard <= 1000, "guard is a share from 0 to 1000")
        _check(self.tenant in ("none", *SOURCES),
               f"tenant is none, {', '.join(SOURCES)}")
        _check(not self.protect or self.order != "fcfs",
               "protect needs hits, and order fcfs has none")
        _check_weights(self.tenant, self.tenant_weights)
        _check(self.device in (None, *device_names()),
               f"device is one of {', '.join(device_names())}")
        _check(0 <= self.max_moved < 1 << 32, "max_moved is from 0 to 2**32 - 1")
        _check(0 <= self.trial_washout < self.trial_block,
               "trial_washout is shorter than trial_block")
        _check(self.mode != "trial" or self.order != "fcfs",
               "a trial compares with fcfs; order is another one")
        _check(os.path.isdir(self.observe_dir),
               f"no folder {self.observe_dir} for observe_dir")
        _check(not self.record or os.path.isdir(
            os.path.dirname(os.path.abspath(self.record))),
            f"no folder for record {self.record}")
        _check(self.log_interval >= 0, "log_interval is 0 or more")
        self._check_order()

    def _check_order(self):
        """Now, since an order with what was measured is made while serving."""
        known = SOME_TABLE if self.measures else None
        try:
            Order(**self.order_settings(1, table=known))
        except (TypeError, ValueError) as error:
            raise ValueError(f"fairway: {error}") from None

    @classmethod
    def read(cls, given, environ=None):
        """From a dict, and from variables FAIRWAY_NAME for what it lacks."""
        environ = os.environ if environ is None else environ
        _check(isinstance(given, dict),
               f"settings are an object, not {given!r:.40}")
        known = {f.name: f for f in fields(cls)}
        unknown = sorted(set(given) - set(known))
        _check(not unknown, f"no setting is named {', '.join(unknown)}")
        values = {}
        for name in known:
            text = environ.get("FAIRWAY_" + name.upper())
            if name in given:
                values[name] = given[name]
            elif text is not None:
                _check(name not in ROWS,
                       f"{name} can be set by --additional-config only")
                values[name] = _from_text(name, text, getattr(cls, name))
        return cls(**values)

    def summary(self):
        """Mode and order, and what else is not as by default, in a line."""
        parts = [f"mode={self.mode}"]
        if self.mode in ("on", "trial"):
            parts.append(f"order={self.order}")
        for known in fields(self):
            value = getattr(self, known.name)
            if known.name not in ("mode", "order") and value != known.default:
                shown = "given" if known.name in ROWS else value
                parts.append(f"{known.name}={shown}")
        return " ".join(parts)

    @property
    def measures(self):
        """Are prefill times neither given nor named?"""
        return self.device is None and self.table is None

    def pauses(self, order=None):
        """Do prompts pause under this order, or another?"""
        order = order or self.order
        if self.pause is None or order == "fcfs":
            return order in PAUSING
        return self.pause

    def order_settings(self, budget, order=None, table=None):
        """Keywords of fairway.Order, for this order or another.

        table is what was measured. A guard predicts when requests would end,
        so there is none before prefill times are known: by those of another
        device all would be late, and served by arrival.
        """
        known = table or not self.measures
        order = order or self.order
        chosen = dict(ORDERS[order])
        if order == "fcfs":
            return chosen | {"budget": budget}
        return chosen | {
            "budget": budget,
            "guard": self.guard if known else 0.0,
            "weight": self.weight,
            "carry": self.carry,
            "multiplier": self.multiplier,
            "floor": self.floor,
            "device": self.device,
            "table": table or self.table,
        } | self.tenant_settings()

    def tenant_settings(self):
        """Those of the keywords that make an order fair between tenants."""
        if self.tenant == "none":
            return {}
        weights = self.tenant_weights or {}
        return {
            "by_tenant": True,
            "tenant_weights": {number_of(n): w for n, w in weights.items()},
        }


def _check(holds, message):
    if not holds:
        raise ValueError(f"fairway: {message}")


def _check_type(name, kind, value):
    kinds = get_args(kind) or (kind,)
    also = (int,) if float in kinds else (tuple,) if list in kinds else ()
    # In Python true is a number as well, and NaN is one.
    holds = isinstance(value, kinds + also) and (
        bool in kinds or not isinstance(value, bool)) and (
        not isinstance(value, float) or math.isfinite(value))
    _check(holds, f"{name} is {WORDS[kinds[0]]}, not {value!r:.40}")


def _check_weights(tenant, weights):
    if weights is None:
        return
    _check(tenant != "none", "tenant_weights say something with tenant only")
    _check(
        all(isinstance(w, (int, float)) and 0.01 <= w <= 1000
            for w in weights.values()),
        "tenant_weights are weights from 0.01 to 1000 by name")


def _from_text(name, text, default):
    """A variable's value, of the type that the default has."""
    if isinstance(default, bool) or name == "pause":
        _check(text in ("0", "1"), f"FAIRWAY_{name.upper()} is 0 or 1")
        return text == "1"
    if not isinstance(default, (int, float)):
        return text
    try:
        return type(default)(text)
    except ValueError:
        raise ValueError(
            f"fairway: FAIRWAY_{name.upper()} is a number, not '{text}'"
        ) from None
