"""A message is split into what its author asks, what is pasted and what is quoted; nothing of it gets lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.language.message_parts import Frame, read_parts

TRACE = """Traceback (most recent call last):
  File "web/pages.py", line 40, in show
    return page(order)
  File "web/orders.py", line 7, in page
    raise KeyError(order)
KeyError: 'o-17'"""


def test_a_trace_is_pasted_and_only_the_words_beside_it_ask() -> None:
    parts = read_parts(f"what went wrong here?\n{TRACE}")
    assert parts.own == "what went wrong here?"
    assert parts.frames == (Frame("web/pages.py", 40), Frame("web/orders.py", 7))
    assert parts.error == "KeyError: 'o-17'"
    assert "return page(order)" in parts.pasted


@each_row(
    "text, own, path",
    [
        ("is checkout slow?\nat com.acme.Pay.charge(Pay.java:12)", "is checkout slow?", "Pay.java"),
        ("why?\n```\npanic: nil map\n\tcart/total.go:31 +0x1d\n```", "why?", "cart/total.go"),
    ],
)
def test_frames_of_other_languages(text: str, own: str, path: str) -> None:
    parts = read_parts(text)
    assert (parts.own, parts.frames[0].path) == (own, path)


def test_quoted_lines_are_somebody_elses() -> None:
    parts = read_parts("> the disk is full\nwho gets this?")
    assert (parts.own, parts.quoted) == ("who gets this?", "the disk is full")


def test_what_is_pasted_as_a_whole_asks_with_what_it_holds() -> None:
    assert read_parts(TRACE).own == "KeyError: 'o-17'"
    assert read_parts("> is it slow?").own == "is it slow?"


@given(st.text(max_size=200))
def test_any_message_has_words_that_ask(text: str) -> None:
    parts = read_parts(text)
    assert bool(parts.own) == bool(text.strip())
