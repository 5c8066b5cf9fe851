"""What tells of changed flags and settings -> changes: Oracle's own plain form, LaunchDarkly's, Unleash's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.parse.hooks import AHEAD, LONGEST_ENVIRONMENT, LONGEST_NAME, Unreadable, read_moment, read_object, read_text
from workers.contracts import FlagChange, rfc3339
from workers.language.environment_names import spelled
from workers.language.flag_events import (
    LONGEST_CHANGE,
    LONGEST_VALUE,
    FlagEventError,
    as_json,
    is_launchdarkly,
    is_unleash,
    read_flag_event,
    switch,
)
from workers.language.payload_values import one_line

KEYS = ("flag", "service", "environment", "change", "before", "after", "who", "at")
MOST_CHANGES = 100


@dataclass(frozen=True)
class ToldFlags:
    """The changes that a payload tells of, and why the last that it tells nothing of is none."""

    changes: tuple[FlagChange, ...] = ()
    ignored: str = ""


@dataclass(frozen=True)
class FlagSites:
    """Where people look at flags; empty where that is not known."""

    launchdarkly: str = ""
    unleash: str = ""


def read_flags(payload: Any, environment: str, now: datetime, sites: FlagSites | None = None) -> ToldFlags:
    """One change or a list of them, in any of the forms.

    Args:
        payload: ``{flag, service, environment, change, before, after, who, at}``, of which ``flag`` and one of
            ``change``, ``before`` and ``after`` are needed; an entry of LaunchDarkly's audit log; an event of Unleash.
        environment: the configured one, of a change that names none.
        now: aware; the moment of a change that names none.
        sites: for the links.

    Raises: Unreadable.
    """
    listed = payload if isinstance(payload, list) else [payload]
    if len(listed) > MOST_CHANGES:
        raise Unreadable(f"{len(listed):,} changes at once; at most {MOST_CHANGES} are taken")
    changes: list[FlagChange] = []
    ignored = ""
    for number, one in enumerate(listed):
        place = f"[{number}]" if isinstance(payload, list) else ""
        told = read_one(one, place, environment, now, sites or FlagSites())
        changes += told.changes
        ignored = told.ignored or ignored
    return ToldFlags(tuple(changes), ignored)


def read_one(payload: Any, place: str, environment: str, now: datetime, sites: FlagSites) -> ToldFlags:
    """What one object tells. ``place``: where it stands in the list. Raises: Unreadable."""
    dot = f"{place}." if place else ""
    if not (is_launchdarkly(payload) or is_unleash(payload)):
        return ToldFlags((read_plain(payload, place, environment, now),))
    try:
        site = sites.launchdarkly if is_launchdarkly(payload) else sites.unleash
        told = read_flag_event(payload, environment, site)
    except FlagEventError as error:
        raise Unreadable(f"{dot}{error}") from error
    for change in told.changes:
        if change.at > now + AHEAD:
            raise Unreadable(f"{dot or ''}{rfc3339(change.at)} is in the future")
    return ToldFlags(told.changes, told.ignored)


def read_plain(payload: Any, place: str, environment: str, now: datetime) -> FlagChange:
    """One change in the plain form. Raises: Unreadable."""
    given, dot = read_object(payload, place, "change", KEYS), f"{place}." if place else ""
    if not given.keys() & {"change", "before", "after"}:
        raise Unreadable(f"{dot}change: say what was done, or what the flag was before and is after")
    flag = read_text(given.get("flag"), f"{dot}flag", LONGEST_NAME)
    named = read_text(given.get("environment", environment), f"{dot}environment", LONGEST_ENVIRONMENT)
    return FlagChange(
        flag=flag,
        at=read_moment(given["at"], f"{dot}at", now) if "at" in given else now,
        service=read_text(given.get("service"), f"{dot}service", LONGEST_NAME, needed=False),
        environment=spelled(named, environment),
        change=read_text(given.get("change", "changed"), f"{dot}change", LONGEST_CHANGE),
        before=value_text(given.get("before")),
        after=value_text(given.get("after")),
        who=read_text(given.get("who"), f"{dot}who", LONGEST_NAME, needed=False),
    )


def value_text(value: Any) -> str:
    """A value of a flag as text: any JSON; truths are on and off; empty where there is none. Raises: Unreadable."""
    if value is None:
        return ""
    try:
        return switch(value) or one_line(value if isinstance(value, str) else as_json(value), LONGEST_VALUE)
    except RecursionError as error:
        raise Unreadable("the body is nested too deeply") from error
