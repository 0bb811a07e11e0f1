# SPDX-License-Identifier: Apache-2.0
"""What is installed orders two requests, and is imported in a moment."""

import subprocess
import sys

import fairway

#: Processor time of an import, which other programs hardly change.
MAX_SECONDS = 0.05
TIMED = """
import time
begin = time.process_time()
import fairway
print(time.process_time() - begin)
"""


def orders_two():
    order = fairway.Order()
    order.add("a long miss", 6000, 0)
    order.add("a hit", 6300, 1, None, 6000)
    order.begin(10)
    assert order.peek() == "a hit", order.peek()
    order.admit(300)
    assert order.peek() == "a long miss", order.peek()
    order.end()


def seconds_of_import():
    return min(float(subprocess.run([sys.executable, "-c", TIMED], check=True,
                                    capture_output=True, text=True).stdout)
               for _ in range(5))


if __name__ == "__main__":
    orders_two()
    seconds = seconds_of_import()
    print(f"{fairway.__file__}: imported in {1000 * seconds:.1f} ms")
    sys.exit(seconds > MAX_SECONDS)
