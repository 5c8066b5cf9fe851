"""Requests that list notes by their dates: the days, the words that are left, and what is no such request."""

from __future__ import annotations

from datetime import datetime

from tests.support.each_row import each_row
from workers.agents.memory.note_listing import read_listing

NOW = datetime.fromisoformat("2026-05-13T09:00:00+02:00")  # a Wednesday


@each_row(
    "text, since, until, words",
    [
        ("what notes do we have from last week", "2026-05-04", "2026-05-11", ()),
        ("how many notes were written in March?", "2026-03-01", "2026-04-01", ()),
        ("Which notes did Oskar take last month?", "2026-04-01", "2026-05-01", ("oskar",)),
        ("wie viele Notizen gibt es im April", "2026-04-01", "2026-05-01", ()),
        ("Welche Notizen sind von letzter Woche?", "2026-05-04", "2026-05-11", ()),
        ("¿cuántas notas hay de la semana pasada?", "2026-05-04", "2026-05-11", ()),
        ("list the notes since May 11", "2026-05-11", "2026-05-14", ()),
    ],
)
def test_notes_of_some_days(text: str, since: str, until: str, words: tuple[str, ...]) -> None:
    found = read_listing(text, NOW, "Europe/Berlin")
    assert found
    assert (f"{found.since}", f"{found.until}", found.words) == (since, until, words)


@each_row(
    "text",
    [
        "what do our notes say about the outage of last week",
        "which notes speak of bread",
        "how many people came last week",
        "list the notes between 1 and 15 april",
        "which notes of the week before easter are from march",
    ],
)
def test_what_is_not_read_as_a_listing_by_date(text: str) -> None:
    found = read_listing(text, NOW, "Europe/Berlin")
    assert found is None or found.words, "a word that is left is a condition"
