# SPDX-License-Identifier: Apache-2.0
"""A record of decisions: one line of JSON for each request that was released.

A line has what Order.explain() says, the time and the request's id. The file
begins anew when it is full; the one before it is kept as NAME.1.
"""

import contextlib
import json
import logging
import os
import time

log = logging.getLogger("vllm.fairway")

#: Bytes of one of the two files.
MOST_BYTES = 64 << 20


class Record:
    """Appends to a file, until that fails: no order depends on it."""

    def __init__(self, path, most_bytes=MOST_BYTES):
        self._path, self._most = path, most_bytes
        self._file = self._open()

    def _open(self):
        # By line, since vLLM ends its processes without notice.
        return open(self._path, "a", buffering=1, encoding="utf-8")

    def _turn(self):
        self._file.close()
        os.replace(self._path, f"{self._path}.1")
        self._file = self._open()

    def released(self, name, why):
        if self._file is None:
            return
        line = json.dumps({"time": time.time(), "request": name} | why) + "\n"
        try:
            if self._file.tell() + len(line) > self._most:
                self._turn()
            self._file.write(line)
        except OSError as error:
            self.close()
            log.warning("fairway: %s; decisions are recorded no more", error)

    def close(self):
        file, self._file = self._file, None
        with contextlib.suppress(OSError):
            if file is not None:
                file.close()
