# SPDX-License-Identifier: Apache-2.0
"""fairway.Order and fairway.Cache, held to their plainest forms."""

import gc
import os
import random
import sys
import time
import unittest

import fairway
from fairway._core import BlockMap
from naive import Pass, Tenants, Waiting, releases, score

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
TABLE = [(100, 0.01), (1000, 0.1), (10000, 2.0)]
S = 1_000_000_000
BLOCK = 16
NAN, INF = float("nan"), float("inf")


def keys_of(words):
    """Chained hashes of 16 bytes, one for each block of a prompt."""
    chain, keys = 0, []
    for word in words:
        chain = hash((chain, word))
        keys.append(chain.to_bytes(8, "big", signed=True) * 2)
    return keys


def run_pass(order, now):
    out = []
    order.begin(now)
    while (name := order.peek()) is not None:
        out.append((name, *order.head()))
        order.admit()
    order.end()
    return out


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


class Orders(unittest.TestCase):
    def test_random_queues_are_released_as_a_full_sort_does(self):
        rng = random.Random(SEED)
        for _ in range(300):
            order, waiting = fairway.Order(table=TABLE), []
            for seq in range(rng.randrange(1, 30)):
                length = rng.randrange(1, 9000)
                w = Waiting(f"r{seq}", length, float(rng.randrange(20)), seq,
                            rng.choice((0, rng.randrange(length))))
                waiting.append(w)
                order.add(w.name, length, int(w.arrival) * S, None, w.hit)
            self.assertEqual(run_pass(order, 20 * S),
                             releases(waiting, 20.0, TABLE), f"seed {SEED}")
            self.assertEqual(len(order), 0)

    def test_hits_are_those_of_a_set_of_blocks(self):
        rng = random.Random(SEED + 1)
        for _ in range(100):
            cache = fairway.Cache(block_tokens=BLOCK, max_blocks=200)
            order = fairway.Order(cache=cache)
            prompts, stored = {}, set()
            for i in range(20):
                words = [rng.randrange(2) for _ in range(rng.randrange(1, 8))]
                keys = keys_of(words)
                length = len(keys) * BLOCK + rng.randrange(20)
                prompts[i] = (keys, length)
                order.add(i, length, i, keys)
            for _ in range(30):
                keys, _ = rng.choice(list(prompts.values()))
                part = keys[: rng.randrange(len(keys)) + 1]
                if rng.random() < 0.6:
                    cache.store(part)
                    stored.update(part)
                else:
                    cache.forget([part[-1]])
                    stored.discard(part[-1])
                # What a pass counts, for all of those that it gives.
                order.begin(0)
                told = {}
                while (i := order.peek()) is not None:
                    told[i] = order.head()[0]
                    order.skip()
                order.end()
                for i, (keys, length) in prompts.items():
                    hit = 0
                    while hit < len(keys) and keys[hit] in stored:
                        hit += 1
                    self.assertEqual(cache.match(keys), hit)
                    hit = min(hit, (length - 1) // BLOCK) * BLOCK
                    self.assertEqual(told[i], hit, f"seed {SEED}")
                    self.assertEqual(order.hit(i), hit, f"seed {SEED}")

    def test_what_is_taken_back_is_not_charged(self):
        order = fairway.Order()
        order.add("miss", 6000, 0)
        for i in range(5):
            order.add(i, 6300, 1 + i, None, 6000)
        order.begin(10)
        self.assertEqual(order.peek(), 0)
        order.admit()
        order.skip()
        self.assertIn(0, order)
        out = []
        while (name := order.peek()) is not None:
            out.append(name)
            order.admit()
        order.end()
        # 0 waits on; a charge for it would let the miss go after the third.
        self.assertEqual(out, [1, 2, 3, 4, "miss"])
        self.assertEqual(run_pass(order, 20), [(0, 6000, 300)])

    def test_what_is_kept_comes_back_to_its_place(self):
        order = fairway.Order(fair_lane=False, wait_constant=1e-9)
        for name in ("first", "second", "third"):
            order.add(name, 100, S)
        order.begin(2 * S)
        self.assertEqual(order.peek(), "first")
        order.admit(10, True)
        self.assertNotIn("first", order)
        self.assertTrue(order.withdraw("second"))
        self.assertFalse(order.withdraw("second"))
        self.assertEqual((len(order), order.hit("second")), (1, None))
        self.assertFalse(order.set_hit("first", 5))
        order.end()
        order.add("second", 100, S, None, 20)
        order.add("first", 100, S, None, 10)
        self.assertEqual(run_pass(order, 3 * S),
                         [("first", 10, 90), ("second", 20, 80),
                          ("third", 0, 100)])

    def test_whoever_is_kept_can_be_taken_back_and_forgotten(self):
        order = fairway.Order()
        for name in ("a", "b"):
            order.add(name, 100, S)
        order.begin(2 * S)
        order.admit(10, True)
        order.skip()
        self.assertEqual((order.peek(), len(order)), ("b", 2))
        order.admit(10, True)
        # Forgotten while the pass could take it back: no memory is lost.
        self.assertTrue(order.remove("b"))
        self.assertFalse(order.remove("b"))
        order.end()
        order.add("b", 100, 0)
        self.assertEqual([name for name, *_ in run_pass(order, 3 * S)],
                         ["b", "a"])
        self.assertEqual(order.stats()["waiting"], 0)

    def test_any_calls_with_keep_leave_what_a_list_would(self):
        rng = random.Random(SEED + 7)
        for _ in range(200):
            order = fairway.Order(fair_lane=False, wait_constant=1e-9)
            # By arrival alone; known holds the rank of all, waiting of some.
            known, waiting, offered, seq = {}, set(), set(), 0
            order.begin(0)
            for _ in range(60):
                name = rng.choice([*known, object()])
                what = rng.randrange(7)
                if what < 2:
                    seq += name not in known
                    known.setdefault(name, seq)
                    if name not in waiting:
                        offered.discard(name)
                    waiting.add(name)
                    order.add(name, 50, S)
                elif what == 2:
                    self.assertEqual(order.remove(name), name in known)
                    known.pop(name, None)
                    waiting.discard(name)
                    offered.discard(name)
                elif what == 3:
                    self.assertEqual(order.withdraw(name), name in waiting)
                    waiting.discard(name)
                    offered.discard(name)
                elif what == 4:
                    order.end()
                    order.begin(seq * S)
                    offered = set(waiting)
                else:
                    head = min(offered, key=known.get, default=None)
                    self.assertIs(order.peek(), head, f"seed {SEED}")
                    if head is not None:
                        order.admit(1, True)
                        offered.discard(head)
                        waiting.discard(head)
                self.assertEqual(len(order), len(waiting), f"seed {SEED}")
                self.assertEqual({n for n in known if n in order}, waiting)
            order.end()

    def test_an_explanation_is_that_of_the_naive_form(self):
        rng = random.Random(SEED + 4)
        for _ in range(100):
            order, waiting = fairway.Order(table=TABLE), []
            for seq in range(rng.randrange(1, 20)):
                length = rng.randrange(1, 9000)
                w = Waiting(seq, length, float(rng.randrange(20)), seq,
                            rng.choice((0, rng.randrange(length))))
                waiting.append(w)
                order.add(seq, length, int(w.arrival) * S, None, w.hit)
            self.assertIsNone(order.explain())
            order.begin(20 * S)
            merge = Pass(waiting, 20.0, TABLE)
            position = 0
            while (w := merge.peek()) is not None:
                why = order.explain()
                self.assertEqual(order.peek(), w.name, f"seed {SEED}")
                self.assertAlmostEqual(why.pop("score"),
                                       score(w, 20.0, TABLE), 9)
                self.assertEqual(why, {
                    "lane": "fast" if merge.f <= merge.r else "fair",
                    "position": position, "step": 1, "hit": w.hit,
                    "left": w.cost, "wait": 20.0 - w.arrival,
                    "waiting": len(merge.fast) - 1,
                    "older": sum(o.arrival < w.arrival for o in merge.fast),
                }, f"seed {SEED}")
                order.admit()
                merge.admit()
                position += 1

    def test_tenants_are_served_as_their_definition_says(self):
        rng = random.Random(SEED + 3)
        numbers = [0, 1, 2**64 - 1, *(rng.getrandbits(64) for _ in range(5))]
        for _ in range(200):
            weights = {t: rng.choice((0.5, 2, 3)) for t in numbers[::2]}
            model = Tenants(TABLE, {t: int(w * 1000)
                                    for t, w in weights.items()})
            order = fairway.Order(table=TABLE, guard=0, by_tenant=True,
                                  tenant_weights=weights)
            seq = 0
            for now in range(1, 15):
                for _ in range(rng.choice((0, 1, 8))):
                    tenant = rng.choice(numbers[: rng.choice((2, 8))])
                    w = Waiting(seq, rng.randrange(1, 9000), float(now - 1),
                                seq, rng.choice((0, rng.randrange(9000))))
                    seq += 1
                    order.add(w.name, w.length, (now - 1) * S, None, w.hit,
                              tenant)
                    model.add(tenant, w)
                budget = rng.choice((1000, 8000, 2**32 - 1))
                order.begin(now * S, budget)
                model.begin(float(now), budget)
                while (want := model.peek()) is not None:
                    self.assertEqual(order.peek(), want.name, f"seed {SEED}")
                    tokens = min(want.cost, model.budget)
                    order.admit(tokens)
                    if rng.random() < 0.2:
                        order.skip()
                        model.put_aside()
                    else:
                        model.admit(tokens)
                self.assertIsNone(order.peek(), f"seed {SEED}")
                order.end()
            self.assertEqual(len(order), sum(map(len, model.waiting.values())))

    def test_a_flood_of_one_tenant_delays_no_other(self):
        def served(flood, **keywords):
            order = fairway.Order(table=TABLE, guard=0, **keywords)
            for i in range(flood):
                order.add(("flood", i), 100, 0, None, 0, 1)
            for tenant in (2, 3):
                for i in range(10):
                    order.add((tenant, i), 1000, 1, None, 0, tenant)
            names = [name for name, *_ in run_pass(order, 2)]
            return [i for i, name in enumerate(names) if name == (3, 9)][0]

        # At each moment the flood has as much as each of the two, and one more.
        self.assertLessEqual(served(5000, by_tenant=True), 20 + 100 + 10)
        self.assertGreater(served(5000), 5000)
        weights = {1: 0.1, 2: 1}
        self.assertLessEqual(
            served(5000, by_tenant=True, tenant_weights=weights), 20 + 10 + 1)

    def test_a_tenant_is_a_number_that_stays(self):
        order = fairway.Order(by_tenant=True)
        order.add("a", 100, 0, None, 0, 7)
        with self.assertRaisesRegex(ValueError, "another tenant"):
            order.add("a", 200, 0, None, 0, 8)
        order.add("a", 200, 0)
        order.add("a", 300, 0, None, 0, 7)
        order.add_many([("b", 100, 0, None, 0, 2**64 - 1), ("c", 100, 0)])
        self.assertEqual(run_pass(order, 1),
                         [("c", 0, 100), ("a", 0, 300), ("b", 0, 100)])
        for wrong in ({1: 0.009}, {1: 1001}, {1: NAN}, {1: -1}, {-1: 1},
                      {2**64: 1}):
            with self.assertRaises(ValueError, msg=wrong):
                fairway.Order(by_tenant=True, tenant_weights=wrong)
        for wrong in ({"a": 1}, {1: "x"}, 3, [1]):
            with self.assertRaises((TypeError, AttributeError), msg=wrong):
                fairway.Order(by_tenant=True, tenant_weights=wrong)
        with self.assertRaisesRegex(ValueError, "without by_tenant"):
            fairway.Order(tenant_weights={1: 1})

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
