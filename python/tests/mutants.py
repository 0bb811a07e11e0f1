# SPDX-License-Identifier: Apache-2.0
"""Faults that the package's tests must find: `mutants.py TREE [vllm]`.

Each is put into a copy of the tree, one at a time, and a test must fail. vLLM's
own tests notice neither a skip that is charged nor most hits that are stale.
With `vllm` those faults that only the tests inside vLLM can find; it needs what
check_vllm.sh gives them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

QUEUE = "python/src/fairway/vllm/queue.py"
SEAM = "python/src/fairway/vllm/seam.py"
CACHE = "python/src/fairway/vllm/cache.py"
PAUSE = "python/src/fairway/vllm/pause.py"
MAP = "python/csrc/block_map.c"

#: name, file, what stands there, what stands there instead
MUTANTS = [
    ("skipped requests are dropped", QUEUE,
     "        for request in requests:\n            self.prepend_request(request)\n",
     "        del requests\n"),
    ("peek releases", QUEUE,
     "        self._head = request\n        return request\n",
     "        self._head = request\n"
     "        self._orders[self._tier[request]].admit()\n"
     "        return request\n"),
    ("a skip is charged", QUEUE,
     "            self._orders[self._tier[request]].skip()\n",
     "            tier = self._tier[request]\n"
     "            self._put(request)\n"),
    ("a parked request is offered again", QUEUE,
     "            if request is None or request not in self._parked:\n",
     "            if request is None or request:\n"),
    ("what was put aside for good stays", QUEUE,
     "        for request in list(self._parked):\n            self._take(request)\n",
     ""),
    ("a parked request is lost", QUEUE,
     "        self._parked.discard(request)\n        if request in self._front:\n",
     "        if request in self._front:\n"),
    ("an aborted request stays", QUEUE,
     "            if request in self._tier:\n                self._take(request)\n",
     "            if request in self._tier:\n                pass\n"),
    ("a pass goes on in the next step", QUEUE,
     "        for order in self._open:\n            order.end()\n"
     "        self._open.clear()\n        self._passing = False\n"
     "        self._head = None\n",
     "        self._head = None\n"),
    ("a preempted request is not read again", QUEUE,
     "        if request.resumable or request.status == self._preempted:\n",
     "        if request.resumable:\n"),
    ("peek forgets what it gave", QUEUE,
     "        if self._head is not None:\n            return self._head\n",
     "        self._restart()\n"),
    ("a session is not read again", QUEUE,
     "        for request in self._moving:\n            self._put(request)\n",
     ""),
    ("a paused prompt is lost", QUEUE,
     "        for request in self._unserved:\n            self._withdraw(request)\n",
     "        for request in self._unserved:\n"
     "            self._withdraw(request)\n"
     "            self._forget_begun(request)\n"),
    ("a paused prompt gets nothing of what is left", QUEUE,
     "        self._rest = deque(sorted(self._unserved, "
     "key=lambda r: r.arrival_time))\n",
     "        self._rest = deque()\n"),
    ("a paused prompt loses its place", QUEUE,
     "            self._begun[request] = tier\n",
     "            self._orders[tier].remove(request)\n"),
    ("a prompt that is put back is charged twice", QUEUE,
     "        tokens, *facts = self._facts(request)\n",
     "        tokens, *facts = self._facts(request)\n"
     "        facts[1] = facts[1] if before is None else 0\n"),
    ("the order forgets nobody who has begun", QUEUE,
     "            self._forget_begun(request)\n\n    def _forget_begun",
     "            pass\n\n    def _forget_begun"),
    ("a removed block is forgotten", MAP,
     "\ttell(self, key, FW_CACHE_ABSENT);\n", ""),
    ("a second copy takes a block away", MAP,
     "\tif ((block != Py_None && PyDict_DelItem(blocks, id)) ||\n",
     "\ttell(self, key, FW_CACHE_ABSENT);\n"
     "\tif ((block != Py_None && PyDict_DelItem(blocks, id)) ||\n"),
    ("another group's blocks count", MAP,
     "\tif (memcmp(bytes + size, self->group, GROUP_BYTES) ||\n\t    ",
     "\tif ("),
    ("the ledgers weigh wrong", "lib/queue/lanes_pass.c",
     "#define FAIR_CHARGE 1000\n", "#define FAIR_CHARGE 4000\n"),
    ("hits are stale", "lib/cache/hits.c",
     "\treturn fw_index_flush(&cache_of(source)->index, source->max_moved);\n",
     "\treturn source != NULL;\n"),
]
#: Those that show in vLLM's scheduler only.
VLLM_MUTANTS = [
    ("a reset of the cache is not heard of", CACHE,
     "            replace()\n            cache.clear()\n",
     "            replace()\n"),
    ("behind a reset blocks are not heard of", CACHE,
     "            replace()\n            cache.clear()\n",
     "            cache.clear()\n"),
    ("the block that EAGLE drops counts", CACHE,
     "dropped=1 if eagle else 0,", "dropped=0,"),
    ("who may not read the cache has a hit", CACHE,
     "        if cache is None or request.skip_reading_prefix_cache:\n",
     "        if cache is None:\n"),
    ("another group is watched", CACHE,
     "BlockMap(old._cache, cache, group)",
     "BlockMap(old._cache, cache, group + 1)"),
    ("hits come late", CACHE,
     "max_moved=settings.max_moved,", "max_moved=1,"),
    ("priorities are one tier", SEAM,
     "tiers=self.policy == SchedulingPolicy.PRIORITY,", "tiers=False,"),
    ("a preempted request goes first always", SEAM,
     "preempted_first=settings.preempted_first,", "preempted_first=True,"),
    ("the form is never asynchronous", SEAM,
     "form = AsyncFairScheduler if is_async else SyncScheduler",
     "form = SyncScheduler"),
    ("what was not tried is served", SEAM,
     "    if version in READ and not settings.untried:\n", "    if False:\n"),
    ("a skip is charged in vLLM", QUEUE,
     "            self._orders[self._tier[request]].skip()\n",
     "            self._put(request)\n"),
    ("a paused prompt is lost in vLLM", PAUSE,
     "*(r for r in self._before if r in ran or r in self._out)",
     "*(r for r in self._before if r in ran)"),
    ("a paused prompt comes back behind all others", PAUSE,
     "            *(r for r in self._before if r in ran or r in self._out),\n"
     "            *(r for r in s.running if r not in known),\n",
     "            *(r for r in self._before if r in ran),\n"
     "            *(r for r in s.running if r not in known),\n"
     "            *(r for r in self._out if r not in ran),\n"),
    ("a paused prompt stays preempted", PAUSE,
     "                request.status = RequestStatus.RUNNING\n            elif",
     "                pass\n            elif"),
    ("what a paused prompt computed is charged again", CACHE,
     "            return tokens, None, min(computed, tokens - 1)\n",
     "            return tokens, None, 0\n"),
    ("workers are told of all its blocks again", PAUSE,
     "group[before:]", "group[0:]"),
    ("the newer runner takes it for a new one", PAUSE,
     "return [n for n in new if n.req_id not in names]", "return new"),
    ("decodes find no victim among the begun", PAUSE,
     "        return need <= free\n", "        return True\n"),
    ("what has begun keeps no room", PAUSE,
     "        if most > self._room:\n            return False\n", ""),
    ("what has begun keeps no place", PAUSE,
     "                >= s.max_num_active_reqs):\n",
     "                >= 2 * s.max_num_active_reqs):\n"),
    ("what has begun is not served while nothing may start", PAUSE,
     "s.kv_holding_waiting or s._pause_state != PauseState.UNPAUSED",
     "s.kv_holding_waiting"),
    ("who stands in the walk goes before it too", SEAM,
     "            if pauses is not None and pauses.is_paused(request):\n"
     "                continue\n", ""),
    ("hits are stale in vLLM", "lib/cache/hits.c",
     "\treturn fw_index_flush(&cache_of(source)->index, source->max_moved);\n",
     "\treturn source != NULL;\n"),
]
TESTS = (["test_order.py"], ["test_calls.py"], ["test_queue.py"],
         ["test_settings.py"], ["test_walk.py"])
VLLM_TESTS = (["-m", "pytest", "-q", "-x", "--timeout", "200", "-p",
               "no:cacheprovider", "-W", "ignore", "test_vllm_order.py",
               "test_vllm.py", "test_pause.py"],)


def build(tree, out):
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build", "--force", "--build-base",
         f"{out}/base", "--build-lib", f"{out}/lib", "egg_info",
         "--egg-base", str(out)],
        cwd=tree / "python", check=True, capture_output=True,
        env=os.environ | {"CFLAGS": "-O0"})


def tests_pass(tree, out, tests):
    env = os.environ | {"PYTHONPATH": f"{out}/lib"}
    return all(
        subprocess.run([sys.executable, *words], cwd=tree / "python/tests",
                       env=env, capture_output=True, timeout=300
                       ).returncode == 0
        for words in tests)


def mutate(tree, out, tests, file, old, new):
    path = tree / file
    text = path.read_text()
    if text.count(old) != 1:
        return f"{file} does not have its text once"
    path.write_text(text.replace(old, new))
    try:
        if file.endswith(".py"):
            shutil.copy(path, out / "lib/fairway/vllm" / path.name)
        else:
            build(tree, out)
        return "no test fails" if tests_pass(tree, out, tests) else None
    except subprocess.TimeoutExpired:
        return None
    finally:
        path.write_text(text)
        if file.endswith(".py"):
            shutil.copy(path, out / "lib/fairway/vllm" / path.name)


def main(top, mutants, tests):
    failed = 0
    print(f"1..{len(mutants) + 1}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tree, out = Path(folder, "tree"), Path(folder, "out")
        for name in ("lib", "include", "python"):
            shutil.copytree(top / name, tree / name)
        # The sources of distcheck cannot be written to.
        for path in tree.rglob("*"):
            path.chmod(0o755)
        out.mkdir()
        build(tree, out)
        good = tests_pass(tree, out, tests)
        print(f"{'' if good else 'not '}ok 1 - without a fault all pass",
              flush=True)
        failed += not good
        for i, (name, *mutant) in enumerate(mutants, 2):
            wrong = mutate(tree, out, tests, *mutant)
            if wrong:
                failed += 1
                print(f"# {wrong}")
            print(f"{'not ' if wrong else ''}ok {i} - found: {name}",
                  flush=True)
    return failed > 0


if __name__ == "__main__":
    forms = {"": (MUTANTS, TESTS), "vllm": (VLLM_MUTANTS, VLLM_TESTS)}
    sys.exit(main(Path(sys.argv[1]).resolve(), *forms["".join(sys.argv[2:])]))
