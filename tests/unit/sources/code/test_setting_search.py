"""Which setting a question means, and every place that gives it a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.git_repositories import make_repository
from workers.search import CodeIndex
from workers.sources.code.setting_search import find_settings

FILES = {
    "config/default.yaml": "payments:\n  url: http://gateway.local\n  timeout_seconds: 3\nmail:\n  timeout_seconds: 9\n"
    "cart:\n  pool:\n    size: 4\nusers:\n  pool:\n    size: 6\n",
    "config/production.yaml": "payments:\n  url: https://gateway\n  timeout_seconds: 2\n"
    "  retry:\n    max_attempts: 5\n",
    "config/staging.yaml": "payments:\n  retry:\n    max_attempts: 1\n",
    "payments/client.py": "RETRY = Policy(\n    max_attempts=3,\n    wait_seconds=2,\n)\n\n\n"
    "def pay():\n    return RETRY\n",
    "web/routes.py": 'router.add("POST", "/api/checkout", pay)\nrouter.add("GET", "/api/orders", orders)\n'
    'router.add("GET", "/api/cart", cart)\n',
    "alerts/rules.yml": "groups:\n  - name: pay\n    rules:\n      - alert: PaymentTimeouts\n        for: 5m\n",
}
Row = tuple[str, str, str]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    folder = tmp_path_factory.mktemp("settings")
    return CodeIndex.build(make_repository(folder / "shop", FILES), folder / "index")


def found(index: CodeIndex, question: str) -> list[list[Row]]:
    groups = find_settings(index, question)
    return [[(p.setting.key, p.setting.value, p.setting.environment) for p in group] for group in groups]


def test_production_the_other_environments_then_the_default(index: CodeIndex) -> None:
    attempts = [
        ("payments.retry.max_attempts", "5", "production"),
        ("payments.retry.max_attempts", "1", "staging"),
        ("RETRY.max_attempts", "3", ""),
    ]
    assert found(index, "how many attempts does a payment get?") == [attempts]
    assert found(index, "how many retries does checkout do in production?") == [attempts]


@pytest.mark.parametrize(
    "question", ["What is the gateway timeout?", "Wo ist das Timeout für das Payment-Gateway eingestellt?"]
)
def test_the_lines_beside_a_key_tell_which_of_several_is_meant(index: CodeIndex, question: str) -> None:
    (group,) = found(index, question)
    assert [(key, value) for key, value, _ in group] == [
        ("payments.timeout_seconds", "2"),
        ("payments.timeout_seconds", "3"),
    ]


def test_a_user_of_one_of_several_like_it_gets_none(index: CodeIndex) -> None:
    assert found(index, "what is the pool size of orders?") == []


def test_what_stands_in_the_key_itself_is_no_user(index: CodeIndex) -> None:
    assert found(index, "what is the pool size of the cart?") == [[("cart.pool.size", "4", "")]]


def test_what_no_key_names_is_not_found(index: CodeIndex) -> None:
    assert found(index, "is there rate limiting on /api/orders?") == []


def test_how_many_is_no_span_of_time(index: CodeIndex) -> None:
    assert found(index, "how many mail timeouts?") == []


def test_what_shows_how_or_fills_or_translates_gives_no_value(tmp_path: Path) -> None:
    files = {
        "settings.py": "BASKET_LIMIT = 30\n",
        "config/production.yaml": "basket_limit: 80\n",
        ".env.example": "BASKET_LIMIT=1\n",
        "config.sample.toml": "basket_limit = 2\n",
        "db/seeds.py": "BASKET_LIMIT = 3\n",
        "i18n/fr.yml": "fr:\n  basket_limit: 4\n",
        "shop.py": "def fill():\n    basket_limit = 5\n    return basket_limit\n",
    }
    index = CodeIndex.build(make_repository(tmp_path / "shop", files), tmp_path / "index")
    assert found(index, "what is the basket limit?") == [
        [("basket_limit", "80", "production"), ("BASKET_LIMIT", "30", "")]
    ]


def test_a_switch_has_no_size(tmp_path: Path) -> None:
    files = {"client.py": "POLICY = Policy(\n    on_timeout=False,\n    timeout_seconds=4,\n)\n"}
    index = CodeIndex.build(make_repository(tmp_path / "shop", files), tmp_path / "index")
    assert [group[0][1] for group in found(index, "what is the timeout of the client?")] == ["4"]
