"""The timeline: what names its entries, and what people change in it."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.channel import DAY, OUTAGE, channel
from workers.engine.style import Voice
from workers.incidents.model import ChannelMessage, Correction, Entry
from workers.incidents.scribe import sum_up
from workers.incidents.summarize import summarize
from workers.incidents.timeline import corrected

NOON = DAY + timedelta(hours=12)
FOUND = (
    Entry(id="1763632330.000100:0", text="rolled back payments", ts=("1763632330.000100",), at=NOON, kind="rollback"),
    Entry(
        id="1763632330.000100:1",
        text="rolled back the gateway too",
        ts=("1763632330.000100",),
        evidence=("E1",),
        at=NOON,
        kind="rollback",
    ),
)


def change(entry: str = "", text: str = "", at: datetime | None = None, *, removed: bool = False) -> Correction:
    return Correction(entry=entry, text=text, at=at, kind="change", removed=removed, said_at=NOON)


def test_two_of_one_kind_from_one_message_both_stand() -> None:
    assert corrected(FOUND, ()) == FOUND
    spoken = "09:30 Ana: Restarted the payment workers. Disabled the nightly invoice export in the scheduler too."
    found = summarize(channel(f"{OUTAGE}\n{spoken}")).timeline
    assert [e.text.split()[0] for e in found if f"{e.at:%H:%M}" == "09:30"] == ["Restarted", "Disabled"]


def test_a_changed_entry_keeps_what_it_rests_on() -> None:
    first, second = corrected(FOUND, [change(FOUND[1].id, "rolled back the mail gateway", NOON + timedelta(hours=1))])
    assert first == FOUND[0]
    assert second.text == "rolled back the mail gateway"
    assert second.kind == "change"
    assert (second.id, second.ts, second.evidence) == (FOUND[1].id, FOUND[1].ts, ("E1",))


def test_a_change_without_words_leaves_the_words() -> None:
    (entry,) = corrected(FOUND[:1], [change(FOUND[0].id, at=NOON - timedelta(hours=1))])
    assert entry.text == FOUND[0].text
    assert entry.at == NOON - timedelta(hours=1)


def test_what_people_added_can_be_changed_again_and_again_and_removed() -> None:
    corrections = [change(text="the gateway ran out of sockets")]
    (added,) = corrected((), corrections)
    for text in ("out of sockets", "out of file handles"):
        corrections.append(change(added.id, text))
        (now,) = corrected((), corrections)
        assert (now.id, now.text) == (added.id, text)
    assert corrected((), [*corrections, change(added.id, removed=True)]) == ()


def test_a_change_of_what_is_gone_stays_when_it_says_something() -> None:
    assert corrected((), [change("1.000000:0")]) == ()
    (entry,) = corrected((), [change("1.000000:0", "failed over")])
    assert (entry.text, entry.ts, entry.at) == ("failed over", (), NOON)
    assert corrected((), [change("1.000000:0", "failed over"), change("1.000000:0", removed=True)]) == ()


@given(st.lists(st.tuples(st.sampled_from(["", *(e.id for e in FOUND), "added:0"]), st.booleans()), max_size=6))
def test_no_entry_stands_twice_and_none_is_lost_but_by_people(changes: list[tuple[str, bool]]) -> None:
    corrections = [change(name, f"text {n}", removed=removed) for n, (name, removed) in enumerate(changes)]
    left = corrected(FOUND, corrections)
    names = [entry.id for entry in left]
    assert len(names) == len(set(names))
    touched = {name for name, _ in changes}
    assert {entry for entry in FOUND if entry.id not in touched} <= set(left)
    assert [e.at for e in left] == sorted(e.at for e in left)


def test_an_entry_keeps_its_name_as_the_channel_goes_on() -> None:
    messages = channel(OUTAGE)
    named: dict[str, set[str]] = {}
    for count in range(1, len(messages) + 1):
        for entry in summarize(messages[:count]).timeline:
            named.setdefault(entry.id, set()).add(entry.ts[0])
    assert len(named) >= 5
    assert all(len(first) == 1 for first in named.values())


def test_what_people_moved_stays_where_it_is_though_its_words_do_not_hold() -> None:
    messages = [*channel(OUTAGE), ChannelMessage(ts="1763632330.000100", user="U1", name="ana", text="hm")]
    entry = next(e for e in summarize(messages).timeline if e.kind == "alert")
    moved = Correction(entry=entry.id, at=DAY, kind="detected", text="a pager went off", said_at=NOON)
    found = sum_up(messages, Voice(now=DAY), corrections=[moved]).summary.timeline
    assert [(e.at, e.kind, e.ts) for e in found if e.text == "a pager went off"] == [(DAY, "detected", entry.ts)]
