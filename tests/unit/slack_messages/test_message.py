"""Slack's messages and events as `ChannelMessage` and changes; whatever a payload holds, nothing breaks."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.parse.channels import author_of
from tests.support.each_row import each_row
from tests.support.payload_reading import change_of
from workers.contracts import ChannelMessage, Deleted, Reacted, Written, moment_of
from workers.language.people_names import people_in, with_names
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import read_message, read_page, version_of

TS, LATER = "1763632330.000100", "1763632390.000200"
NAMES = {"U1ABC": "Maya Lindqvist", "U2DEF": "tomas"}


def raw(text: str = "error rate is 5 %", **more: Any) -> dict[str, Any]:
    return {"type": "message", "ts": TS, "user": "U1ABC", "text": text, **more}


def as_kept(value: Any, names: dict[str, str] | None = None) -> ChannelMessage | None:
    """A message object as a channel keeps it."""
    found = version_of(read_message(Fields(value)))
    return with_names(found.message, names or {}) if isinstance(found, Written) else None


def read(text: str = "error rate is 5 %", **more: Any) -> ChannelMessage:
    found = as_kept(raw(text, **more), NAMES)
    assert found is not None
    return found


# --- one message ------------------------------------------------------------------------------------------------


def test_a_message_reads_as_people_see_it() -> None:
    found = read("<@U2DEF> &amp; <@U9ZZZ>: see <https://x.example/d|the board> in <#C1|search> <!here>")
    assert found.text == "@tomas & @U9ZZZ: see the board (https://x.example/d) in #search @here"
    assert (found.user, found.name, found.bot, found.said) == ("U1ABC", "Maya Lindqvist", False, True)
    assert found.thread_ts == ""


def test_the_root_of_a_thread_is_no_reply() -> None:
    assert read(thread_ts=TS, reply_count=2).thread_ts == ""
    assert read(thread_ts="1763632000.000100").thread_ts == "1763632000.000100"
    assert read_page([Fields(raw(thread_ts=TS, reply_count=2))]).roots == (TS,)
    assert read_page([Fields(raw(thread_ts="1763632000.000100"))]).roots == ()


def test_an_alert_says_what_its_attachments_say() -> None:
    attachment = {"title": "HighErrorRate", "text": "checkout 5xx &gt; 5 %"}
    found = read("", user=None, bot_id="B1", username="Alertmanager", attachments=[attachment])
    assert found.text == "HighErrorRate\ncheckout 5xx > 5 %"
    assert (found.name, found.user, found.bot, found.said) == ("Alertmanager", "B1", True, True)


def test_the_preview_of_a_link_is_not_said_and_a_passed_on_message_is() -> None:
    assert read("look", attachments=[{"from_url": "https://x", "text": "All systems operational"}]).text == "look"
    assert read("fyi", attachments=[{"is_share": True, "text": "db is at 98 %"}]).text == "fyi\ndb is at 98 %"


@each_row("subtype", ["channel_join", "channel_topic", "channel_purpose", "pinned_item", "bot_add"])
def test_notices_say_nothing(subtype: str) -> None:
    assert not read(subtype=subtype).said


@each_row("subtype", ["file_share", "thread_broadcast", "me_message", "bot_message"])
def test_spoken_subtypes_say_something(subtype: str) -> None:
    assert read(subtype=subtype).said


def test_files_reactions_and_edits() -> None:
    reactions = [{"name": "eyes", "users": ["U2DEF", "U1ABC", "U2DEF"]}, {"name": "+1", "users": []}]
    files = [{"title": "p95.png"}, {"mode": "tombstone", "title": "gone"}, {"name": "dump.txt"}]
    found = read(reactions=reactions, files=files, edited={"user": "U1ABC", "ts": LATER})
    assert found.reactions == {"eyes": ("U2DEF", "U1ABC")}
    assert found.files == ("p95.png", "dump.txt")
    assert (found.edited_at, found.worded_at) == (moment_of(LATER), moment_of(LATER))
    assert (read().edited_at, read().worded_at) == (None, moment_of(TS))


@each_row("gone", [{"subtype": "tombstone"}, {"is_ephemeral": True}, {"ts": "now"}, {"type": "file"}])
def test_what_is_no_message(gone: dict[str, Any]) -> None:
    assert as_kept(raw(**gone)) is None


def test_an_export_names_people_itself() -> None:
    found = as_kept(raw(user_profile={"display_name": "maya", "real_name": "Maya L"}))
    assert found is not None
    assert found.name == "maya"


def test_people_whose_names_are_wanted() -> None:
    said = [as_kept(raw("ask <@U2DEF>")), as_kept(raw(bot_id="B1", username="ci"))]
    assert people_in([m for m in said if m]) == ("U1ABC", "U2DEF")


# --- events -----------------------------------------------------------------------------------------------------


def changed(**more: Any) -> dict[str, Any]:
    event = {"type": "message", "subtype": "message_changed", "channel": "C1", "event_ts": LATER, "ts": LATER}
    return {**event, "message": raw("error rate is 2 %"), "previous_message": raw(), **more}


def test_an_edit_is_newer_than_what_it_replaces() -> None:
    before, after = change_of(raw(channel="C1")), change_of(changed())
    assert isinstance(before, Written)
    assert isinstance(after, Written)
    assert (before.message.ts, after.message.ts) == (TS, TS)
    assert before.version == float(TS) < after.version == float(LATER)
    assert after.message.text == "error rate is 2 %"


def test_deletions() -> None:
    assert change_of(changed(subtype="message_deleted", deleted_ts=TS)) == Deleted(TS)
    assert change_of(changed(message=raw("This message was deleted.", subtype="tombstone"))) == Deleted(TS)


def test_reactions() -> None:
    item = {"type": "message", "channel": "C1", "ts": TS}
    event = {"type": "reaction_added", "user": "U2DEF", "reaction": "eyes", "item": item, "event_ts": LATER}
    assert change_of(event) == Reacted(TS, "eyes", "U2DEF", added=True, at=float(LATER))
    assert change_of({**event, "type": "reaction_removed"}) == Reacted(
        TS, "eyes", "U2DEF", added=False, at=float(LATER)
    )
    assert change_of({**event, "item": {"type": "file"}}) is None


def test_what_changes_nothing() -> None:
    assert change_of(changed(subtype="message_replied")) is None
    assert change_of({"type": "channel_created", "channel": {"id": "C1"}}) is None


def test_who_wrote() -> None:
    assert author_of(Fields(raw())) == "U1ABC"
    assert author_of(Fields(changed())) == "U1ABC"
    assert author_of(Fields({"type": "message", "bot_id": "B1"})) == ""


# --- broken payloads --------------------------------------------------------------------------------------------

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([TS, LATER, "U1ABC", "message"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = (
    "type subtype ts thread_ts user bot_id bot_profile username user_profile text blocks attachments edited reactions "
    "files reply_count message previous_message deleted_ts event_ts item reaction channel is_ephemeral"
).split()
BROKEN = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=8)
KINDS = st.sampled_from(["message", "reaction_added", "reaction_removed"])
SUBTYPES = st.sampled_from(["", "message_changed", "message_deleted", "tombstone", "thread_broadcast", "channel_join"])


@given(BROKEN, KINDS, SUBTYPES, BROKEN)
def test_no_payload_breaks_anything(event: dict[str, Any], kind: str, subtype: str, inner: dict[str, Any]) -> None:
    whole = {"ts": TS, "event_ts": LATER, "message": {"type": "message", "ts": TS, **inner}} | event
    found = change_of({**whole, "type": kind, "subtype": subtype})
    assert found is None or isinstance(found, Written | Deleted | Reacted)
    if isinstance(found, Written):
        found.message.text.encode()
        assert len(found.message.text) <= 8_000
        assert found.message.at.tzinfo is not None
    author_of(Fields(event))


@given(JSON)
def test_anything_reads_as_a_message_or_as_none(value: Any) -> None:
    found = as_kept(value, NAMES)
    assert found is None or isinstance(found, ChannelMessage)
    assert change_of(value) is None or isinstance(value, dict)
