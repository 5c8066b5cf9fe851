"""What a passage tells of, with and without the encoder."""

from __future__ import annotations

import pytest

from tests.support.each_row import each_row
from workers.agents.deals.source.passage_kinds import LEVER, RISK, kind_by, passage_kind


@each_row(
    "text, kind",
    [
        ("Purchasing for all branches moved to one desk and saves four per cent.", LEVER),
        ("The largest customer, a third of sales, has given notice for December.", RISK),
        ("The covenant was breached in March and the lenders have hired advisers.", RISK),
        ("The company has its seat in Linz and closes its books in September.", ""),
    ],
)
def test_plain_passages_are_told_apart(text: str, kind: str) -> None:
    assert passage_kind(text) == kind


def test_without_the_encoder_words_alone_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLE_ENCODER", "off")
    passage_kind.cache_clear()
    assert passage_kind("The largest customer, a third of sales, has given notice for December.") == RISK
    passage_kind.cache_clear()


def test_what_no_model_is_sure_of_is_not_recognised() -> None:
    assert kind_by({"lever": 0.1, "risk": 0.05, "other": -0.2}, None) == ""
