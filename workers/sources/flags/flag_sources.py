"""Everything that changes of flags are known from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial

from workers.contracts import FlagChange
from workers.errors import NotConnected, StoreUnavailable, ToolUnavailable
from workers.settings.load import Settings
from workers.sources.flags.launchdarkly import LaunchDarkly
from workers.sources.flags.reading import FlagReading, FlagSource
from workers.sources.flags.unleash import Unleash
from workers.store.database import Database
from workers.store.flag_changes import has_flag_changes, list_flag_changes

UNCONNECTED = (
    "no feature flags are connected: set flags.launchdarkly.token or flags.unleash.url in oracle.yaml "
    "(LAUNCHDARKLY_TOKEN, UNLEASH_URL), or open POST /hooks/flags (HOOKS_TOKEN)"
)


class FlagSources:
    """What hooks told, LaunchDarkly and Unleash, as far as they are connected."""

    def __init__(self, settings: Settings, database: Database | None) -> None:
        core = settings.core
        self.database = database if settings.shows("flags:told") else None
        self.hooks = settings.shows("flags:told") and bool(core.hooks.token or core.hooks.launchdarkly_secret)
        self.sources: list[FlagSource] = []
        if core.flags.launchdarkly.token:
            self.sources.append(LaunchDarkly(core.flags.launchdarkly, core.environment, core.flags.most))
        if core.flags.unleash.url:
            self.sources.append(Unleash(core.flags.unleash, core.environment, core.flags.most))

    def ping(self) -> str:
        """One line on all of them. Raises: ToolUnavailable: nothing is connected, or one does not answer."""
        told = ["changes that hooks tell of"] if self.hooks else []
        if not told and not self.sources:
            raise NotConnected(UNCONNECTED)
        return "; ".join([*told, *(source.ping() for source in self.sources)])

    @property
    def is_connected(self) -> bool:
        """Whether there is any."""
        return self.hooks or bool(self.sources)

    def read(self, since: datetime, until: datetime) -> tuple[FlagReading, bool]:
        """The changes of all sources, each once, and whether hooks told of any, ever.

        A source that cannot be read is told. Raises: ToolUnavailable: none can, or nothing is connected.
        """
        if not self.hooks and not self.sources:
            raise NotConnected(UNCONNECTED)
        jobs: list[Callable[[], FlagReading]] = [partial(source.read, since, until) for source in self.sources]
        jobs.append(partial(self.read_told, since, until))
        with ThreadPoolExecutor(max_workers=len(jobs)) as pool:
            answers = list(pool.map(attempt, jobs))
        readings = [answer for answer in answers if isinstance(answer, FlagReading)]
        errors = dict.fromkeys(str(answer) for answer in answers if isinstance(answer, ToolUnavailable))
        told = self.ever_told()
        if not readings or (errors and len(readings) == 1 and not told):
            raise ToolUnavailable("; ".join(errors))
        changes = once(change for reading in reversed(readings) for change in reading.changes)
        notes = dict.fromkeys((*errors, *(note for reading in readings for note in reading.notes)))
        return FlagReading(changes, tuple(notes)), told

    def read_told(self, since: datetime, until: datetime) -> FlagReading:
        """What hooks told of. Raises: ToolUnavailable."""
        if self.database is None:
            return FlagReading()
        try:
            return FlagReading(list_flag_changes(self.database, since, until))
        except StoreUnavailable as error:
            raise ToolUnavailable(str(error)) from error

    def ever_told(self) -> bool:
        """Whether hooks told of any change, ever; so it is taken to be where that cannot be known."""
        try:
            return self.database is not None and has_flag_changes(self.database)
        except StoreUnavailable:
            return True


def attempt(read: Callable[[], FlagReading]) -> FlagReading | ToolUnavailable:
    """What a source gives, or why it gives nothing."""
    try:
        return read()
    except ToolUnavailable as error:
        return error


def once(changes: Iterable[FlagChange]) -> tuple[FlagChange, ...]:
    """Each change once: of two of one flag, environment and moment the one that says what it was and is."""
    found: dict[tuple[str, str, datetime], FlagChange] = {}
    for change in changes:
        key = (change.flag.casefold(), change.environment, change.at)
        known = found.get(key)
        if known is None or (not (known.before or known.after) and (change.before or change.after)):
            found[key] = change
    return tuple(found.values())
