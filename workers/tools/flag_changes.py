"""flag_changes: flags and settings that were changed, of what hooks told, LaunchDarkly and Unleash."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from workers.contracts import Fact, FlagChange, ToolOutput, rfc3339
from workers.language.environment_names import is_elsewhere, spelled
from workers.language.nearest_names import nearest_names
from workers.ports import ToolContext
from workers.sources.evidence.span_summary import span_summary
from workers.sources.flags.evidence import change_evidence
from workers.sources.flags.flag_sources import FlagSources
from workers.sources.flags.reading import FlagReading
from workers.toolkit.time_spans import TIME, read_time_span
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

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
    """The tool's state: what changes are known from, and the environment that questions are about."""

    def __init__(self, resources: Resources) -> None:
        self.environment = resources.settings.core.environment
        self.known = FlagSources(resources.settings, resources.database)

    def run(self, args: FlagChangesArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "left_out", "changes", "notes"}``. Raises: ToolError."""
        span = read_time_span(args.since, args.until, SPAN, context)
        found, told = self.known.read(*span)
        if not found.changes and not told and not self.known.sources:
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
        evidence = (span_summary("flag", "flags://changes", title, asked, facts, found.notes), *items)
        return ToolOutput(summary=title, data=data, evidence=evidence)

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


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    flags = FlagChanges(resources)
    run: Callable[[FlagChangesArgs, ToolContext], ToolOutput] = flags.run
    return Tool(
        name="flag_changes",
        source="feature flags",
        key="flags",
        purpose="see which flags were changed",
        description=(
            "Feature flags and settings that were changed in a span, the nearest to its end first: flag, environment, "
            "what it was before and is after, who changed it and when; how many are left out. Ask for the hours before "
            "something moved. Reads only."
        ),
        access="read",
        args=FlagChangesArgs,
        run=run,
        ping=flags.known.ping,
    )
