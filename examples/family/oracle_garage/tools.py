"""garage_levels: how many spaces and chargers are free on each level, as the garage's counters say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from oracle_garage.settings import GarageSection
from workers.contracts import Evidence, Fact, Landscape, ToolOutput
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

NAME = "garage_levels"


class LevelArgs(ToolArgs):
    """Which level."""

    level: str = Field("", max_length=100, description="name of one level; empty for all")


class Level(BaseModel):
    """One level, as the counters tell of it."""

    name: str
    total: int = Field(ge=0)
    free: int = Field(ge=0)
    free_chargers: int = Field(0, ge=0)


class Counters(BaseModel):
    """What the file or the address holds."""

    updated: AwareDatetime
    levels: tuple[Level, ...]


class Garage:
    """The counters of one garage; they are read with every call."""

    def __init__(self, section: GarageSection) -> None:
        self.source, self.timeout_s = section.source, section.timeout_s

    def read(self) -> Counters:
        """Raises: ToolUnavailable: nothing can be read, or it has another form."""
        try:
            if self.source.startswith(("http://", "https://")):
                text = httpx.get(self.source, timeout=self.timeout_s).raise_for_status().text
            else:
                text = Path(self.source).read_text(encoding="utf-8")
            return Counters.model_validate_json(text)
        except (OSError, ValueError, httpx.HTTPError) as error:
            why = "it has another form" if isinstance(error, ValidationError) else str(error)
            if isinstance(error, OSError):
                why = f"{self.source}: {error.strerror}"
            raise ToolUnavailable(f"the counters of the garage cannot be read: {why}") from error

    def ping(self) -> str:
        """A line for ``oracle check``. Raises: ToolUnavailable."""
        return f"{len(self.read().levels)} levels"

    def landscape(self, context: ToolContext) -> Landscape:
        """The names that questions are read against. Raises: ToolUnavailable."""
        del context
        names = tuple(level.name for level in self.read().levels) if self.source else ()
        return Landscape(labels={"garage_level": names})

    def run(self, args: LevelArgs, context: ToolContext) -> ToolOutput:
        """One piece of evidence a level, the one with most free spaces first. Raises: ToolError."""
        del context
        counters = self.read()
        names = tuple(level.name for level in counters.levels)
        if args.level and args.level not in names:
            raise ToolArgumentError(f"the garage has no level {args.level!r}", names)
        chosen = [level for level in counters.levels if args.level in {"", level.name}]
        chosen.sort(key=lambda level: -level.free)
        evidence = tuple(self.evidence(level, counters) for level in chosen)
        return ToolOutput(summary=f"{len(evidence)} levels", data=counters.model_dump(mode="json"), evidence=evidence)

    def evidence(self, level: Level, counters: Counters) -> Evidence:
        """A level; every value that an answer may tell is a fact, whose it is and when it held."""
        numbers = level.model_dump(exclude={"name"})
        facts = {
            name: Fact(value=number, unit="count", entity=level.name, at=counters.updated)
            for name, number in numbers.items()
        }
        return Evidence(
            kind="row",
            title=f"Level {level.name}",
            locator=f"garage:{level.name}",
            url=self.source if self.source.startswith("http") else None,
            excerpt=", ".join(f"{name} {number}" for name, number in numbers.items()),
            facts={
                "level": Fact(value=level.name),
                "updated": Fact(value=counters.updated.isoformat(), unit="time"),
                **facts,
            },
            observed_at=counters.updated,
        )


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """The tool of a deployment."""
    NoOptions.model_validate(options)
    garage = Garage(resources.settings.section(GarageSection))
    return Tool(
        name=NAME,
        description="Free spaces and chargers of the parking garage, by level.",
        access="read",
        args=LevelArgs,
        run=garage.run,
        ping=garage.ping,
        landscape=garage.landscape,
        purpose="read the counters of the garage",
        source="garage",
        key="garage.source",
    )
