"""Client of the payment gateway.

Every charge carries an idempotency key, so the gateway captures it once however often we send it; that
is what makes it safe to try again. The reasons for the numbers below are in docs/adr/0004-payment-retries.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from metrics import Instruments
from payments.errors import PaymentDeclined, PaymentUnavailable
from resilience.circuit_breaker import CircuitBreaker, CircuitOpen
from resilience.outbound import Reply, Target, TargetTimeout, TargetUnavailable
from resilience.retry import RetryPolicy
from settings import Settings, SettingsError
from web import context

# Overridden by payments.retry in config/<environment>.yaml. A charge that hangs on the failing site is
# given up early and sent again; the idempotency key keeps it from being captured twice.
RETRY_POLICY = RetryPolicy(
    max_attempts=6,
    backoff_seconds=0.05,
    max_backoff_seconds=0.4,
    statuses=frozenset({429, 500, 502, 503, 504}),
    on_timeout=True,
)


@dataclass(frozen=True)
class Charge:
    id: str
    amount_cents: int
    state: str


class PaymentClient:
    def __init__(
        self,
        target: Target,
        breaker: CircuitBreaker,
        instruments: Instruments,
        policy: RetryPolicy = RETRY_POLICY,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._target, self._breaker, self._instruments = target, breaker, instruments
        self.policy, self._sleep = policy, sleep

    def charge(self, idempotency_key: str, amount_cents: int, card_token: str) -> Charge:
        """Capture an amount.

        Raises:
            PaymentDeclined: the bank refused.
            PaymentUnavailable: the gateway failed on every attempt, or its breaker is open.
        """
        body = {"amount_cents": amount_cents, "card_token": card_token}
        reply = self._send("POST", "/v1/charges", body, idempotency_key)
        if reply.status == 402:
            raise PaymentDeclined(reply.payload.get("reason", "declined"))
        return self._charge_from(reply)

    def refund(self, charge_id: str, idempotency_key: str) -> Charge:
        reply = self._send("POST", f"/v1/charges/{charge_id}/refund", {}, idempotency_key)
        return self._charge_from(reply)

    def find(self, idempotency_key: str) -> Charge | None:
        """The charge made under this key, if there is one."""
        reply = self._send("GET", f"/v1/charges?key={idempotency_key}", None, idempotency_key)
        return None if reply.status == 404 else self._charge_from(reply)

    def _charge_from(self, reply: Reply) -> Charge:
        if reply.status >= 400:
            raise PaymentUnavailable(f"the gateway answered {reply.status}")
        payload = reply.payload
        return Charge(payload["id"], payload["amount_cents"], payload["state"])

    def _send(self, method: str, path: str, body: dict[str, Any] | None, key: str) -> Reply:
        """Call the gateway behind the breaker; a charge counts once, however many attempts it takes."""
        try:
            with self._breaker.guard(TargetUnavailable):
                return self._attempts(method, path, body, key)
        except CircuitOpen as error:
            raise PaymentUnavailable("the payment gateway is resting") from error

    def _attempts(self, method: str, path: str, body: dict[str, Any] | None, key: str) -> Reply:
        """Call the gateway, again where the policy says so."""
        attempt, headers = 0, {"Idempotency-Key": key}
        while True:
            attempt += 1
            try:
                reply = self._target.call(method, path, body, headers)
            except TargetTimeout as error:
                if not self.policy.again_after_timeout(attempt):
                    raise PaymentUnavailable(str(error)) from error
                retry_after = None
            except TargetUnavailable as error:
                raise PaymentUnavailable(str(error)) from error
            else:
                if not self.policy.again(attempt, reply.status):
                    return reply
                retry_after = reply.headers.get("Retry-After")
            self._instruments.outbound_retries.add(self._target.name, context.endpoint.get())
            self._sleep(self.policy.delay_seconds(attempt, retry_after))


def open_client(settings: Settings, instruments: Instruments) -> PaymentClient:
    """The client that the configuration describes."""
    try:
        override = settings.get("payments.retry")
    except SettingsError:
        override = {}
    target = Target(
        "payments",
        settings.get("payments.base_url"),
        settings.get("payments.timeout_seconds"),
        instruments,
    )
    breaker = CircuitBreaker(
        "payments",
        instruments,
        failures=settings.get("breaker.failures"),
        window_seconds=settings.get("breaker.window_seconds"),
        open_seconds=settings.get("breaker.open_seconds"),
    )
    return PaymentClient(target, breaker, instruments, RETRY_POLICY.overridden(override))
