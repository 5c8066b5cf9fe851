"""Takes the money for a cart."""

from __future__ import annotations

import hashlib
import time
from typing import Any

from db.database import Database
from payments.client import Charge, PaymentClient


def idempotency_key(user_id: int, lines: list[dict[str, Any]], attempt_token: str) -> str:
    """The same customer paying for the same cart from the same page makes the same key.

    ``attempt_token`` is made by the page when it is shown, so that buying the same things again later
    is a new charge.
    """
    cart = ";".join(f"{line['product_id']}x{line['quantity']}" for line in lines)
    return hashlib.sha256(f"{user_id}|{cart}|{attempt_token}".encode()).hexdigest()


class Cashier:
    def __init__(self, shop: Database, payments: PaymentClient) -> None:
        self._shop, self._payments = shop, payments

    def charge(
        self, user_id: int, lines: list[dict[str, Any]], card_token: str, attempt_token: str
    ) -> Charge:
        """Charge a cart's total and note the charge before anything else can fail.

        Raises:
            PaymentDeclined, PaymentUnavailable: see `PaymentClient.charge`.
        """
        total = sum(line["quantity"] * line["price_cents"] for line in lines)
        key = idempotency_key(user_id, lines, attempt_token)
        charge = self._payments.charge(key, total, card_token)
        self._shop.rows(
            "INSERT INTO charges VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
            (charge.id, key, charge.amount_cents, charge.state, time.time()),
            table="charges",
        )
        return charge
