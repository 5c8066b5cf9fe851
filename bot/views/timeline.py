"""PURE: the window in which people correct the timeline of an incident."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, get_args

from bot.parse import text_at, value_at
from bot.parse.presses import kept_in
from bot.views.since import zone_of
from workers.delivery import names
from workers.delivery.rich_parts import plain
from workers.delivery.rich_text import clip, safe
from workers.incidents.model import Correction, Entry, Kind
from workers.incidents.timeline import key_of

Json = dict[str, Any]
PICK, WHEN, KIND, TEXT, REMOVE = "pick", "when", "kind", "text", "remove"
NEW = "*"
MOST_ENTRIES, OPTION, WORDS = 99, 75, 500
FORMAT = "%Y-%m-%d %H:%M"
NO_TIME = "Please write it as 2026-11-20 14:05."
NO_TEXT = "Please write what happened."
KINDS: tuple[Kind, ...] = get_args(Kind)


def timeline_view(entries: Sequence[Entry], kept: Mapping[str, str], chosen: str = "", zone: str = "UTC") -> Json:
    """The window, with the fields of one entry, or of a new one.

    Args:
        entries: of the timeline, oldest first.
        kept: what the window remembers: channel and incident.
        chosen: the entry's key; empty for a new one.
        zone: the person's, in which times are written.
    """
    entry = next((one for one in entries if key_of(one) == chosen), None)
    name = key_of(entry) if entry else ""
    block_of = {part: f"{part}:{name}"[:255] for part in (WHEN, KIND, TEXT, REMOVE)}  # a new id: Slack shows new values
    when = entry.at.astimezone(zone_of(zone)).strftime(FORMAT) if entry else ""
    words = {"type": "plain_text_input", "action_id": TEXT, "multiline": True, "max_length": WORDS}
    at = {"type": "plain_text_input", "action_id": WHEN, "placeholder": plain("2026-11-20 14:05")}
    kinds = [option(kind, kind) for kind in KINDS]
    kind = entry.kind if entry else "other"
    menu = {"type": "static_select", "action_id": KIND, "options": kinds, "initial_option": option(kind, kind)}
    if entry:
        words["initial_value"], at["initial_value"] = safe(entry.text)[:WORDS], when
    fields = [
        field(block_of[WHEN], f"When ({zone})", at, optional=entry is None),
        field(block_of[KIND], "Kind", menu),
        field(block_of[TEXT], "What happened", words, optional=entry is not None),
    ]
    if entry:
        boxes = {"type": "checkboxes", "action_id": REMOVE, "options": [option(REMOVE, "Remove this entry")]}
        fields.append(field(block_of[REMOVE], "Remove", boxes, optional=True))
    return {
        "type": "modal",
        "callback_id": names.TIMELINE_VIEW,
        "title": plain("Edit timeline"),
        "submit": plain("Save"),
        "close": plain("Cancel"),
        "private_metadata": json.dumps({**kept, "entry": name, "zone": zone}),
        "blocks": [picker(entries, name, zone), *fields],
    }


def picker(entries: Sequence[Entry], chosen: str, zone: str) -> Json:
    """The menu of entries, the newest ones."""
    shown = entries[-MOST_ENTRIES:]
    labels = {key_of(one): f"{one.at.astimezone(zone_of(zone)):%d %b %H:%M} {one.text}" for one in shown}
    options = [option(NEW, "A new entry"), *(option(key, label) for key, label in labels.items())]
    current = next((one for one in options if one["value"] == (chosen or NEW)), options[0])
    menu = {"type": "static_select", "action_id": names.TIMELINE_PICK, "options": options, "initial_option": current}
    text = {"type": "plain_text", "text": "Which entry?"}
    return {"type": "section", "block_id": PICK, "text": text, "accessory": menu}


def read_timeline(body: Mapping[str, Any], now: datetime, by: str) -> Correction | dict[str, str]:
    """What was entered, as a correction; or what is wrong, by block."""
    kept = kept_in(value_at(body, "view"))
    entry = text_at(kept, "entry")
    values = value_at(body, "view", "state", "values")
    block_of = {part: f"{part}:{entry}"[:255] for part in (WHEN, KIND, TEXT, REMOVE)}
    kind = text_at(values, block_of[KIND], KIND, "selected_option", "value")
    said = " ".join(text_at(values, block_of[TEXT], TEXT, "value").split())
    when = text_at(values, block_of[WHEN], WHEN, "value").strip()
    ticked = value_at(values, block_of[REMOVE], REMOVE, "selected_options")
    at = read_time(when, text_at(kept, "zone"))
    if when and at is None:
        return {block_of[WHEN]: NO_TIME}
    removed = bool(entry and ticked)
    if not said and not entry:
        return {block_of[TEXT]: NO_TEXT}
    known = next((one for one in KINDS if one == kind), "other")
    return Correction(entry=entry, at=at, kind=known, text=said, removed=removed, by=by, said_at=now)


def read_time(text: str, zone: str) -> datetime | None:
    """A time as the window shows it; None when it is none."""
    try:
        return datetime.strptime(text, FORMAT).replace(tzinfo=zone_of(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def option(value: str, text: str) -> Json:
    """One line of a menu."""
    return {"text": plain(clip(safe(text), OPTION) or " "), "value": value}


def field(block_id: str, label: str, element: Json, *, optional: bool = False) -> Json:
    """One input."""
    return {"type": "input", "block_id": block_id, "label": plain(label), "element": element, "optional": optional}
