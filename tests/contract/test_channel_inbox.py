"""What followed channels say is kept as it came and cleaned later, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from workers.contracts import Change, ChannelMessage, Deleted, Reacted, Written
from workers.errors import LeaseLost
from workers.store.channel_ids import change_channel_id
from workers.store.channel_inbox import (
    INBOXES,
    MOST_CHARS,
    ChannelInbox,
    clean_batch,
    cut,
    put_in_inbox,
    read_change,
    release_inbox,
    written_down,
)
from workers.store.channel_messages import load_messages
from workers.store.database import Database, open_database
from workers.store.followed_channels import follow_declared, followed
from workers.store.tables import channel_inbox

HERE, THERE = ("T1", "C1"), ("T1", "C2")
FIRST, SECOND = "1763632330.000100", "1763632340.000100"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    follow_declared(opened, *HERE, "")
    follow_declared(opened, *THERE, "")
    yield opened
    opened.close()


def hide(text: str) -> str:
    return text.replace("hunter2", "[redacted]")


def written(text: str, ts: str = FIRST, **more: Any) -> Written:
    return Written(ChannelMessage(ts=ts, user="U1", text=text, **more), float(ts))


def claim(database: Database, place: tuple[str, str] = HERE) -> ChannelInbox:
    held = INBOXES.claim(database, place, 20)
    assert held is not None
    return held


def clean(database: Database, held: ChannelInbox, how: Callable[[str], str] = hide) -> None:
    while clean_batch(database, held, how, lambda: None, settle_s=0, every_s=0):
        pass


def waiting(database: Database) -> int:
    with database.begin() as connection:
        return connection.execute(select(func.count()).select_from(channel_inbox)).scalar() or 0


def test_what_came_joins_the_messages_without_its_secrets_and_makes_the_summary_due(database: Database) -> None:
    put_in_inbox(database, *HERE, written("the password is hunter2", files=("hunter2.txt",)))
    put_in_inbox(database, *HERE, written("second", SECOND))
    put_in_inbox(database, *HERE, Reacted(FIRST, "eyes", "U2", True, 1.0))
    put_in_inbox(database, *HERE, Deleted(SECOND))
    assert load_messages(database, *HERE) == ()
    before = followed(database, *HERE)
    held = claim(database)
    clean(database, held)
    release_inbox(database, held)
    (message,) = load_messages(database, *HERE)
    assert (message.text, message.files) == ("the password is [redacted]", ("[redacted].txt",))
    assert message.reactions == {"eyes": ("U2",)}
    assert waiting(database) == 0
    after = followed(database, *HERE)
    assert before is not None
    assert after is not None
    assert after.dirty > before.dirty
    assert INBOXES.claim(database, HERE, 20) is None, "nothing is left to do"


def test_one_channels_flood_keeps_neither_the_database_nor_another_channel(database: Database) -> None:
    for number in range(6):
        put_in_inbox(database, *HERE, written("x" * 1_000, f"17636323{number:02d}.000100"))
    held, begun, go_on = claim(database), threading.Event(), threading.Event()

    def slow(text: str) -> str:
        begun.set()
        assert go_on.wait(60)
        return text

    cleaning = threading.Thread(target=clean, args=(database, held, slow))
    cleaning.start()
    try:
        assert begun.wait(60)
        assert INBOXES.claim(database, HERE, 20) is None, "one worker at a time"
        put_in_inbox(database, *THERE, written("the others talk on"))
        put_in_inbox(database, *HERE, written("so does the flood", SECOND))
        other = claim(database, THERE)
        clean(database, other)
        release_inbox(database, other)
        assert [m.text for m in load_messages(database, *THERE)] == ["the others talk on"]
    finally:
        go_on.set()
        cleaning.join(60)
    release_inbox(database, held)
    assert len(load_messages(database, *HERE)) == 7


def test_what_comes_while_a_worker_gives_back_is_due_again(database: Database) -> None:
    put_in_inbox(database, *HERE, written("first"))
    held = claim(database)
    clean(database, held)
    put_in_inbox(database, *HERE, written("second", SECOND))
    release_inbox(database, held)
    clean(database, claim(database))
    assert [m.text for m in load_messages(database, *HERE)] == ["first", "second"]


def test_a_worker_that_lost_the_channel_moves_nothing(database: Database) -> None:
    put_in_inbox(database, *HERE, written("first"))
    held = claim(database)
    change_channel_id(database, *HERE, "C9")
    clean(database, held)
    with pytest.raises(LeaseLost):
        release_inbox(database, held)
    assert load_messages(database, *HERE) == ()
    clean(database, claim(database, ("T1", "C9")))
    assert [m.text for m in load_messages(database, "T1", "C9")] == ["first"]


def test_what_came_under_the_new_id_first_is_due_after_the_move(database: Database) -> None:
    put_in_inbox(database, *HERE, written("first"))
    held = claim(database)
    clean(database, held)
    release_inbox(database, held)
    put_in_inbox(database, *THERE, written("second", SECOND))
    change_channel_id(database, *HERE, THERE[1])
    clean(database, claim(database, THERE))
    assert [m.text for m in load_messages(database, *THERE)] == ["first", "second"]


def test_an_inbox_that_may_have_left_traces_is_due_again(database: Database) -> None:
    put_in_inbox(database, *HERE, written("first"))
    held = claim(database)
    clean(database, held)
    release_inbox(database, held, again=True)
    release_inbox(database, claim(database))
    assert INBOXES.claim(database, HERE, 20) is None


words = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30)
changes = st.one_of(
    st.builds(
        lambda text, name, files, edited: Written(
            ChannelMessage(
                FIRST, text=text, name=name, files=tuple(files), edited_at=edited, reactions={"eyes": ("U1",)}
            ),
            float(FIRST),
        ),
        words,
        words,
        st.lists(words, max_size=3),
        st.one_of(st.none(), st.floats(1e9, 4e9).map(lambda seconds: datetime.fromtimestamp(int(seconds), UTC))),
    ),
    st.just(Deleted(FIRST)),
    st.builds(Reacted, st.just(FIRST), words, words, st.booleans(), st.floats(0, 2e9)),
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(changes)
def test_a_change_is_read_as_it_was_written_down(change: Change) -> None:
    assert read_change(written_down(change)) == change


@settings(deadline=None)
@given(st.text(alphabet="ab \n", max_size=60), st.integers(0, 5_000))
def test_a_text_is_cut_between_words(end: str, tail: int) -> None:
    text = "word " * (MOST_CHARS // 5) + end + "z" * tail
    shown = cut(written(text))
    assert isinstance(shown, Written)
    assert len(shown.message.text) <= MOST_CHARS
    assert set(shown.message.text.split()) <= set(text.split())
