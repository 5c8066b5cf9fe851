import unittest

from metrics import Instruments
from resilience.circuit_breaker import CircuitBreaker, CircuitOpen


class BreakerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 100.0
        self.breaker = CircuitBreaker(
            "gateway",
            Instruments("shop"),
            failures=3,
            window_seconds=10,
            open_seconds=5,
            clock=lambda: self.now,
        )

    def call(self, works: bool) -> None:
        with self.breaker.guard(OSError):
            if not works:
                raise OSError("no")

    def fail_times(self, times: int) -> None:
        for _ in range(times):
            with self.assertRaises(OSError):
                self.call(works=False)

    def test_opens_after_failures_close_together(self) -> None:
        self.fail_times(3)
        with self.assertRaises(CircuitOpen):
            self.call(works=True)

    def test_stays_closed_when_failures_are_far_apart(self) -> None:
        for _ in range(6):
            self.fail_times(1)
            self.now += 6
        self.assertEqual(self.breaker.state, "closed")

    def test_one_trial_that_works_closes_it(self) -> None:
        self.fail_times(3)
        self.now += 5
        self.assertEqual(self.breaker.state, "half-open")
        self.call(works=True)
        self.assertEqual(self.breaker.state, "closed")

    def test_one_trial_that_fails_opens_it_again(self) -> None:
        self.fail_times(3)
        self.now += 5
        self.fail_times(1)
        self.assertEqual(self.breaker.state, "open")

    def test_other_errors_do_not_count(self) -> None:
        for _ in range(4):
            with self.assertRaises(ValueError), self.breaker.guard(OSError):
                raise ValueError
        self.assertEqual(self.breaker.state, "closed")


if __name__ == "__main__":
    unittest.main()
