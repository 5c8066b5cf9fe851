"""A small team's repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.git_repositories import make_repository
from workers.search import CodeIndex

FILES: dict[str, str | bytes] = {
    "billing/client.py": '''"""Talks to the bank."""

import time

from billing.errors import BankDown

MAX_ATTEMPTS = 4
BACKOFF_SECONDS = 0.25


class BankClient:
    """Charges cards; tries again when the bank is busy."""

    def __init__(self, session, attempts=MAX_ATTEMPTS):
        self.session = session
        self.attempts = attempts

    def charge_card(self, card, cents):
        for attempt in range(self.attempts):
            answer = self.session.post("https://bank.example/v1/charge", card, cents)
            if answer.status != 429:
                return answer
            time.sleep(BACKOFF_SECONDS * 2**attempt)
        raise BankDown("bank refused to answer: too many attempts")
''',
    "billing/errors.py": '"""What can go wrong."""\n\n\nclass BankDown(Exception):\n    """No answer."""\n',
    "web/routes.py": """from billing.client import BankClient
from web.handlers import list_orders, show_order


def add_routes(app):
    app.get("/api/orders", list_orders)
    app.get("/api/orders/{order_id}", show_order)
    app.post("/api/charges", BankClient.charge_card)
""",
    "web/handlers.py": """import os

from web.store import find_orders

PAGE_SIZE = int(os.environ.get("ORDERS_PAGE_SIZE", "50"))


def list_orders(request):
    return find_orders(limit=PAGE_SIZE)


def show_order(request, order_id):
    return find_orders(limit=1, order_id=order_id)
""",
    "web/store.py": "def find_orders(limit, order_id=None):\n    return db.query('SELECT * FROM orders', limit)\n",
    "config/production.yaml": "bank:\n  max_attempts: 6\n  timeout_seconds: 3\nlogging:\n  level: info\n",
    "tests/test_client.py": """from billing.client import BankClient


def test_charge_card_tries_again():
    client = BankClient(Session([429, 200]))
    assert client.charge_card("card", 100).status == 200
""",
    "docs/billing.md": "# Billing\n\nThe bank client tries again.\n\n## Attempts\n\nFour, then the order waits.\n",
    "db/orders.sql": "CREATE TABLE orders (id INTEGER);\nCREATE INDEX orders_by_time ON orders (created_at);\n",
    "static/logo.png": b"\x89PNG\r\n\x00\x00binary",
    "README.md": "# Shop\n\nSells things.\n",
}


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository; tests only read it."""
    return make_repository(tmp_path_factory.mktemp("shop") / "shop", FILES)


@pytest.fixture(scope="session")
def index(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    """Its index."""
    return CodeIndex.build(shop, tmp_path_factory.mktemp("index"))
