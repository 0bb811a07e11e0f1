# SPDX-License-Identifier: Apache-2.0
"""fairway.Order and fairway.Cache, held to their plainest forms."""

import inspect
import os
import random
import time
import unittest

import fairway
from naive import Pass, Tenants, Waiting, releases, score
from passes import BLOCK, TABLE, keys_of, run_pass

SEED = int(os.environ.get("FAIRWAY_SEED") or time.time())
S = 1_000_000_000
NAN, INF = float("nan"), float("inf")


class Help(unittest.TestCase):
    def test_it_tells_each_call_as_it_can_be_made(self):
        for kind in (fairway.Order, fairway.Cache):
            for name, call in vars(kind).items():
                if name.startswith("_"):
                    continue
                # None of the calls takes keywords.
                for arg in list(inspect.signature(call).parameters.values()):
                    self.assertIs(arg.kind, arg.POSITIONAL_ONLY, (name, arg))
                self.assertTrue(call.__doc__, name)

    def test_it_tells_each_setting(self):
        for kind in (fairway.Order, fairway.Cache):
            words = kind.__doc__.replace(",", " ").replace(":", " ").split()
            for name in inspect.signature(kind).parameters:
                if name not in ("block_tokens", "max_blocks"):
                    self.assertIn(name, words)


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


if __name__ == "__main__":
    print(f"# FAIRWAY_SEED={SEED}", flush=True)
    unittest.main()
