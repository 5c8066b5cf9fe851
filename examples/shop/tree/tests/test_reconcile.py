import time
import unittest

from dev.gateway import Gateway, serve
from jobs.reconcile import reconcile
from payments.client import open_client
from tests.support import seeded_shop, test_settings


class ReconcileTest(unittest.TestCase):
    def test_only_old_charges_without_an_order_are_refunded(self) -> None:
        server = serve(Gateway())
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        shop = seeded_shop()
        settings = test_settings(payments__base_url=f"http://127.0.0.1:{server.server_port}")
        client = open_client(settings, shop.instruments)
        orphan = client.charge("lost", 700, "good")
        now = time.time()
        for charge_id, key, age in ((orphan.id, "lost", 7200), ("ch_1", "ordered", 7200)):
            shop.shop.rows(
                "INSERT INTO charges VALUES (?, ?, 700, 'captured', ?)",
                (charge_id, key, now - age),
                table="charges",
            )
        self.assertEqual(reconcile(shop.shop, client, now), [orphan.id])
        self.assertEqual(reconcile(shop.shop, client, now), [])


if __name__ == "__main__":
    unittest.main()
