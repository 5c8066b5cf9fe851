"""A catalogue, customers and orders for development and tests. Always the same."""

from __future__ import annotations

import random

from db.database import Database
from search_service import words

KINDS = {
    "kitchen": ("kettle", "pan", "knife", "bowl", "grater", "whisk"),
    "garden": ("spade", "hose", "trowel", "planter", "shears"),
    "office": ("lamp", "stapler", "notebook", "pen", "desk tidy"),
    "bath": ("towel", "mirror", "soap dish", "brush"),
}
MAKES = ("steel", "oak", "copper", "blue", "folding", "small", "large", "enamel")


def seed(shop: Database, accounts: Database, products: int = 200, orders: int = 300) -> None:
    rng = random.Random(7)
    with shop.transaction() as connection:
        for number in range(1, products + 1):
            category = rng.choice(sorted(KINDS))
            name = f"{rng.choice(MAKES)} {rng.choice(KINDS[category])} {number}"
            row = (number, name, category, rng.randrange(300, 9000), rng.randrange(1000))
            connection.execute("INSERT INTO products VALUES (?, ?, ?, ?, ?)", row)
            connection.execute("INSERT INTO stock VALUES (?, ?)", (number, rng.randrange(1, 80)))
            for term in words(name):
                weight = 1.0 + rng.random()
                connection.execute(
                    "INSERT INTO product_terms VALUES (?, ?, ?)", (term, number, weight)
                )
        for number in range(1, orders + 1):
            row = (number, rng.randrange(1, 41), "paid", rng.randrange(900, 20000), f"ch_{number}")
            connection.execute(
                "INSERT INTO orders (id, customer_id, status, total_cents, charge_id, placed_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (*row, 1_700_000_000.0 + number),
            )
    with accounts.transaction() as connection:
        for number in range(1, 41):
            email = f"customer{number}@shop.example"
            connection.execute(
                "INSERT INTO users (id, email, name) VALUES (?, ?, ?)",
                (number, email, f"Customer {number}"),
            )
            connection.execute(
                "INSERT INTO addresses (user_id, line, city, country) VALUES (?, ?, ?, ?)",
                (number, f"{number} Harbour Street", "Malmö", "SE"),
            )
