"""Decisions: where a message says of itself that it is one, at its beginning or within."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.conversations.decisions import decisions_in, is_decision


@each_row(
    "text, decisions",
    [
        ("Decision: the pump stays off.", ("Decision: the pump stays off.",)),
        (
            "I slept badly. Decision: the pump stays off. Ann tells them.",
            ("Decision: the pump stays off. Ann tells them.",),
        ),
        ("Long call!\nThey agree. Decision after it: two boats.", ("Decision after it: two boats.",)),
        ("Wir haben gerechnet. Entscheidung: zwei Boote.", ("Entscheidung: zwei Boote.",)),
        ("Ya está. Decidido: primero el norte.", ("Decidido: primero el norte.",)),
        ("There is no decision: we wait.", ()),
        ("We wait. Decisions like this take time.", ()),
        ("Still open. No decision before May: sorry.", ()),
    ],
)
def test_decisions_are_found_word_for_word(text: str, decisions: tuple[str, ...]) -> None:
    assert decisions_in(text) == decisions
    assert is_decision(text) is bool(decisions)
