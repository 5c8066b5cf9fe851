"""What stands in a repository's documents, CODEOWNERS and configuration is reached when it alone is connected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.support.git_repositories import make_repository
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Answer, Question
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
FILES = {
    "README.md": (
        "# Bakery\n\nTakes orders for bread.\n\n## Starting the oven simulator\n\n"
        "1. Install the wheels with `make wheels`.\n2. Start it with `make oven`.\n3. Open the dashboard.\n\n"
        "## Teams\n\n| Part | Owner | Channel |\n|---|---|---|\n| ovens | Heat | #heat |\n"
        "| orders | Counter | #counter |\n"
        "| delivery | Wheels | #wheels |\n"
    ),
    "docs/objectives.md": (
        "# Service level objectives\n\n| Service | Objective | p95 |\n|---|---|---|\n"
        "| orders | 99.7 % | 250 ms |\n| delivery | 99.1 % | 900 ms |\n"
    ),
    "docs/storage.rst": (
        "Storage\n=======\n\nRetention\n---------\n\n+----------+----------+\n"
        "| Data     | Kept for |\n+==========+==========+\n"
        "| receipts | 7 years  |\n+----------+----------+\n| photos   | 14 days  |\n+----------+----------+\n"
    ),
    "docs/duty.md": (
        "# On call\n\n## Counter rota\n\nFor the orders service.\n\n| Week | Primary |\n|---|---|\n"
        "| 2026-03-02 | Ola |\n| 2026-03-09 | Kim |\n| 2026-03-16 | Ola |\n"
    ),
    "docs/runbooks/orders.md": (
        "# Runbook: orders\n\nOwner: Counter\n\n## Undo a release\n\n1. Stop the belt.\n2. Run `bake undo orders`.\n"
    ),
    "CODEOWNERS": "*  @bakery/all\n/payments/  @bakery/till\n",
    "payments/receipt.py": (
        '"""Receipts of payments."""\n\n\ndef print_receipt(order):\n    """Print the receipt of a payment."""\n'
        "    return order\n"
    ),
    "settings.py": '"""Settings of the bakery."""\n\nORDER_QUEUE_SIZE = 16\n',
    "config/production.yaml": "order:\n  queue_size: 64\n",
    "config/staging.yaml": "order:\n  queue_size: 24\n",
    ".env.example": "ORDER_QUEUE_SIZE=1\n",
    "db/seed.py": '"""Rows to try."""\n\n\ndef seed():\n    order_queue_size = 2\n    return order_queue_size\n',
    "locales/de.yml": "de:\n  order:\n    queue_size: 3\n",
}


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    """An engine with one repository and nothing else."""
    place = tmp_path_factory.mktemp("bakery")
    repo = make_repository(place / "bakery", FILES)
    built = build_engine(load_settings({"oracle.repositories": [{"path": str(repo)}]}, home=place / "home"))
    yield built
    built.close()


def answer(oracle: Oracle, text: str) -> Answer:
    """The answer to a question."""
    question = Question(request_id=f"ask-{abs(hash(text))}", text=text, received_at=NOW)
    log = replace(oracle.engine, clock=SystemClock(NOW)).ask(question)
    assert log.answer is not None
    return log.answer


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("what is the SLO of delivery?", ("99.1 % — Objective of delivery", "Service level objectives")),
        ("which p95 do we promise for orders?", ("250 ms — p95 of orders",)),
        ("how long are receipts kept?", ("7 years — Kept for of receipts", "Storage › Retention")),
        ("who owns delivery?", ("Wheels — owner of delivery", "Bakery › Teams")),
        ("who should I ask about the payments code?", ("@bakery/till — owner of payments/receipt.py", "CODEOWNERS:2")),
        ("how do I start the oven simulator?", ("Starting the oven simulator", "3 steps: 1. Install", "2. Start it")),
        ("how do I undo a release of orders?", ("Undo a release", "1. Stop the belt. 2. Run bake undo orders.")),
        ("how large is the order queue in production?", ("`64` in production", "`16` by default (settings.py:3)")),
        ("what is the default order queue size?", ("is `16` by default (settings.py:3)",)),
    ],
)
def test_the_headline_says_it_with_its_source(oracle: Oracle, text: str, parts: tuple[str, ...]) -> None:
    headline = answer(oracle, text).headline.text
    assert all(part in headline for part in parts), headline


def test_examples_seeds_and_translations_give_no_value(oracle: Oracle) -> None:
    told = answer(oracle, "how large is the order queue in production?")
    shown = " ".join((told.headline.text, *(claim.text for claim in told.code)))
    assert not any(path in shown for path in (".env.example", "seed.py", "de.yml"))


def test_the_shift_of_its_own_rota_is_told(oracle: Oracle) -> None:
    assert "Week: 2026-03-09 · Primary: Kim" in answer(oracle, "who is on call for orders?").headline.text


def test_nobody_of_another_rota_is_named_as_on_call(oracle: Oracle) -> None:
    headline = answer(oracle, "who is on call for delivery?").headline.text
    assert headline.startswith("No rota is known for delivery. Wheels — owner of delivery")
    assert "Counter rota" in headline
    assert "Kim" not in headline


def test_lines_of_a_document_are_told_once(oracle: Oracle) -> None:
    told = answer(oracle, "how do I start the oven simulator?")
    assert not any("README.md:" in claim.text for claim in told.code)
