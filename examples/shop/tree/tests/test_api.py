import unittest

from dev.gateway import Gateway, Recommender, serve
from tests.support import ask, seeded_shop


class ApiTest(unittest.TestCase):
    def setUp(self) -> None:
        urls = {}
        for name, service in (("payments", Gateway()), ("recommender", Recommender())):
            server = serve(service)
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
            urls[f"{name}__base_url"] = f"http://127.0.0.1:{server.server_port}"
        self.shop = seeded_shop(**urls)

    def fill_cart(self, product: int = 12) -> None:
        ask(self.shop, "PUT", "/api/cart", body={"user": 9, "product": product, "quantity": 1})

    def check_out(self, card: str) -> tuple[int, dict]:
        body = {"user": 9, "card_token": card, "attempt_token": "page-1"}
        return ask(self.shop, "POST", "/api/checkout", body=body)

    def test_checkout_writes_an_order_and_empties_the_cart(self) -> None:
        self.fill_cart()
        before = ask(self.shop, "GET", "/api/products/12")[1]["available"]
        status, bought = self.check_out("good")
        self.assertEqual(status, 201)
        _, order = ask(self.shop, "GET", f"/api/orders/{bought['order']}")
        self.assertEqual(order["total_cents"], bought["charged_cents"])
        self.assertEqual(ask(self.shop, "GET", "/api/products/12")[1]["available"], before - 1)
        self.assertEqual(ask(self.shop, "GET", "/api/cart", "user=9")[1]["lines"], [])

    def test_a_declined_card_keeps_the_cart(self) -> None:
        self.fill_cart()
        self.assertEqual(self.check_out("declined")[0], 402)
        self.assertEqual(len(ask(self.shop, "GET", "/api/cart", "user=9")[1]["lines"]), 1)

    def test_an_empty_cart_cannot_be_bought(self) -> None:
        self.assertEqual(self.check_out("good")[0], 409)

    def test_refund_happens_once(self) -> None:
        self.fill_cart()
        order = self.check_out("good")[1]["order"]
        self.assertEqual(ask(self.shop, "POST", f"/api/orders/{order}/refund")[0], 200)
        self.assertEqual(ask(self.shop, "POST", f"/api/orders/{order}/refund")[0], 409)

    def test_orders_are_newest_first_and_by_status(self) -> None:
        orders = ask(self.shop, "GET", "/api/orders", "user=5")[1]["orders"]
        placed = [order["placed_at"] for order in orders]
        self.assertEqual(placed, sorted(placed, reverse=True))
        shipped = ask(self.shop, "GET", "/api/orders", "user=5&status=shipped")[1]
        self.assertEqual(shipped["orders"], [])
        self.assertEqual(ask(self.shop, "GET", "/api/orders", "user=5&status=lost")[0], 400)

    def test_recommendations_are_never_missing(self) -> None:
        status, answer = ask(self.shop, "GET", "/api/recommendations", "user=4")
        self.assertEqual((status, len(answer["products"])), (200, 12))

    def test_profile(self) -> None:
        _, user = ask(self.shop, "GET", "/api/users/4")
        self.assertEqual((user["name"], len(user["addresses"])), ("Customer 4", 1))
        ask(self.shop, "PUT", "/api/users/4", body={"name": "Ada"})
        _, renamed = ask(self.shop, "GET", "/api/users/4")
        self.assertEqual((renamed["name"], renamed["version"]), ("Ada", 2))
        self.assertEqual(ask(self.shop, "GET", "/api/users/4444")[0], 404)

    def test_metrics_are_labelled_by_endpoint(self) -> None:
        ask(self.shop, "GET", "/api/products/7")
        ask(self.shop, "GET", "/nowhere")
        text = ask(self.shop, "GET", "/metrics")[1]
        self.assertIn(
            'http_requests_total{service="shop",endpoint="/api/products",status="200"} 1', text
        )
        self.assertIn('endpoint="unknown",status="404"', text)
        self.assertIn('db_pool_connections{service="shop",pool="accounts",state="max"} 4', text)


if __name__ == "__main__":
    unittest.main()
