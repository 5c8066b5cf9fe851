import unittest

from dev.gateway import Gateway, serve
from metrics import Instruments
from payments.client import RETRY_POLICY, PaymentClient
from payments.errors import PaymentDeclined, PaymentUnavailable
from resilience.circuit_breaker import CircuitBreaker
from resilience.outbound import Target
from resilience.retry import RetryPolicy

POLICY = RetryPolicy(3, 0.2, 2.0, frozenset({429, 503}))


class PaymentClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = Gateway()
        server = serve(self.gateway)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.instruments = Instruments("shop")
        self.slept: list[float] = []
        address = f"http://127.0.0.1:{server.server_port}"
        target = Target("payments", address, 1.0, self.instruments)
        breaker = CircuitBreaker(
            "payments", self.instruments, failures=5, window_seconds=30, open_seconds=5
        )
        self.client = PaymentClient(target, breaker, self.instruments, POLICY, self.slept.append)

    def retries(self) -> float:
        return self.instruments.outbound_retries.value("payments", "none")

    def test_a_charge_is_captured_once(self) -> None:
        first = self.client.charge("key-1", 1250, "good")
        self.assertEqual(self.client.charge("key-1", 1250, "good"), first)
        self.assertEqual(first.amount_cents, 1250)

    def test_tries_again_where_the_policy_says_so(self) -> None:
        self.assertEqual(self.client.charge("key-1", 1250, "flaky-2").state, "captured")
        self.assertEqual(self.retries(), 2)
        self.assertTrue(0.1 <= self.slept[0] <= 0.2 <= self.slept[1] <= 0.4)

    def test_gives_up_after_the_last_attempt(self) -> None:
        with self.assertRaises(PaymentUnavailable):
            self.client.charge("key-1", 1250, "busy")
        self.assertEqual(len(self.gateway.calls), 3)

    def test_a_declined_card_is_not_tried_again(self) -> None:
        with self.assertRaises(PaymentDeclined):
            self.client.charge("key-1", 1250, "declined")
        self.assertEqual(self.retries(), 0)

    def test_a_timeout_is_not_tried_again_by_this_policy(self) -> None:
        with self.assertRaises(PaymentUnavailable):
            self.client.charge("key-1", 1250, "slow")
        self.assertEqual(self.retries(), 0)

    def test_find_and_refund(self) -> None:
        charge = self.client.charge("key-1", 1250, "good")
        self.assertEqual(self.client.find("key-1"), charge)
        self.assertIsNone(self.client.find("key-2"))
        self.assertEqual(self.client.refund(charge.id, "r").state, "refunded")

    def test_configuration_overrides_the_policy(self) -> None:
        changed = RETRY_POLICY.overridden({"max_attempts": 9, "statuses": [503]})
        self.assertEqual((changed.max_attempts, changed.statuses), (9, frozenset({503})))


if __name__ == "__main__":
    unittest.main()
