"""A first word is a subcommand only with what may follow it; everything else is a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parse import asked, subcommand
from bot.parse.command_words import notes_about, slip_in

SUBCOMMANDS = {
    "help": ("help", ""),
    " Help! ": ("help", ""),
    "hi": ("help", ""),
    "status": ("status", ""),
    "STATUS?": ("status", ""),
    "sources": ("sources", ""),
    "pause": ("pause", ""),
    "Resume!": ("resume", ""),
    "catchup": ("catchup", ""),
    "catchup 2h": ("catchup", "2h"),
    "Catch up since yesterday": ("catchup", "since yesterday"),
    "incident": ("incident", ""),
    'incident "checkout is down"': ("incident", '"checkout is down"'),
    "incident “checkout: why?”": ("incident", "“checkout: why?”"),
    "incident start checkout is down": ("incident", "start checkout is down"),
    "incident status": ("incident", "status"),
    "incident checkout is down": ("incident", "checkout is down"),
    "incident resolve rolled back": ("incident", "resolve rolled back"),
    "resolve": ("resolve", ""),
    "resolve rolled back  4f2c1ab": ("resolve", "rolled back  4f2c1ab"),
    "feedback": ("feedback", ""),
    "feedback bad why did you leave out the deploy?": ("feedback", "bad why did you leave out the deploy?"),
    "remember": ("remember", ""),
    "remember that Deploys are frozen.": ("remember", "that Deploys are frozen."),
    "forget 7": ("forget", "7"),
    "forget the freeze": ("forget", "the freeze"),
    "memories": ("memories", ""),
    "Memories?": ("memories", ""),
    "cancel": ("cancel", ""),
    "cancel 7F3A12BC": ("cancel", "7f3a12bc"),
    "why 7f3a12bc": ("why", "7f3a12bc"),
    "why 7f3a12?": ("why", "7f3a12"),
    "why\n7f3a12bc0d1e": ("why", "7f3a12bc0d1e"),
}
QUESTIONS = [
    "why is search slow",
    "why",
    "why?",
    "why 7f3a1",
    "why 7f3a12bc failed",
    "why /api/search",
    "status of payments?",
    "status of payments",
    "status 500 on /api/search",
    "sources of latency in checkout?",
    "incidents last week",
    "incident status of payments?",
    "incident start times last week?",
    "resolve how?",
    "cancel order returns 500",
    "cancelled orders",
    "help me find the retry policy",
    "what is the status",
    "ask status",
    "ask why 7f3a12bc",
]


@pytest.mark.parametrize(("text", "found"), SUBCOMMANDS.items())
def test_subcommands(text: str, found: tuple[str, str]) -> None:
    assert subcommand(text) == found


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions(text: str) -> None:
    assert subcommand(text) is None
    assert asked(text)


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_no_words_open_a_window(text: str) -> None:
    assert subcommand(text) is None
    assert asked(text) == ""


def test_what_is_asked() -> None:
    assert asked("ask why is it slow") == "why is it slow"
    assert asked(" Ask\twhy ") == "why"
    assert asked("ask") == ""
    assert asked("asking for a friend") == "asking for a friend"


@given(st.text(max_size=60))
def test_any_text_is_one_or_the_other(text: str) -> None:
    found = subcommand(text)
    if found:
        assert found[0] in {"mistyped", *(name for name, _ in SUBCOMMANDS.values())}
        assert found[1] == found[1].strip()
    assert asked(text) == asked(text).strip()


@given(
    st.sampled_from(["status", "why", "cancel", "incident", "sources"]), st.from_regex(r"[g-z]{4,9}", fullmatch=True)
)
def test_a_question_that_begins_like_a_subcommand(first: str, rest: str) -> None:
    assert subcommand(f"{first} is {rest} slow?") is None


@pytest.mark.parametrize(("typed", "meant"), [("staus", "status"), ("souces", "sources"), ("Resovle", "resolve")])
def test_a_word_that_is_nearly_a_subcommand(typed: str, meant: str) -> None:
    assert subcommand(typed) == ("mistyped", meant)


@pytest.mark.parametrize("text", ["latency", "deploys", "staus of payments", "search"])
def test_words_that_are_none(text: str) -> None:
    assert subcommand(text) is None


@pytest.mark.parametrize(
    ("typed", "meant"), [("hlep", "help"), ("staus", "status"), ("catchupp", "catchup"), ("Resovle", "resolve")]
)
def test_a_slip_of_the_fingers_in_a_mention(typed: str, meant: str) -> None:
    assert slip_in(typed) == meant


@pytest.mark.parametrize("text", ["cause", "states", "incidents", "paused", "hlep?", "hlep me", "help", "hi", "", "42"])
def test_words_that_are_no_slip_are_questions(text: str) -> None:
    assert slip_in(text) == ""


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("notes retry policy?", "retry policy"),
        ("Notes  retry", "retry"),
        ("notes", ""),
        ("notes ?", ""),
        ("noted that", ""),
        ("what do notes say", ""),
    ],
)
def test_what_is_looked_for_in_the_notes(text: str, about: str) -> None:
    assert notes_about(text) == about
