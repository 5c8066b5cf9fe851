"""One claim a row: an alert, a count, a pair, a rhythm, something new, an object of NetBox, a change."""

from __future__ import annotations

from workers.contracts import Claim, Evidence
from workers.grounding.health import text_of
from workers.reasoning.claim_phrases import has


def claim(item: Evidence, template: str) -> Claim:
    """A claim that rests on one item."""
    return Claim(template=template, evidence=(item.id,))


def end(item: Evidence, host: str, port: str) -> str:
    """``10.0.0.1:443`` as slots."""
    number = f":{{{item.id}.{port}}}" if has(item, port) else ""
    return f"{{{item.id}.{host}}}{number}"


def alert_row(item: Evidence) -> Claim:
    """One alert."""
    k = item.id
    name = f", {{{k}.name}}" if has(item, "name") else ""
    mitre = f", MITRE {{{k}.mitre}}" if has(item, "mitre") else ""
    about = f" ({{{k}.category}}{mitre})" if has(item, "category") else ""
    action = f", {{{k}.action}}" if has(item, "action") else ""
    return claim(
        item,
        f"{{{k}.at}} · severity {{{k}.severity}} · “{{{k}.signature}}”{about}: {end(item, 'src', 'from_port')} → "
        f"{end(item, 'dest', 'to_port')}{name}{action}, sid {{{k}.sid}}, {{{k}.place}}",
    )


def group_row(item: Evidence) -> Claim:
    """A count of alerts."""
    k = item.id
    sid = f" (sid {{{k}.value}})" if text_of(item, "by") == "signature" else ""
    worst = f"worst severity {{{k}.worst}}, " if text_of(item, "worst") not in {"", "0"} else ""
    return claim(
        item,
        f"{{{k}.count}} × “{{{k}.label}}”{sid}: {worst}from {{{k}.sources}} to {{{k}.targets}} addresses, "
        f"last at {{{k}.last}}",
    )


def talk_row(item: Evidence) -> Claim:
    """A pair."""
    k = item.id
    proto = f" {{{k}.app_proto}}" if has(item, "app_proto") else ""
    name = f" ({{{k}.name}})" if has(item, "name") else ""
    size = f", {{{k}.bytes_out}} sent, {{{k}.bytes_in}} received" if has(item, "bytes_out") else ""
    if not (has(item, "src") and has(item, "dest")):
        host = "src" if has(item, "src") else "dest"
        return claim(item, f"{{{k}.{host}}}: {{{k}.flows}} connections{size}, last at {{{k}.last}}")
    return claim(
        item,
        f"{{{k}.src}} → {end(item, 'dest', 'dest_port')}{proto}{name}: {{{k}.flows}} connections"
        f"{size}, last at {{{k}.last}}",
    )


def beacon_row(item: Evidence) -> Claim:
    """A rhythm with its numbers."""
    k = item.id
    name = f" ({{{k}.name}})" if has(item, "name") else ""
    return claim(
        item,
        f"{{{k}.src}} → {end(item, 'dest', 'dest_port')}{name}: {{{k}.count}} connections every {{{k}.interval_s}}, "
        f"jitter {{{k}.jitter}}, {{{k}.regular}} of the intervals regular, over {{{k}.span_s}}",
    )


def first_sight_row(item: Evidence) -> Claim:
    """Something new."""
    k = item.id
    label = f"“{{{k}.label}}” ({{{k}.value}})" if has(item, "label") else f"{{{k}.value}}"
    host = f" on {{{k}.host}}" if has(item, "host") else ""
    return claim(item, f"{{{k}.what}} {label}{host}: first at {{{k}.first}}, seen {{{k}.events}} times since")


def change_row(item: Evidence) -> Claim:
    """A change in NetBox."""
    k = item.id
    by = f" by {{{k}.by}}" if has(item, "by") else ""
    what = f"{{{k}.what}}" if has(item, "what") else "an object"
    return claim(item, f"{{{k}.changed_at}}: {what} ({{{k}.of_type}}) {{{k}.action}}{by}")


ORDER = ("name", "address", "prefix", "interface", "rack", "vlan", "site")
WORDS = "status role device model type mac primary vid location rack position tenant dns_name contacts".split()


def record_row(item: Evidence) -> Claim:
    """An object of NetBox: its name, and what is known of it."""
    k = item.id
    names = [name for name in ORDER if has(item, name)]
    if not names:
        return claim(item, item.title)
    more = [
        f"{name.replace('_', ' ')} {{{k}.{name}}}"
        for name in dict.fromkeys((*WORDS, *names[1:]))
        if has(item, name) and name != names[0]
    ]
    said = f": {', '.join(more)}" if more else ""
    return claim(item, f"{{{k}.{names[0]}}}{said}")
