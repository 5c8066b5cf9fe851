"""Every night: finds charges without an order and refunds them.

A charge is left alone when the process dies between charging and writing the order. The customer then
has neither goods nor money, so these are refunded, a day later at most (docs/design/checkout.md).
"""

from __future__ import annotations

import argparse
import logging
import time

from db.database import Database, open_database
from metrics import Instruments
from payments.client import PaymentClient, open_client
from payments.errors import PaymentError
from settings import load_settings

log = logging.getLogger("shop.reconcile")
MIN_AGE_SECONDS = 3600

ORPHANS_SQL = """
SELECT c.id
FROM charges AS c LEFT JOIN orders AS o ON o.charge_id = c.id
WHERE c.state = 'captured' AND o.id IS NULL AND c.created_at < ?
"""


def reconcile(shop: Database, payments: PaymentClient, now: float) -> list[str]:
    """Refund what has no order and return the ids of the refunded charges."""
    refunded = []
    for row in shop.rows(ORPHANS_SQL, (now - MIN_AGE_SECONDS,), table="charges"):
        try:
            charge = payments.refund(row["id"], f"reconcile-{row['id']}")
        except PaymentError as error:
            log.error("charge %s: %s", row["id"], error)
            continue
        sql = "UPDATE charges SET state = ? WHERE id = ?"
        shop.rows(sql, (charge.state, charge.id), table="charges")
        refunded.append(charge.id)
    return refunded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", default="development")
    settings = load_settings(parser.parse_args().environment)
    instruments = Instruments(settings.get("service.name"))
    shop = open_database(settings, "database", instruments)
    refunded = reconcile(shop, open_client(settings, instruments), time.time())
    log.info("refunded %d charges", len(refunded))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    main()
