"""POST /api/orders/<id>/refund: gives the money back and marks the order."""

from __future__ import annotations

from db.database import Database
from orders.repository import Orders
from payments.client import PaymentClient
from payments.errors import PaymentUnavailable
from web.request import HTTPError, Request, Response

REFUNDABLE = ("paid", "cancelled")


class Refunds:
    def __init__(self, shop: Database, orders: Orders, payments: PaymentClient) -> None:
        self._shop, self._orders, self._payments = shop, orders, payments

    def handle(self, request: Request) -> Response:
        order = self._orders.order(int(request.params["id"]))
        if order["status"] not in REFUNDABLE:
            raise HTTPError(409, f"an order that is {order['status']} cannot be refunded")
        try:
            charge = self._payments.refund(order["charge_id"], f"refund-{order['id']}")
        except PaymentUnavailable as error:
            raise HTTPError(502, "the payment service is not available, try again") from error
        sql = "UPDATE charges SET state = ? WHERE id = ?"
        self._shop.rows(sql, (charge.state, charge.id), table="charges")
        self._orders.set_status(order["id"], "refunded")
        return Response({"order": order["id"], "refunded_cents": charge.amount_cents})
