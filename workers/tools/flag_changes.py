"""flag_changes: flags and settings that were changed, of what hooks told, LaunchDarkly and Unleash."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pydantic import Field

from workers.contracts import Fact, FlagChange, ToolOutput, rfc3339
from workers.errors import StoreUnavailable, ToolUnavailable
from workers.language.environment_names import is_elsewhere, spelled
from workers.language.nearest_names import nearest_names
from workers.ports import ToolContext
from workers.sources.flags.evidence import change_evidence, summary_evidence
from workers.sources.flags.launchdarkly import LaunchDarkly
from workers.sources.flags.reading import FlagReading, FlagSource
from workers.sources.flags.unleash import Unleash
from workers.store.flag_changes import has_flag_changes, list_flag_changes
from workers.toolkit.time_spans import TIME, read_time_span
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

UNCONNECTED = (
    "no feature flags are connected: set flags.launchdarkly.token or flags.unleash.url in oracle.yaml "
    "(LAUNCHDARKLY_TOKEN, UNLEASH_URL), or open POST /hooks/flags (HOOKS_TOKEN)"
)
SPAN = timedelta(hours=6)


class FlagChangesArgs(ToolArgs):
    """Which changes."""

    flag: str = Field("", max_length=200, description="text that the flag's or setting's name contains, in any case")
    service: str = Field("", max_length=200, description="whose flags; those of no known service stay")
    environment: str = Field("", max_length=64, description="empty is all: the configured one first")
    since: str = Field("", max_length=60, description=f"{TIME}; empty is 6 hours before until")
    until: str = Field("", max_length=60, description=f"{TIME}; empty is now; the nearest before it come first")
    limit: int = Field(20, ge=1, le=100, description="how many changes at most")


class FlagChanges:
    """What changes are known from."""

    def __init__(self, resources: Resources) -> None:
        core = resources.settings.core
        self.environment, self.database = core.environment, resources.database
        self.hooks = bool(core.hooks.token or core.hooks.launchdarkly_secret)
        self.sources: list[FlagSource] = []
        if core.flags.launchdarkly.token:
            self.sources.append(LaunchDarkly(core.flags.launchdarkly, core.environment, core.flags.most))
        if core.flags.unleash.url:
            self.sources.append(Unleash(core.flags.unleash, core.environment, core.flags.most))

    def ping(self) -> str:
        """One line on all of them. Raises: ToolUnavailable: nothing is connected, or one does not answer."""
        told = ["changes that hooks tell of"] if self.hooks else []
        if not told and not self.sources:
            raise ToolUnavailable(UNCONNECTED)
        return "; ".join([*told, *(source.ping() for source in self.sources)])

    def run(self, args: FlagChangesArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "left_out", "changes", "notes"}``. Raises: ToolError."""
        span = read_time_span(args.since, args.until, SPAN, context)
        found, told = self.read(*span)
        if not found.changes and not told and not self.sources:
            nothing = "nobody has told of changed flags yet, so that none of them are known"
            return ToolOutput(summary=nothing, data={"count": 0, "left_out": 0, "changes": [], "notes": [nothing]})
        chosen = [change for change in found.changes if self.fits(change, args)]
        chosen.sort(key=lambda c: (is_elsewhere(c.environment, self.environment), -c.at.timestamp(), c.flag))
        asked = {name: getattr(args, name).strip() for name in ("flag", "service", "environment")}
        if not chosen and any(asked.values()):
            return self.nothing(asked, span, found)
        shown = chosen[: args.limit]
        left_out = len(chosen) - len(shown)
        title = f"{len(chosen)} changes of flags from {rfc3339(span[0])} to {rfc3339(span[1])}"
        title += f", {left_out} left out" if left_out else ""
        facts = {
            "count": Fact(value=len(chosen), unit="count"),
            "left_out": Fact(value=left_out, unit="count"),
            "span_start": Fact(value=rfc3339(span[0]), unit="time"),
            "span_end": Fact(value=rfc3339(span[1]), unit="time"),
        }
        items = tuple(change_evidence(change, self.environment) for change in shown)
        data = {
            "count": len(chosen),
            "left_out": left_out,
            "changes": [{name: fact.value for name, fact in item.facts.items()} for item in items],
            "notes": list(found.notes),
            "unavailable": list(found.notes),
        }
        evidence = (summary_evidence(title, asked, facts, found.notes), *items)
        return ToolOutput(summary=title, data=data, evidence=evidence)

    def read(self, since: datetime, until: datetime) -> tuple[FlagReading, bool]:
        """The changes of all sources, each once, and whether hooks told of any, ever.

        A source that cannot be read is told. Raises: ToolUnavailable: none can, or nothing is connected.
        """
        if not self.hooks and not self.sources:
            raise ToolUnavailable(UNCONNECTED)
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

    def fits(self, change: FlagChange, args: FlagChangesArgs) -> bool:
        """Whether a change is asked about."""
        flag, service, place = (text.strip().casefold() for text in (args.flag, args.service, args.environment))
        own = not service or not change.service or change.service.casefold() == service
        there = not place or spelled(place, change.environment).casefold() == change.environment.casefold()
        return flag in change.flag.casefold() and own and there

    def nothing(self, asked: dict[str, str], span: tuple[datetime, datetime], found: FlagReading) -> ToolOutput:
        """No change fits: which, when, and the names that are known."""
        said = ", ".join(f"{name} {value!r}" for name, value in asked.items() if value)
        reason = f"no change of a flag with {said} from {rfc3339(span[0])} to {rfc3339(span[1])}"
        names = sorted({name for c in found.changes for name in (c.flag, c.service) if name})
        nearest = nearest_names([value for value in asked.values() if value], names)
        data = {"count": 0, "left_out": 0, "changes": [], "notes": list(found.notes)}
        reason = "; ".join((reason, *found.notes))
        return ToolOutput(status="empty", reason=reason, nearest=tuple(nearest), data=data)


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


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    flags = FlagChanges(resources)
    run: Callable[[FlagChangesArgs, ToolContext], ToolOutput] = flags.run
    return Tool(
        name="flag_changes",
        purpose="see which flags were changed",
        description=(
            "Feature flags and settings that were changed in a span, the nearest to its end first: flag, environment, "
            "what it was before and is after, who changed it and when; how many are left out. Ask for the hours before "
            "something moved. Reads only."
        ),
        access="read",
        args=FlagChangesArgs,
        run=run,
        ping=flags.ping,
    )
