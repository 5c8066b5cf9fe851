"""What LaunchDarkly and Unleash tell of a change, read as changes of flags. PURE.

Sources: LaunchDarkly's audit log entry, which its webhooks send as it is; Unleash's event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from workers.contracts import FlagChange
from workers.language.environment_names import spelled
from workers.language.payload_values import encodable, one_line, parse_moment, text_at, value_at

LAUNCHDARKLY = "https://app.launchdarkly.com"
LONGEST_NAME, LONGEST_ENVIRONMENT, LONGEST_CHANGE, LONGEST_VALUE, LONGEST_RESOURCE = 200, 64, 300, 300, 1_000
MOST_RESOURCES = 100
RESOURCE = re.compile(r"proj/([^:;]+)(?:;[^:]*)?:env/([^:;]+)(?:;[^:]*)?:(flag|segment)/([^:;]+)(?:;.*)?", re.DOTALL)
"""A resource of LaunchDarkly; tags stand after a semicolon."""
TURNED = {"turned on": ("off", "on"), "turned off": ("on", "off")}
HARMLESS = frozenset(
    "updateName updateDescription updateTags updateMaintainer updateTemporary createFlagLink updateFlagLink "
    "deleteFlagLink updateFlagCustomProperties updateFlagCodeReferences".split()
)
"""Actions of LaunchDarkly that change nothing of what people get."""
BOOKKEEPING = frozenset(
    "version lastModified salt sel _version _site _summary _links _debugEventsUntilDate lastSeenAt createdAt".split()
)
SWITCHED = {"feature-environment-enabled": ("off", "on"), "feature-environment-disabled": ("on", "off")}
WORDS = {
    **dict.fromkeys(("feature-environment-enabled", "feature-revived"), "turned on"),
    "feature-environment-disabled": "turned off",
    "feature-created": "created",
    "feature-archived": "archived",
    "feature-deleted": "deleted",
    "feature-updated": "updated",
    "feature-variants-updated": "changed its variants",
    "feature-environment-variants-updated": "changed its variants",
    "feature-strategy-add": "added a strategy",
    "feature-strategy-update": "changed a strategy",
    "feature-strategy-remove": "removed a strategy",
    "strategy-order-changed": "changed the order of its strategies",
    "feature-dependency-added": "made it depend on another",
    "feature-dependency-removed": "took a dependency away",
    "feature-project-change": "moved to another project",
    "segment-updated": "changed a segment",
}
"""Events of Unleash that change what people get, and what was done."""


class FlagEventError(ValueError):
    """It cannot be read. The message is one sentence that names the key."""


@dataclass(frozen=True)
class FlagEvents:
    """The changes that an event tells of, one an environment, or why it tells of none."""

    changes: tuple[FlagChange, ...] = ()
    ignored: str = ""


def is_launchdarkly(event: Any) -> bool:
    """Whether an event has the keys of LaunchDarkly's audit log."""
    return isinstance(event, Mapping) and "kind" in event and "date" in event


def is_unleash(event: Any) -> bool:
    """Whether an event has the keys of Unleash."""
    return isinstance(event, Mapping) and "type" in event and "createdAt" in event


def read_flag_event(event: Any, environment: str, site: str = "") -> FlagEvents:
    """An event of LaunchDarkly or Unleash.

    Args:
        event: any JSON.
        environment: the configured one, of events that name none.
        site: the address under which people look at flags; of LaunchDarkly its own when empty.

    Raises:
        FlagEventError: it is neither, or what is needed of it is missing.
    """
    try:
        if is_launchdarkly(event):
            return read_launchdarkly(event, environment, site or LAUNCHDARKLY)
        if is_unleash(event):
            return read_unleash(event, environment, site)
    except RecursionError as error:
        raise FlagEventError("it is nested too deeply") from error
    raise FlagEventError("the body is neither an entry of LaunchDarkly's audit log nor an event of Unleash")


def read_launchdarkly(entry: Mapping[str, Any], environment: str, site: str) -> FlagEvents:
    """An entry of the audit log: one change for each environment that it names. Raises: FlagEventError."""
    at = milliseconds(entry.get("date"))
    if at is None:
        raise FlagEventError("date: milliseconds since 1970 are needed")
    kind, title = text_at(entry, "kind"), one_line(text_at(entry, "titleVerb"), LONGEST_CHANGE)
    resources = value_at(entry, "target", "resources")
    texts = [r for r in resources if isinstance(r, str)] if isinstance(resources, list) else []
    found = [m for r in texts[:MOST_RESOURCES] if len(r) <= LONGEST_RESOURCE and (m := RESOURCE.fullmatch(r))]
    if not found:
        return FlagEvents(
            ignored=f"{one_line(title or kind, 80) or 'an entry'!r}: it changes no flag of an environment"
        )
    actions = actions_of(entry)
    if actions and actions <= HARMLESS:
        return FlagEvents(ignored=f"{min(actions)}: it changes nothing of what people get")
    link = text_at(entry, "_links", "site", "href") or text_at(entry, "target", "_links", "site", "href")
    changes = []
    for match in found:
        project, place, what, key = (one_line(part, LONGEST_NAME) for part in match.groups())
        before, after = launchdarkly_values(entry, match[2], title)
        changes.append(
            FlagChange(
                flag=key if what == "flag" else f"segment {key}"[:LONGEST_NAME],
                at=at,
                service="" if project == "default" else project,
                environment=spelled(place[:LONGEST_ENVIRONMENT], environment),
                change=title or "changed",
                before=before,
                after=after,
                who=person_of(entry),
                source="launchdarkly",
                url=f"{site.rstrip('/')}{encodable(link)[:500]}" if link.startswith("/") else "",
            )
        )
    return FlagEvents(tuple({(c.flag, c.environment): c for c in changes}.values()))


def actions_of(entry: Mapping[str, Any]) -> frozenset[str]:
    """What was done with its resources, such as ``updateOn``."""
    accesses = entry.get("accesses")
    found = [text_at(a, "action") for a in accesses] if isinstance(accesses, list) else []
    return frozenset(one_line(action, 80) for action in found if action)


def launchdarkly_values(entry: Mapping[str, Any], environment: str, title: str) -> tuple[str, str]:
    """What a flag was and is in an environment; by the words of the entry where it holds no versions."""
    old, new = (value_at(entry, name, "environments", environment) for name in ("previousVersion", "currentVersion"))
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        found = differences(old, new)
        if any(found):
            return found
    return next((values for words, values in TURNED.items() if title.lower().startswith(words)), ("", ""))


def person_of(entry: Mapping[str, Any]) -> str:
    """Who made a change: a member's address or name, else the token or the app."""
    member = entry.get("member")
    name = " ".join(filter(None, (text_at(member, "firstName"), text_at(member, "lastName"))))
    told = (text_at(member, "email"), name, text_at(entry, "token", "name"), text_at(entry, "app", "name"))
    return one_line(next(filter(None, told), ""), LONGEST_NAME)


def read_unleash(event: Mapping[str, Any], environment: str, site: str) -> FlagEvents:
    """An event of Unleash. Raises: FlagEventError."""
    kind = text_at(event, "type")
    if kind not in WORDS:
        return FlagEvents(ignored=f"{one_line(kind, 80)!r}: it changes nothing of what people get")
    at = parse_moment(event.get("createdAt"))
    if at is None:
        raise FlagEventError("createdAt: an RFC 3339 moment with a time zone is needed")
    named = text_at(event, "featureName") or text_at(event, "data", "name")
    flag = one_line(named if not kind.startswith("segment") else f"segment {named}", LONGEST_NAME)
    if not named or not flag:
        raise FlagEventError("featureName: the name of the flag is needed")
    project = one_line(text_at(event, "project"), LONGEST_NAME)
    place = one_line(text_at(event, "environment"), LONGEST_ENVIRONMENT)
    before, after = SWITCHED.get(kind) or differences(event.get("preData"), event.get("data"))
    page = f"{site.rstrip('/')}/projects/{quote(project, safe='')}/features/{quote(flag, safe='')}"
    change = FlagChange(
        flag=flag,
        at=at,
        service="" if project == "default" else project,
        environment=spelled(place or environment, environment),
        change=WORDS[kind],
        before=before,
        after=after,
        who=one_line(text_at(event, "createdBy"), LONGEST_NAME),
        source="unleash",
        url=page if site and project else "",
    )
    return FlagEvents((change,))


def differences(old: Any, new: Any) -> tuple[str, str]:
    """The values that differ in two versions, before and after; ``on`` and ``off`` where that is all."""
    old, new = (side if isinstance(side, Mapping) else {} for side in (old, new))
    names = [n for n in dict.fromkeys((*old, *new)) if n not in BOOKKEEPING and old.get(n) != new.get(n)]
    if names in (["on"], ["enabled"]):
        before, after = (side.get(names[0]) for side in (old, new))
        return switch(before), switch(after)
    sides = [", ".join(f"{n}: {as_json(side[n])}" for n in names if n in side) for side in (old, new)]
    return one_line(sides[0], LONGEST_VALUE), one_line(sides[1], LONGEST_VALUE)


def switch(value: Any) -> str:
    """A truth as people say it of a flag; empty for anything else."""
    return {True: "on", False: "off"}.get(value, "") if isinstance(value, bool) else ""


def as_json(value: Any) -> str:
    """A value on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def milliseconds(value: Any) -> datetime | None:
    """Milliseconds since 1970 as a moment; None when they are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value / 1_000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
