"""What counts as specific in plain text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.grounding.literals import find_specifics


@each_row(
    "text, expected",
    [
        ("p95 went from 210 ms to 1.9 s", [("quantity", "210 ms"), ("quantity", "1.9 s")]),
        ("at 14:06 UTC, two minutes later", [("time", "14:06 UTC"), ("quantity", "two minutes")]),
        ("`search_service.py:41-58` and cache.py", [("lines", "search_service.py:41-58"), ("path", "cache.py")]),
        ("see https://x.org/a#b.", [("url", "https://x.org/a#b")]),
        ("GET /api/search.", [("endpoint", "/api/search")]),
        ("deploy 4f2c1ab of v1.42.0", [("commit", "4f2c1ab"), ("version", "v1.42.0")]),
        ("×9, or 9 times", [("factor", "×9"), ("factor", "9 times")]),
        ("SearchLatencyHigh uses max_attempts and TTL_SECONDS", [
            ("name", "SearchLatencyHigh"), ("name", "max_attempts"), ("name", "TTL_SECONDS")]),
        ("errors with 5xx in p99 of the API", []),
        ("on Nov 20 and 2026-11-20T14:06:00Z", [("date", "Nov 20"), ("time", "2026-11-20T14:06:00Z")]),
    ],
)  # fmt: skip
def test_specifics(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(s.kind, s.text) for s in find_specifics(text)] == expected


@given(st.text(max_size=300))
def test_any_text_can_be_read_and_spans_are_exact(text: str) -> None:
    last = 0
    for found in find_specifics(text):
        assert found.start >= last
        assert found.text in text[found.start : found.end]
        last = found.end
