"""What is read of a message is bounded, whatever was written: patterns never see more than a sentence may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.contracts import ChannelMessage
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.utterances import LONGEST, MOST, heard
from workers.language.sentences import LONGEST_LINE, lines_of, split
from workers.language.slack_messages import LONGEST_TEXT

UNITS = ["a ", "1 ", "1,", "the ", "is ", ".", "-", "no ", "sev2 ", "x. ", "a? ", "a\n", " ", "e.g. ", "*a ", "`", "é"]
LABELS = " ".join(f"label{n}=value{n}" for n in range(400))


def message(text: str, *, bot: bool = False, ts: str = "1763632330.000100") -> ChannelMessage:
    return ChannelMessage(ts=ts, user="U1", name="alertmanager" if bot else "lena", text=text[:LONGEST_TEXT], bot=bot)


@given(st.sampled_from(UNITS), st.sampled_from(["", "```", "> ", "customers fail: ", "CPU "]), st.booleans())
def test_no_sentence_and_no_message_is_read_further_than_it_may_be(unit: str, begin: str, bot: bool) -> None:
    text = begin + unit * LONGEST_TEXT
    found = heard(message(text, bot=bot))
    assert len(found) <= MOST
    assert all(len(remark.text) <= LONGEST for remark in found)
    assert all(len(line) <= LONGEST_LINE for line, _ in lines_of(text[:LONGEST_TEXT]))


def test_a_program_that_posts_no_full_stop_is_heard_as_far_as_words_fit() -> None:
    alert = f"[FIRING] CheckoutErrors {LABELS}"
    (remark,) = heard(message(alert, bot=True))
    assert alert.startswith(f"{remark.text} ")
    assert LONGEST - 20 < len(remark.text) <= LONGEST
    story = [message(alert, bot=True), message("SEV2: customers see 502", ts="1763632340.000100")]
    first, *_ = summarize(story).timeline
    assert (first.kind, first.text) == ("alert", remark.text)


def test_people_who_write_without_end_are_left_out_of_it() -> None:
    assert heard(message(LABELS)) == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It   is down.   We   look.", ["It is down.", "We look."]),
        (
            "Since approx. 14:05, i.e. before lunch. Now it is up.",
            ["Since approx. 14:05, i.e. before lunch.", "Now it is up."],
        ),
        ("1. Restart it. 2. Look.", ["1. Restart it.", "2. Look."]),
    ],
)
def test_sentences_end_where_they_end(text: str, sentences: list[str]) -> None:
    assert list(split(text)) == sentences
