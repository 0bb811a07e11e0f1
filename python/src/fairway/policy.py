# SPDX-License-Identifier: Apache-2.0
"""A policy in Python, for quick trials: `fairway sim --policy fcfs,./mine.py`.

The file has a class `Policy`. Whoever waits gets a number from its `key`, and
the smallest goes first; of equal ones the oldest.

    class Policy:
        every_step = False      # True where keys change with time

        def __init__(self, node, flags): ...
        def key(self, waiter, now): return waiter.len - waiter.hit
        def admitted(self, waiter, tokens): ...

`__init__` and `admitted` may be left out. `node` has `budget`, `block_tokens`
and `prefill(tokens)` in seconds, a waiter has `id`, `arrival`, `len` and `hit`;
fairway/policy.h tells what they mean. `flags` is what follows the first colon
behind the file's name. The command runs this module, once for each run.
"""

import os
import runpy
import select
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from typing import Any, NamedTuple

ASK = struct.Struct("=IIQdIId")
ANSWER = struct.Struct("=IId")
KEY, ADMITTED = 0, 1
VALUE, PREFILL, BROKE = 0, 1, 2
#: Seconds that the process has to end by itself, once the command is done.
GRACE_S = 2.0


class Waiter(NamedTuple):
    """A request that waits."""

    id: int
    arrival: float
    len: int
    hit: int


class Channel:
    """The socket to the command."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def read(self) -> "tuple[Any, ...] | None":
        data = self._sock.recv(ASK.size, socket.MSG_WAITALL)
        return ASK.unpack(data) if len(data) == ASK.size else None

    def answer(self, kind: int, length: int = 0, value: float = 0.0,
               text: bytes = b"") -> None:
        self._sock.sendall(ANSWER.pack(kind, length, value) + text)


class Node:
    """The node that a policy serves."""

    def __init__(self, channel: Channel, budget: int, block_tokens: int) -> None:
        self._channel = channel
        self.budget = budget
        self.block_tokens = block_tokens

    def prefill(self, tokens: int) -> float:
        """Seconds that the idle device takes for a prompt of so many tokens."""
        self._channel.answer(PREFILL, tokens)
        ask = self._channel.read()
        if ask is None:
            raise BrokenPipeError
        return ask[-1]


def load(path: str) -> Any:
    found = runpy.run_path(path).get("Policy")
    if not callable(getattr(found, "key", None)):
        raise TypeError("expected a class Policy with a method key")
    return found


def make(cls: Any, node: Node, flags: str) -> Any:
    if cls.__init__ is not object.__init__:
        return cls(node, flags)
    if flags:
        raise ValueError(f"takes no flags, has '{flags}'")
    return cls()


def number(key: Any) -> float:
    if isinstance(key, (int, float)):
        return float(key)
    raise TypeError(f"key() gave {key!r:.40}, expected a number")


def serve(channel: Channel, policy: Any) -> None:
    admitted = getattr(policy, "admitted", lambda waiter, tokens: None)
    while (ask := channel.read()) is not None:
        kind, tokens, *waiter, now = ask
        if kind == KEY:
            channel.answer(VALUE, 0, number(policy.key(Waiter(*waiter), now)))
        else:
            admitted(Waiter(*waiter), tokens)
            channel.answer(VALUE)


def reason(error: BaseException, path: str) -> str:
    """What broke and where in the file, in a line."""
    frames = [f for f in traceback.extract_tb(error.__traceback__)
              if f.filename == path]
    line = getattr(error, "lineno", None) or (frames and frames[-1].lineno)
    where = f"line {line}: " if line else ""
    words = " ".join(str(error).split())
    return f"{where}{type(error).__name__}: {words}"


def take_socket() -> socket.socket:
    """The socket, which was standard input.

    The file, and what it starts, finds nothing there. A fork of it does not keep
    the socket open, as the command waits for its end.
    """
    sock = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.register_at_fork(after_in_child=sock.close)
    return sock


def end_with(sock: socket.socket) -> None:
    """The process does not outlive the command, whatever the file does."""
    poll = select.poll()
    poll.register(sock, 0)
    poll.poll()
    time.sleep(GRACE_S)
    os._exit(1)


def main(name: str, budget: str, block_tokens: str) -> None:
    # The command ends this by closing its end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sock = take_socket()
    threading.Thread(target=end_with, args=(sock,), daemon=True).start()
    channel = Channel(sock)
    path, _, flags = name.partition(":")
    try:
        cls = load(path)
        if int(budget):
            node = Node(channel, int(budget), int(block_tokens))
            policy = make(cls, node, flags)
            channel.answer(VALUE)
            serve(channel, policy)
        else:
            channel.answer(VALUE, 0, float(getattr(cls, "every_step", False)))
    except (BrokenPipeError, ConnectionResetError):
        pass
    except BaseException as error:
        text = reason(error, path).encode(errors="replace")[:250]
        channel.answer(BROKE, len(text), 0.0, text)


if __name__ == "__main__":
    main(*sys.argv[1:])
