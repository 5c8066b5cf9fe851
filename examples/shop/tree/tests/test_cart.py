import unittest

from tests.support import ask, seeded_shop


class CartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.shop = seeded_shop()

    def put(self, product: int, quantity: int) -> tuple[int, dict]:
        body = {"user": 3, "product": product, "quantity": quantity}
        return ask(self.shop, "PUT", "/api/cart", body=body)

    def test_total_uses_current_prices(self) -> None:
        self.put(11, 2)
        _, cart = self.put(5, 1)
        prices = {line["product_id"]: line["price_cents"] for line in cart["lines"]}
        self.assertEqual(list(prices), [5, 11])
        self.assertEqual(cart["total_cents"], prices[5] + 2 * prices[11])

    def test_quantity_zero_removes_the_line(self) -> None:
        self.put(5, 2)
        _, cart = self.put(5, 0)
        self.assertEqual(cart, {"lines": [], "total_cents": 0})

    def test_stock_is_told(self) -> None:
        _, cart = self.put(5, 99)
        self.assertFalse(cart["lines"][0]["in_stock"])

    def test_bad_requests(self) -> None:
        self.assertEqual(self.put(5, 100)[0], 400)
        self.assertEqual(self.put(999_999, 1)[0], 404)
        self.assertEqual(ask(self.shop, "PUT", "/api/cart", body={"user": 3})[0], 400)


if __name__ == "__main__":
    unittest.main()
