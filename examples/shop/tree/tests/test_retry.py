import random
import unittest

from resilience.retry import RetryPolicy

POLICY = RetryPolicy(4, 0.2, 1.0, frozenset({503}))


class RetryTest(unittest.TestCase):
    def test_waits_double_up_to_the_most(self) -> None:
        rng = random.Random(1)
        for attempt, ceiling in ((1, 0.2), (2, 0.4), (3, 0.8), (4, 1.0), (9, 1.0)):
            delay = POLICY.delay_seconds(attempt, rng=rng)
            self.assertTrue(ceiling / 2 <= delay <= ceiling)

    def test_retry_after_is_obeyed_up_to_the_most(self) -> None:
        self.assertEqual(POLICY.delay_seconds(1, "0"), 0.0)
        self.assertEqual(POLICY.delay_seconds(1, "30"), 1.0)

    def test_only_named_statuses_and_only_so_often(self) -> None:
        self.assertTrue(POLICY.again(3, 503))
        self.assertFalse(POLICY.again(4, 503))
        self.assertFalse(POLICY.again(1, 400))


if __name__ == "__main__":
    unittest.main()
