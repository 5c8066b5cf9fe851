"""The conversation of an investigation: pages lose nothing, marks are few, early results make room."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.model_server.request_rules import MARKS, check_messages, marks_of
from workers.reasoning.model.model_call import Reply
from workers.reasoning.model.transcript import KEPT_TURNS, PAGE_CHARS, ROOM, Transcript, page, user, with_mark

TEXT = st.text(st.sampled_from("ab\n é"), max_size=200) | st.text(max_size=200)


def asked(*blocks: str) -> Transcript:
    return Transcript([user(*(blocks or ("Names that exist: …", "The question: why?")))])


def reply(n: int, text: str = "") -> Reply:
    said: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    return Reply(text, (), (*said, {"type": "tool_use", "id": f"toolu_{n}", "name": "repo_search", "input": {}}))


def turns(transcript: Transcript, many: int, result: str = "found") -> Transcript:
    for n in range(1, many + 1):
        transcript.add_reply(reply(n))
        transcript.add_results([(f"toolu_{n}", transcript.keep(f"toolu_{n}", f"{result} {n}"), False)])
    return transcript


# --- pages ----------------------------------------------------------------------------------------------------


@given(TEXT, st.integers(1, 60))
def test_pages_lose_nothing_and_always_go_on(text: str, size: int) -> None:
    pieces, at = [], 0
    for _ in range(len(text) + 1):
        piece, after = page(text, at, size)
        pieces.append(piece)
        assert len(piece) <= size
        if not after:
            break
        assert after == at + len(piece) > at
        at = after
    else:
        pytest.fail("it never ends")
    assert "".join(pieces) == text


@given(TEXT, st.integers(0, 400), st.integers(1, 60))
def test_a_page_from_anywhere_is_a_piece_from_there(text: str, offset: int, size: int) -> None:
    piece, after = page(text, offset, size)
    assert text[offset:].startswith(piece)
    assert after == 0 or (after == offset + len(piece) and len(piece) > 0)


def test_a_page_ends_at_the_end_of_a_line() -> None:
    assert page("one\ntwo\nthree\n", 0, 9) == ("one\ntwo\n", 8)
    assert page("a long line without an end", 0, 9) == ("a long li", 9)


def test_a_result_says_its_name_and_how_to_read_on() -> None:
    transcript = asked()
    assert transcript.keep("toolu_1", "short") == "[result R1]\n<data>short</data>"
    first = transcript.keep("toolu_2", "x" * (PAGE_CHARS + 5))
    assert first.startswith("[result R2, characters 0 to 12,000 of 12,005]\n<data>")
    assert first.endswith("[cut here: read_more(result='R2', offset=12000) goes on]")
    assert transcript.read("R2", PAGE_CHARS) == "[result R2, characters 12,000 to 12,005 of 12,005]\n<data>xxxxx</data>"
    with pytest.raises(KeyError):
        transcript.read("R3")


@given(st.integers(-5, 50_000))
def test_any_offset_is_a_page(offset: int) -> None:
    transcript = asked()
    transcript.keep("toolu_1", "x" * 20_000)
    assert transcript.read("R1", offset).startswith("[result R1")


# --- marks of the cache ---------------------------------------------------------------------------------------


def body(transcript: Transcript) -> dict[str, Any]:
    """A request as the client makes it: one mark at the end of the system text."""
    system = [{"type": "text", "text": "You are …", "cache_control": {"type": "ephemeral"}}]
    return {"system": system, "messages": [dict(message) for message in transcript.marked()]}


@given(st.integers(0, 12), st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3))
def test_there_are_never_more_marks_than_the_api_takes(many: int, first: list[str]) -> None:
    transcript = turns(asked(*first), many)
    before = copy.deepcopy(transcript.messages)
    assert len(list(marks_of(body(transcript)))) <= MARKS
    assert transcript.messages == before, "marks are not kept"
    assert len(list(marks_of({"messages": [with_mark(message) for message in before[-1:]]}))) <= MARKS - 1


def test_each_request_begins_with_what_the_one_before_marked() -> None:
    transcript = asked()
    for n in range(1, 6):
        before = [unmarked(message) for message in transcript.marked()]
        assert "cache_control" in list(transcript.marked())[-1]["content"][-1]
        turns(transcript, 1, f"turn {n}")
        now = [unmarked(message) for message in transcript.marked()]
        assert now[: len(before)] == before
        assert "cache_control" in list(transcript.marked())[len(before) - 1]["content"][-1]


def unmarked(message: Any) -> str:
    """A message without its marks."""
    blocks = [{k: v for k, v in block.items() if k != "cache_control"} for block in message["content"]]
    return json.dumps({**message, "content": blocks})


def test_what_stays_from_question_to_question_ends_at_a_mark() -> None:
    assert [bool(b.get("cache_control")) for b in user("names", "question")["content"]] == [True, False]
    assert [bool(b.get("cache_control")) for b in user("question")["content"]] == [False]


# --- what was said --------------------------------------------------------------------------------------------

THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
HIDDEN = {"type": "redacted_thinking", "data": "x"}


@each_row("blocks", [(), (THOUGHT,), (HIDDEN,), (THOUGHT, HIDDEN)])
def test_a_message_without_words_or_calls_is_one_that_the_api_takes(blocks: tuple[dict[str, Any], ...]) -> None:
    transcript = asked()
    transcript.add_reply(Reply("", (), blocks))
    transcript.add_results((), "Go on.")
    sent = [dict(message) for message in transcript.marked()]
    assert [b for b in sent[1]["content"] if b["type"] != "text"] == list(blocks)
    assert sent[1]["content"][-1]["type"] == "text"
    if not blocks:
        check_messages({"messages": sent})


def test_words_and_thoughts_stay_as_they_came() -> None:
    transcript = asked()
    said = (THOUGHT, {"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t", "name": "x", "input": {}})
    transcript.add_reply(Reply("I look.", (), said))
    assert transcript.messages[-1] == {"role": "assistant", "content": list(said)}


# --- room -----------------------------------------------------------------------------------------------------


def shortened(transcript: Transcript) -> list[str]:
    """Names of the results that were taken out."""
    texts = [b["content"] for m in transcript.messages for b in m["content"] if b["type"] == "tool_result"]
    return [text.partition("result='")[2].partition("'")[0] for text in texts if text.startswith("[shortened")]


def test_the_oldest_results_go_first_until_there_is_room() -> None:
    transcript = turns(asked(), 8, "x" * 1_000)
    most = transcript.chars - 1_500
    assert transcript.shorten(most)
    gone = shortened(transcript)
    assert gone == [f"R{n}" for n in range(1, len(gone) + 1)]
    assert transcript.chars <= most * ROOM + 1_500, "much at once, so that the cache is broken seldom"
    assert not transcript.shorten(most)
    assert "x 1" in transcript.read("R1"), "it is kept whole"


def test_what_is_shortened_has_to_be_sent_again() -> None:
    transcript = turns(asked(), 8, "x" * 1_000)
    transcript.sent = len(transcript.messages)
    transcript.shorten(transcript.chars)
    assert transcript.sent == len(transcript.messages)
    transcript.shorten(transcript.chars - 1)
    assert transcript.sent == 2, "the first result"


def test_the_last_turns_and_the_question_are_never_shortened() -> None:
    transcript = turns(asked("x" * 5_000, "y" * 5_000), 8, "x" * 1_000)
    transcript.shorten(0)
    assert shortened(transcript) == [f"R{n}" for n in range(1, 8 - KEPT_TURNS + 1)]
    assert transcript.messages[0] == user("x" * 5_000, "y" * 5_000)


def test_enough_room_changes_nothing() -> None:
    transcript = turns(asked(), 8)
    before = copy.deepcopy(transcript.messages)
    assert not transcript.shorten(transcript.chars)
    assert transcript.messages == before
