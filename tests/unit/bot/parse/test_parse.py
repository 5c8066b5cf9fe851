"""Nothing that Slack or anyone else sends raises, and what is read can be stored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from bot.parse import Kind, event_id, is_readable, misspelt, overheard, read_payload, read_stop, to_question, wants_help
from tests.support.slack_payloads import (
    APP,
    about,
    choose,
    command,
    edit,
    mention,
    message,
    org_wide,
    press,
    pressed,
    shortcut,
    stopped,
    window,
)

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PAYLOADS = [
    mention(),
    message(),
    message(channel_type="im"),
    edit(f"<@{APP}> why?", "why?"),
    stopped(),
    command(),
    press(),
    choose(),
    pressed("answer:rerun", "a1b2c3d4e5f6"),
    shortcut(),
    about(),
    window(kept={"channel": "C1", "thread_ts": "1.1", "quoted": "x"}),
]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["im", APP, "1.2", "C1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def broken(draw: st.DrawFn) -> Any:
    """A real payload with some of its values replaced by anything."""

    def break_it(value: Any) -> Any:
        if draw(st.integers(0, 9)) == 0:
            return draw(anything)
        if isinstance(value, dict):
            return {key: break_it(v) for key, v in value.items()}
        if isinstance(value, list):
            return [break_it(v) for v in value]
        return value

    whole = draw(st.sampled_from([*PAYLOADS, *map(org_wide, PAYLOADS)]))
    return break_it(whole)


@given(broken() | anything)
def test_no_payload_raises(body: Any) -> None:
    assert is_readable(body) in {True, False}
    received = read_payload(body, NOW)
    found = to_question(received)
    assert received.kind in get_args(Kind)
    assert received.is_foreign() in {True, False}
    assert not (wants_help(received) and found)
    for read in (read_stop, misspelt):
        read(received)
    for said in (found, overheard(received)):
        if said is None:
            continue
        assert said.channel
        assert said.asker
        assert said.text
        assert len(said.event_id) <= 128
        assert said.text == said.text.strip()
        said.model_dump_json().encode()


@given(st.text())
def test_event_ids_can_be_stored(given_id: str) -> None:
    kept = event_id(given_id)
    assert kept.isascii()
    assert len(kept) <= 128
    assert event_id(given_id) == kept
