"""Files near a question, and names near a name."""

from __future__ import annotations

from workers.language.nearest_names import nearest_names
from workers.search import CodeIndex
from workers.sources.history.related_files import related_files, related_places


def test_files_that_the_answer_uses(index: CodeIndex) -> None:
    near = related_files(index, "/api/orders")
    assert near["web/routes.py"] == 1.0
    assert near["web/handlers.py"] > near["web/store.py"] > 0
    assert "static/logo.png" not in near
    assert all(0 < weight <= 1 for weight in near.values())
    assert related_files(index, "/api/zeppelin") == {}


def test_definitions_that_the_answer_stands_in(index: CodeIndex) -> None:
    near = related_places(index, "how does the bank client charge a card")
    assert near["billing/client.py", "charge_card"] > 0
    assert max(near.values()) == 1.0
    assert all(0 < weight <= 1 for weight in near.values())
    assert not any(path.startswith("tests/") for path, _ in near)
    assert related_places(index, "/api/zeppelin") == {}


def test_no_hops_is_only_what_is_found(index: CodeIndex) -> None:
    assert "web/store.py" not in related_files(index, "ORDERS_PAGE_SIZE", hops=0)


def test_nearest_names() -> None:
    known = ["/api/search", "/api/zones", "/healthz", "RetryPolicy", "retry_policy", "search"]
    assert nearest_names(["/api/serch"], known) == ("/api/search",)
    assert nearest_names(["/api/zone"], known) == ("/api/zones",)
    assert nearest_names(["/api/doesnotexist"], known) == ()
    assert nearest_names(["RetyPolicy"], known)[0] == "RetryPolicy"
    assert nearest_names(["zeppelin"], known) == ()
    assert nearest_names([], known) == ()
