"""Reads how Oracle is: the queue, the sources, what people said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

from bot.listeners.mentions import ListenerContext
from bot.middleware.losses import is_full
from bot.views.status import MOST_MINE, Health
from workers.access.doors import Doors
from workers.access.sources import Allowed
from workers.errors import StoreUnavailable
from workers.store.database import Database
from workers.store.feedback import tally
from workers.store.hook_events import list_hook_events
from workers.store.refusals import list_refusals
from workers.store.request_jobs import AT_REST, ENDING
from workers.store.source_refreshes import Source, list_sources

PACKAGE = "oracle-on-call"
DAYS = 7
"""So far back goes what is told of feedback and of what was refused."""


def read_health(attention: ListenerContext, team: str, user: str) -> Health:
    """How Oracle is, for one person. Raises: StoreUnavailable."""
    ledger, database = attention.ledger, attention.store.database
    allowed = attention.doors.allowed(team, user)
    counts = ledger.counts()
    mine = [asked for asked in ledger.open_of(team, user, MOST_MINE) if asked.stage not in ENDING]
    return Health(
        sources=seen_sources(attention.doors, allowed, list_sources(database)),
        open=sum(number for stage, number in counts.items() if stage not in AT_REST),
        waiting=counts.get("waiting", 0),
        oldest_s=ledger.oldest_open_s(),
        mine=tuple((asked, ledger.ahead(asked.request_id)) for asked in mine),
        said=tally(database, DAYS, team=team),
        version=installed_version(),
        hooks=list_hook_events(database) if allowed is None or "deploys:told" in allowed.sources else (),
        refused=list_refusals(database, DAYS),
        unkept=why_nothing_is_kept(database),
    )


def seen_sources(doors: Doors, allowed: Allowed | None, sources: Iterable[Source]) -> tuple[Source, ...]:
    """The sources with the lines that may be shown; those with none are not there."""
    if allowed is None:
        return tuple(sources)
    found: list[Source] = []
    for source in sources:
        lines = tuple(line for line in source.lines if doors.shows_line(allowed, source.name, line[0]))
        if lines:
            found.append(replace(source, lines=lines, ok=all(ok for _, ok in lines)))
    return tuple(found)


def why_nothing_is_kept(database: Database) -> str:
    """What keeps the database from taking anything, in a sentence; empty when it takes something."""
    try:
        database.probe()
    except StoreUnavailable as error:
        return f"Nothing can be kept, so nothing is taken: {'the disk is full' if is_full(error) else error}."
    return ""


def installed_version() -> str:
    """The installed version; empty when it runs from a folder."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return ""
