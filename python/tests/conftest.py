# SPDX-License-Identifier: Apache-2.0
"""What all tests in vLLM have in common."""

import os
import time

import pytest

# Its asserts say what they compared, as those of tests do.
pytest.register_assert_rewrite("pause_world")
# One seed for all files, which pytest shows where a test fails.
os.environ["FAIRWAY_SEED"] = os.environ.get("FAIRWAY_SEED") or str(
    int(time.time()))


@pytest.fixture(autouse=True)
def _seed_is_printed():
    print(f"FAIRWAY_SEED={os.environ['FAIRWAY_SEED']}")


@pytest.fixture(autouse=True)
def _no_table(monkeypatch):
    """No test leaves a table in the user's cache, or finds one there."""
    monkeypatch.setenv("FAIRWAY_TABLE_DIR", "")
