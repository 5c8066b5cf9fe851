"""POST /api/checkout: charge the cart, take the stock, write the order, empty the cart.

The order of these steps, and what happens when one fails, is in docs/design/checkout.md.
"""

from __future__ import annotations

import logging
from typing import Any

from cart.service import CartService
from checkout.charge import Cashier
from db.database import Database
from orders.repository import Orders
from payments.errors import PaymentDeclined, PaymentUnavailable
from web.request import HTTPError, Request, Response

log = logging.getLogger("shop.checkout")

TAKE_STOCK_SQL = (
    "UPDATE stock SET available = available - ? WHERE product_id = ? AND available >= ?"
)


class CheckoutService:
    def __init__(
        self, shop: Database, carts: CartService, cashier: Cashier, orders: Orders
    ) -> None:
        self._shop, self._carts, self._cashier, self._orders = shop, carts, cashier, orders

    def handle(self, request: Request) -> Response:
        body = request.json()
        try:
            user_id = int(body["user"])
            card_token, attempt_token = str(body["card_token"]), str(body["attempt_token"])
        except (KeyError, TypeError, ValueError) as error:
            raise HTTPError(400, "user, card_token and attempt_token are required") from error
        try:
            return Response(self.check_out(user_id, card_token, attempt_token), status=201)
        except PaymentDeclined as error:
            raise HTTPError(402, f"payment declined: {error}") from error
        except PaymentUnavailable as error:
            log.error("checkout: %s", error)
            raise HTTPError(502, "the payment service is not available, try again") from error

    def check_out(self, user_id: int, card_token: str, attempt_token: str) -> dict[str, Any]:
        lines = self._carts.lines(user_id)
        if not lines:
            raise HTTPError(409, "the cart is empty")
        if missing := [line["name"] for line in lines if not line["in_stock"]]:
            raise HTTPError(409, f"not in stock: {', '.join(missing)}")
        charge = self._cashier.charge(user_id, lines, card_token, attempt_token)
        with self._shop.transaction() as connection:
            for line in lines:
                wanted = line["quantity"]
                params = (wanted, line["product_id"], wanted)
                self._shop.run(connection, TAKE_STOCK_SQL, params, table="stock")
            order_id = self._orders.add(connection, user_id, lines, charge)
        self._carts.empty(user_id)
        return {"order": order_id, "charged_cents": charge.amount_cents}
