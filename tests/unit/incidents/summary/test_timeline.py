"""The timeline: what names its entries, and what people change in it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.channel_lines import DAY, OUTAGE, channel
from workers.contracts import ChannelMessage, Correction
from workers.grounding.value_format import Voice
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summarizer import summarize_channel
from workers.incidents.summary.summary_types import Entry
from workers.incidents.summary.timeline import corrected

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
    spoken = "10:34 Tom: Restarted the payment workers. Disabled the nightly invoice export in the scheduler too."
    found = summarize(channel(f"{OUTAGE}\n{spoken}")).timeline
    assert [e.text.split()[0] for e in found if f"{e.at:%H:%M}" == "10:34"] == ["Restarted", "Disabled"]


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
    found = summarize_channel(messages, Voice(now=DAY), corrections=[moved]).summary.timeline
    assert [(e.at, e.kind, e.ts) for e in found if e.text == "a pager went off"] == [(DAY, "detected", entry.ts)]


# --- what stays though messages are edited ------------------------------------------------------------------------

BEGUN = "10:00 Ana: SEV2: checkout error rate is 5%, investigating. Customers see 502."


def corrected_then(before: str, words: str, after: str, **change: Any) -> list[tuple[str, str, datetime | None]]:
    """What a message's moments are, and when people corrected them, once it says something else than it did then."""
    talk = channel(f"{BEGUN}\n10:03 Bo: {before}")
    entry = next(e for e in summarize(talk).timeline if words in e.text)
    changed = Correction(entry=entry.id, was=entry.text, kind=entry.kind, said_at=NOON, **change)
    edited = summarize(channel(f"{BEGUN}\n10:03 Bo: {after}"), corrections=[changed]).timeline
    return [(e.kind, e.text.rstrip("."), e.said_at) for e in edited if e.kind not in {"declared", "detected"}]


ROLLED_BACK, RESTARTED = "rolled back payments to v1", "restarted the checkout workers"
REWORDED = f"Update: all hands here. {ROLLED_BACK}"


def test_a_correction_is_of_the_sentence_that_says_the_same_wherever_it_stands_by_now() -> None:
    moved = {"at": NOON, "text": "Rolled payments back"}
    now = [("rollback", "Rolled payments back", NOON)]
    assert corrected_then(ROLLED_BACK, "Rolled", REWORDED, **moved) == now
    assert corrected_then(REWORDED, "Rolled", ROLLED_BACK, **moved) == now
    two = corrected_then(ROLLED_BACK, "Rolled", f"{RESTARTED}. {ROLLED_BACK}", **moved)
    assert sorted(two) == [("change", "Restarted the checkout workers", None), *now]
    assert corrected_then(ROLLED_BACK, "Rolled", "reverted payments to the version before", **moved) == now


def test_what_was_removed_stays_so_and_takes_nothing_else_with_it() -> None:
    assert corrected_then(ROLLED_BACK, "Rolled", REWORDED, removed=True) == []
    left = [("change", "Restarted the checkout workers", None)]
    assert corrected_then(ROLLED_BACK, "Rolled", f"{RESTARTED}. {ROLLED_BACK}", removed=True) == left
    assert corrected_then(f"{ROLLED_BACK}. {RESTARTED}", "Rolled", RESTARTED, removed=True) == left


def test_a_second_correction_is_of_what_the_first_made() -> None:
    first = Correction(entry=FOUND[0].id, was=FOUND[0].text, text="reverted the deploy", kind="change", said_at=NOON)
    second = first.model_copy(update={"was": first.text, "text": "reverted version 12"})
    shifted = [e.model_copy(update={"id": f"{e.ts[0]}:{n}"}) for n, e in enumerate(reversed(FOUND))]
    for found in (FOUND, shifted):
        assert {e.text for e in corrected(found, [first, second])} == {"reverted version 12", FOUND[1].text}


def test_a_correction_of_a_sentence_that_is_gone_stands_beside_the_one_that_has_its_number() -> None:
    text = "the pager went off"
    gone = Correction(entry=FOUND[1].id, was="failed over to Dublin", text=text, kind="alert", said_at=NOON)
    found = corrected(FOUND, [gone])
    assert sorted(e.text for e in found) == sorted([FOUND[0].text, FOUND[1].text, text])
    own = next(e for e in found if e.text == text)
    again = Correction(entry=own.id, was=own.text, removed=True, said_at=NOON)
    assert set(corrected(FOUND, [gone, again])) == set(FOUND)
