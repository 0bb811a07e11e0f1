# SPDX-License-Identifier: Apache-2.0
"""What calls of fairway.Order take and refuse, and the objects that it holds."""

import gc
import os
import random
import sys
import time
import unittest

import fairway
from fairway._core import BlockMap
from passes import BLOCK, TABLE, keys_of, run_pass

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
S = 1_000_000_000
NAN, INF = float("nan"), float("inf")


def whole_numbers(order):
    """Calls with one whole number, its name, and values out of its range."""
    small = (-1, 2**32, 2**40, 10**30)
    cache = fairway.Cache()
    return [
        (lambda x: fairway.Order(budget=x), "budget", (0, *small)),
        (lambda x: fairway.Order(table=[(x, 1.0)]), "tokens", small),
        (lambda x: fairway.Cache(block_tokens=x), "block_tokens", (0, *small)),
        (lambda x: fairway.Cache(max_blocks=x), "max_blocks", (0, *small)),
        (lambda x: fairway.Cache(dropped=x), "dropped", small),
        (lambda x: fairway.Cache(max_moved=x), "max_moved", small),
        (lambda x: BlockMap({}, cache, x), "group", small),
        (lambda x: order.add("b", x, 0), "length", small),
        (lambda x: order.add("b", 1, x), "arrival", (2**63, -(2**64))),
        (lambda x: order.add("b", 1, 0, None, x), "hit", small),
        (lambda x: order.set_hit("a", x), "hit", small),
        (lambda x: order.outside(x, 1), "hit", small),
        (lambda x: order.outside(1, x), "left", small),
        (lambda x: order.outside(1, 1, x), "tenant", (-1, 2**64)),
        (lambda x: order.add("b", 1, 0, None, 0, x), "tenant", (-1, 2**64)),
        (lambda x: order.begin(x), "now", (2**63,)),
        (lambda x: order.begin(0, x), "budget", small),
    ]


class Calls(unittest.TestCase):
    def test_calls_out_of_form_change_nothing(self):
        order = fairway.Order()
        order.add("a", 100, 0)
        for args in (("b", 0, 0), ("b", 2**32, 0), ("b", -1, 0),
                     ("b", 5, "x"), ("b", 5, 0, [b"short"]),
                     ("b", 5, 0, 7), ("b",), ("a", 0, 0)):
            with self.assertRaises((ValueError, OverflowError, TypeError)):
                order.add(*args)
            self.assertEqual(len(order), 1)
        for call in (order.admit, order.skip, order.end):
            self.assertRaises(LookupError, call)
        order.begin(0)
        self.assertRaises(RuntimeError, order.begin, 0)
        self.assertEqual(order.peek(), "a")
        order.end()
        for bad in ({"guard": -1}, {"carry": "x"}, {"device": "none"},
                    {"table": [(1, 1.0), (1, 2.0)]}, {"cache": 1},
                    {"weight": float("nan")}):
            with self.assertRaises((ValueError, TypeError)):
                fairway.Order(**bad)

    def test_a_number_out_of_range_or_none_is_refused_and_named(self):
        order = fairway.Order()
        order.add("a", 100, 0)
        for call, name, values in whole_numbers(order):
            for value in values:
                with self.assertRaisesRegex(ValueError, name, msg=value):
                    call(value)
            for value in (1.5, "1", None, b"1"):
                with self.assertRaisesRegex(TypeError, name, msg=value):
                    call(value)
        self.assertEqual(len(order), 1)
        order.begin(0)
        order.admit()
        self.assertRaisesRegex(ValueError, "tokens", order.admit, -1)
        for name, values in (("weight", (-1, 0, 0.0004, NAN, INF, 5e6)),
                             ("guard", (-1, 0.0004, NAN, INF, 5e6)),
                             ("multiplier", (-1, 0, NAN)),
                             ("floor", (-1, 0, NAN)), ("table", ([],))):
            for value in values:
                with self.assertRaisesRegex(ValueError, name, msg=value):
                    fairway.Order(**{name: value})
        # What the library refuses has no name, and is an error all the same.
        for bad in ({"multiplier": INF}, {"floor": INF}, {"floor": 1e-12},
                    {"wait_constant": -1}, {"wait_constant": NAN},
                    {"table": [(1, NAN)]}, {"table": [(1, -1.0)]},
                    {"table": [(1, INF)]}, {"table": [(0, 1.0), (0, 2.0)]}):
            with self.assertRaises(ValueError, msg=bad):
                fairway.Order(**bad)

    def test_objects_are_told_apart_by_identity_and_let_go(self):
        class Same:
            def __eq__(self, other):
                raise AssertionError("not asked")

            __hash__ = None

        order = fairway.Order(cache=fairway.Cache())
        objects = [Same() for _ in range(100)]
        counts = [sys.getrefcount(o) for o in objects]
        order.add_many([(o, 100, i, [bytes([i]) * 32])
                        for i, o in enumerate(objects)])
        self.assertEqual(order.remove_many(objects[:30]), 30)
        self.assertFalse(order.remove(objects[0]))
        order.begin(0)
        for _ in range(30):
            order.peek()
            order.admit()
        order.end()
        self.assertEqual(len(order), 40)
        del order
        gc.collect()
        self.assertEqual([sys.getrefcount(o) for o in objects], counts)

    def test_code_that_a_call_runs_may_not_change_the_order_under_it(self):
        order = fairway.Order()
        order.add("a", 10, 0)
        rows = []

        class Number:
            def __index__(self):
                order.remove("a")
                rows.clear()
                return 5

        rows += [("a", 20, Number()), ("b", 10, 1)]
        with self.assertRaises(TypeError):
            order.add("a", 20, Number())
        with self.assertRaises(TypeError):
            order.add_many(rows)
        self.assertEqual((len(order), len(rows)), (1, 2))

    def test_a_destructor_may_take_the_last_admission_back(self):
        order = fairway.Order()

        class Object:
            def __del__(self):
                order.skip()

        order.add(Object(), 10, 0)
        order.add("a", 10, 1)
        order.add("b", 10, 2)
        order.begin(100)
        order.admit(1)
        # The object goes here, and "a" comes back.
        order.admit(1)
        self.assertEqual(len(order), 2)
        order.end()
        self.assertEqual([name for name, *_ in run_pass(order, 200)],
                         ["a", "b"])

    def test_a_circle_through_an_order_is_collected(self):
        class Node:
            alive = 0

            def __init__(self):
                Node.alive += 1

            def __del__(self):
                Node.alive -= 1

        node = Node()
        node.order = fairway.Order()
        node.order.add(node, 5, 0)
        del node
        gc.collect()
        self.assertEqual(Node.alive, 0)

    def test_unwanted_blocks_come_first(self):
        cache = fairway.Cache(block_tokens=BLOCK, max_blocks=200, demand=True)
        order = fairway.Order(cache=cache)
        kept, other = keys_of([1, 2, 3]), keys_of([9, 9, 9])
        cache.store(kept)
        cache.store(other)
        order.add("r", 1000, 0, kept[:2])
        order.begin(0)
        order.end()
        free = [kept[2], kept[1], other[2], kept[0], other[1]]
        self.assertEqual(cache.unwanted(free), [0, 2, 4, 1, 3])
        self.assertEqual([cache.wanted(k) for k in free],
                         [False, True, False, True, False])

    def test_no_call_runs_python(self):
        """The library calls nobody back: no function begins inside a call."""
        class Name:
            def __eq__(self, other):
                return self is other

            def __hash__(self):
                return 1

        cache = fairway.Cache(block_tokens=BLOCK, max_blocks=200, demand=True)
        order = fairway.Order(cache=cache, table=TABLE, guard=0.5)
        keys, calls, ran = keys_of(range(8)), [], []
        for i in range(50):
            a, b, c = Name(), Name(), Name()
            calls += [
                (order.add, a, 90, i, keys), (order.add, b, 70, i, keys[:2]),
                (order.add_many, [(c, 50, i, None, 10)]),
                (cache.store, keys[: i % 8 + 1]), (order.outside, 5, 500),
                (order.begin, i * S), (order.peek,), (order.head,),
                (order.admit,), (order.peek,), (order.skip,), (order.end,),
                (cache.forget, keys[i % 8 :]), (cache.unwanted, keys),
                (cache.match, keys), (order.hit, a), (order.stats,),
                (order.remove, a), (order.remove_many, [b, c])]
        calls.append((cache.clear,))

        def watch(frame, event, _):
            if event == "call":
                ran.append(frame.f_code.co_name)

        sys.setprofile(watch)
        try:
            for call, *args in calls:
                call(*args)
        finally:
            sys.setprofile(None)
        self.assertEqual(ran, [])
        self.assertEqual(len(order), 0)


class Maps(unittest.TestCase):
    """BlockMap against vLLM's own map, in its own words."""

    class Block:
        def __init__(self, block_id):
            self.block_id = block_id

    def test_a_hash_is_told_when_its_first_block_comes_and_its_last_goes(self):
        rng = random.Random(SEED + 2)
        cache = fairway.Cache(block_tokens=BLOCK, max_blocks=200)
        order = fairway.Order(cache=cache)
        keys = keys_of(range(6))
        order.add("r", 1000, 0, keys)
        table = BlockMap({}, cache, 3)
        # So few that a hash often loses its last one.
        blocks = [self.Block(i) for i in range(3)]
        model: dict = {}
        for _ in range(3000):
            key = rng.choice(keys) + rng.choice((3, 4)).to_bytes(4, "big")
            block = rng.choice(blocks)
            here = model.setdefault(key, {})
            self.assertEqual(table.contain(key, block.block_id),
                             block.block_id in here)
            if rng.random() < 0.5:
                if block.block_id not in here:
                    table.insert(key, block)
                    here[block.block_id] = block
            else:
                self.assertIs(table.pop(key, block.block_id),
                              here.pop(block.block_id, None))
            one = table.get_one_block(key)
            self.assertEqual(one is None, not here)
            self.assertTrue(one is None or one.block_id in here)
            self.assertEqual(len(table), sum(1 for v in model.values() if v))
            hit = 0
            while hit < 6 and model.get(keys[hit] + b"\0\0\0\3"):
                hit += 1
            order.begin(0)
            order.end()
            self.assertEqual(order.hit("r"), hit * BLOCK, f"seed {SEED}")


if __name__ == "__main__":
    print(f"# FAIRWAY_SEED={SEED}", flush=True)
    unittest.main()
