"""The window in which people correct the timeline of an incident."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any, get_args

from bot.parse.windows import Window
from slack_limits import ID_CHARS, OPTION_TEXT_CHARS
from workers.contracts import Correction, Kind
from workers.delivery import action_ids
from workers.delivery.rich_text import clip, safe
from workers.delivery.rich_text_blocks import plain
from workers.incidents.summary.summary_types import Entry
from workers.language.typed_times import CLOCK
from workers.language.zones import read_zone

Json = dict[str, Any]
PICK, WHEN, KIND, TEXT, REMOVE = "pick", "when", "kind", "text", "remove"
NEW = "*"
MOST_ENTRIES, WORDS, BEGINNING = 99, 500, 300
FORMAT = "%Y-%m-%d %H:%M"
CLOSE = timedelta(hours=6)
NO_TIME = "Please write a time as {clock}, or with its day as {full}."
HINT = "As {clock}, which is on {day} then, or with another day as {full}."
NO_TEXT = "Please write what happened."
KINDS: tuple[Kind, ...] = get_args(Kind)


def timeline_view(entries: Sequence[Entry], kept: Mapping[str, str], chosen: str = "", zone: str = "UTC") -> Json:
    """The window, with the fields of one entry, or of a new one.

    Args:
        entries: of the timeline, oldest first.
        kept: what the window remembers: channel, incident, and when it began as ``began``, RFC 3339.
        chosen: the entry's id; empty for a new one.
        zone: the person's, in which times are written.
    """
    entry = next((one for one in entries if one.id == chosen), None)
    name = entry.id if entry else ""
    block_of = {
        part: f"{part}:{name}"[:ID_CHARS] for part in (WHEN, KIND, TEXT, REMOVE)
    }  # a new id: Slack shows new values
    near = (entry.at if entry else read_moment(kept["began"], datetime.now(UTC))).astimezone(read_zone(zone))
    words = {"type": "plain_text_input", "action_id": TEXT, "multiline": True, "max_length": WORDS}
    at = {"type": "plain_text_input", "action_id": WHEN, "placeholder": plain(f"{near:%H:%M}")}
    kinds = [option(kind, kind) for kind in KINDS]
    kind = entry.kind if entry else "other"
    menu = {"type": "static_select", "action_id": KIND, "options": kinds, "initial_option": option(kind, kind)}
    if entry:
        words["initial_value"], at["initial_value"] = safe(entry.text)[:WORDS], f"{near:{FORMAT}}"
    when = field(block_of[WHEN], f"When ({zone})", at, optional=entry is None)
    fields = [
        when | {"hint": plain(HINT.format(clock=f"{near:%H:%M}", day=f"{near:%Y-%m-%d}", full=f"{near:{FORMAT}}"))},
        field(block_of[KIND], "Kind", menu),
        field(block_of[TEXT], "What happened", words, optional=entry is not None),
    ]
    if entry:
        boxes = {"type": "checkboxes", "action_id": REMOVE, "options": [option(REMOVE, "Remove this entry")]}
        fields.append(field(block_of[REMOVE], "Remove", boxes, optional=True))
    was = entry.text[:BEGINNING] if entry else ""
    remembered = {**kept, "entry": name, "was": was, "zone": zone, "near": near.isoformat()}
    return {
        "type": "modal",
        "callback_id": action_ids.TIMELINE_VIEW,
        "title": plain("Edit timeline"),
        "submit": plain("Save"),
        "close": plain("Cancel"),
        "private_metadata": json.dumps(remembered, ensure_ascii=False),  # Slack allows 3,000 characters
        "blocks": [picker(entries, name, zone), *fields],
    }


def picker(entries: Sequence[Entry], chosen: str, zone: str) -> Json:
    """The menu of entries, the newest ones."""
    shown = entries[-MOST_ENTRIES:]
    labels = {one.id: f"{one.at.astimezone(read_zone(zone)):%d %b %H:%M} {one.text}" for one in shown}
    options = [option(NEW, "A new entry"), *(option(key, label) for key, label in labels.items())]
    current = next((one for one in options if one["value"] == (chosen or NEW)), options[0])
    menu = {
        "type": "static_select",
        "action_id": action_ids.TIMELINE_PICK,
        "options": options,
        "initial_option": current,
    }
    text = {"type": "plain_text", "text": "Which entry?"}
    return {"type": "section", "block_id": PICK, "text": text, "accessory": menu}


def read_timeline(sent: Window, now: datetime) -> Correction | dict[str, str]:
    """What was entered, as a correction; or what is wrong, by block."""
    entry = sent.kept.get("entry", "")
    block_of = {part: f"{part}:{entry}"[:ID_CHARS] for part in (WHEN, KIND, TEXT, REMOVE)}
    kind = sent.field(block_of[KIND], KIND)
    said = " ".join(sent.field(block_of[TEXT], TEXT).split())
    when = sent.field(block_of[WHEN], WHEN).strip()
    near = read_moment(sent.kept.get("near", ""), now).astimezone(read_zone(sent.kept.get("zone", "")))
    at = read_time(when, near, now)
    if when and at is None:
        return {block_of[WHEN]: NO_TIME.format(clock=f"{near:%H:%M}", full=f"{near:{FORMAT}}")}
    removed = bool(entry) and (block_of[REMOVE], REMOVE) in sent.ticked
    if not said and not entry:
        return {block_of[TEXT]: NO_TEXT}
    known = next((one for one in KINDS if one == kind), "other")
    shared = {"was": sent.kept.get("was", ""), "by": sent.user, "said_at": now}
    return Correction(entry=entry, at=at, kind=known, text=said, removed=removed, **shared)


def read_time(text: str, near: datetime, now: datetime) -> datetime | None:
    """A time as the window shows it, or a clock time alone; None when it is neither.

    Args:
        text: ``2026-11-20 14:05``, or ``14:05``: on the day of ``near``, or the one before or after where only that
            lies close to it, as around midnight; what would be ahead was the day before.
        near: what the window shows, in the person's zone.
        now: aware.
    """
    if clock := CLOCK.fullmatch(text):
        at = time(int(clock[1]), int(clock[2]))
        same, *others = (datetime.combine(near.date() + timedelta(days), at, near.tzinfo) for days in (0, -1, 1))
        found = next((one for one in (same, *others) if abs(one - near) <= CLOSE), same)
        return (found if found <= now else found - timedelta(days=1)).astimezone(UTC)
    try:
        return datetime.strptime(text, FORMAT).replace(tzinfo=near.tzinfo).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_moment(text: str, otherwise: datetime) -> datetime:
    """A moment that the window remembers; the other one where it remembers none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return otherwise


def option(value: str, text: str) -> Json:
    """One line of a menu."""
    return {"text": plain(clip(safe(text), OPTION_TEXT_CHARS) or " "), "value": value}


def field(block_id: str, label: str, element: Json, *, optional: bool = False) -> Json:
    """One input."""
    return {"type": "input", "block_id": block_id, "label": plain(label), "element": element, "optional": optional}
