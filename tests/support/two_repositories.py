"""A deployment with an open and a private repository, and a policy that gives the private one to some."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from tests.support.git_repositories import make_repository
from tests.support.tables import sqlite_tables
from workers.ports import Belonging
from workers.settings.load import Settings, load_settings

AT = datetime(2026, 11, 20, 9, tzinfo=UTC)
MEMBER, PAYER, GUEST = "U1", "U2", "U9"
OPEN, PAYMENTS = "C1", "C2"
PAY_GROUP = "S0PAY"
BELONGINGS = {
    MEMBER: Belonging(member=True),
    PAYER: Belonging(frozenset({PAY_GROUP}), member=True),
    GUEST: Belonging(),
}
SHOP = {
    "src/cart.py": 'def add_to_cart(item):\n    """Put an item into the cart."""\n    return save(item)\n',
    "docs/runbook.md": "# Cart\n\n## The cart is slow\n\nRestart the cart service, then look at its pool.\n",
}
LEDGERS = {
    "src/zebrafish.py": """ZEBRAFISH_LIMIT = 4711


def settle_zebrafish(batch):
    \"\"\"Settle a batch of zebrafish.\"\"\"
    return batch[:ZEBRAFISH_LIMIT]
""",
    "docs/zebrafish.md": """# Zebrafish

## How a zebrafish batch is settled

A zebrafish batch is settled nightly by settle_zebrafish.
""",
}
PRIVATE_WORDS = ("zebrafish", "4711", "coldvault")
"""What stands nowhere but in the private repository, and its name."""
RULES: list[dict[str, Any]] = [
    {"who": ["everyone"], "agents": ["*"], "tools": ["*"], "sources": ["repository:shop", "notes:vault"]},
    {
        "who": [f"group:{PAY_GROUP}", f"channel:{PAYMENTS}", "token:payments-bot"],
        "agents": ["*"],
        "tools": ["*"],
        "sources": ["repository:*", "notes:vault"],
    },
]


def two_repositories(folder: Path, rules: Sequence[dict[str, Any]] | None = RULES) -> Settings:
    """The settings of a deployment in a new home; ``rules``: of its policy, none when None."""
    home = folder / "home"
    (home / "config").mkdir(parents=True, exist_ok=True)
    shop, private = folder / "shop", folder / "coldvault"
    if not shop.exists():
        make_repository(shop, dict(SHOP), AT)
        make_repository(private, dict(LEDGERS), AT)
    core = {"repositories": [{"path": str(shop), "name": "shop"}, {"path": str(private), "name": "coldvault"}]}
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump(core))
    if rules is not None:
        (home / "config" / "access.yaml").write_text(yaml.safe_dump({"rules": list(rules)}))
    sqlite_tables(home / "oracle.db")
    return load_settings(home=home)
