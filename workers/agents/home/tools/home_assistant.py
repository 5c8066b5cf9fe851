"""The tools that read a home: how things stand, and since when. Only what is exposed to Assist is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic import Field

from workers.agents.home.evidence import page_of, row_of, span_facts, state_evidence
from workers.agents.home.language.vocabulary import BINARY_STATES
from workers.agents.home.source.find_entities import find_entities, narrow
from workers.agents.home.source.home import HomeAssistant, open_home
from workers.agents.home.source.model import State
from workers.agents.home.source.routines import guarded_in
from workers.agents.home.source.selection import Order, Selection, in_order, in_time, say_selection, select
from workers.agents.home.source.since import changes_in, current_span, last_span
from workers.agents.home.source.state_words import is_so, number_of, say_state, spoken
from workers.contracts import EntityInfo, Evidence, Fact, Landscape, ToolOutput
from workers.errors import ToolArgumentError
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

ENTITIES = "ids such as light.desk, or names, separated by commas"
MOST_CHARS = 12_000
MOST_SHOWN = 30
MOST_HISTORIES = 20


class StatesArgs(Selection, ToolArgs):
    """What to look at; everything when nothing is given."""

    entities: str = Field("", max_length=MOST_CHARS, description=f"{ENTITIES}; empty: all that the rest allows")
    area: str = Field("", max_length=100, description="only in this room")
    floor: str = Field("", max_length=100, description="only on this floor")
    domain: str = Field("", max_length=40, description="only of this kind: light, switch, cover, climate, sensor …")
    device_class: str = Field("", max_length=40, description="only of this device class: temperature, window, garage …")
    order: Order = Field("", description="the highest, lowest, longest or shortest first; difference: of two")


class HistoryArgs(ToolArgs):
    """Of what, and how far back."""

    entities: str = Field(min_length=1, max_length=MOST_CHARS, description=ENTITIES)
    state: str = Field("", max_length=40, description="when it was last so; empty: since when it is as it is now")
    hours: int = Field(48, ge=1, le=720, description="how far back")


@dataclass(frozen=True)
class HomeLandscape:
    """What a home holds: its things, and the routines that may run at once or wait for a confirmation.

    Equal for the same home, so that several tools over it are asked once.
    """

    home: HomeAssistant

    def __call__(self, context: ToolContext) -> Landscape:
        """The names. Raises: ToolUnavailable, ToolDenied."""
        del context
        plain: list[str] = []
        guarded: list[str] = []
        for name, routine in self.home.access.routines.items():
            (guarded if guarded_in(self.home.home, routine.entity) else plain).extend((name, *routine.phrases))
        labels = {
            "home_routine": tuple(plain),
            "home_guarded_routine": tuple(guarded),
            "home_language": self.home.access.languages,
        }
        return Landscape(
            entities=tuple(self.home.home.entities.values()),
            labels={key: value for key, value in labels.items() if value},
        )


class HomeReading:
    """The tools' functions, over one home."""

    def __init__(self, home: HomeAssistant) -> None:
        self.home = home
        self.landscape = HomeLandscape(home)

    def prepare(self) -> None:
        """Read the names of the home. Raises: ToolUnavailable, ToolDenied."""
        self.home.prepare()

    def ping(self) -> str:
        """One line. Raises: ToolUnavailable, ToolDenied."""
        version = self.home.rest.version()
        self.home.renew()
        return f"Home Assistant {version}, {len(self.home.home.entities)} entities that Assist may see"

    def chosen(self, args: StatesArgs) -> list[EntityInfo]:
        """The entities that are asked for. Raises: ToolArgumentError."""
        known = self.home.home.entities
        named = find_entities(known, args.entities) if args.entities.strip() else list(known.values())
        return narrow(named, area=args.area, floor=args.floor, domain=args.domain, device_class=args.device_class)

    def states(self, args: StatesArgs, context: ToolContext) -> ToolOutput:
        """How things stand now.

        Returns: ``data = {looked_at, matching, unknown, states: [{entity, name, area, floor, state, shown, since}]}``;
        the first evidence counts (facts: looked_at, matching, unknown), the others are states that are as asked.

        Raises: ToolArgumentError, ToolUnavailable, ToolDenied.
        """
        chosen = self.chosen(args)
        now = self.home.states()
        there = [(e, now[e.id]) for e in chosen if e.id in now]
        picked = select(there, args, context.now)
        found, unknown = list(picked.matching), list(picked.unknown)
        if args.order:
            found, more = in_order(found, args.order)
            unknown += more
        data = {
            "looked_at": len(there),
            "matching": len(found),
            "unknown": [e.name for e in unknown],
            "states": [row_of(e, s) for e, s in found],
        }
        if not there:
            return ToolOutput(status="empty", reason="nothing of that is in the home that Assist may see", data=data)
        asked = say_selection(args)
        said = ", ".join(f"{e.name}: {say_state(s, e.device_class)}" for e, s in found[:6])
        told = f"{len(found)} of {len(there)} {asked}" if asked else f"{len(there)} states"
        shown = there if len(there) == 1 else found
        return ToolOutput(
            summary=f"{told}: {said}" if said else told,
            data=data,
            evidence=(
                self.count(args, there, found, unknown),
                *(state_evidence(e, s, self.home.access.url, context.now) for e, s in shown[:MOST_SHOWN]),
            ),
        )

    def count(
        self,
        args: StatesArgs,
        there: list[tuple[EntityInfo, State]],
        found: list[tuple[EntityInfo, State]],
        unknown: list[EntityInfo],
    ) -> Evidence:
        """What was looked at, and how many are as asked; of two things their difference."""
        facts = {
            "looked_at": Fact(value=len(there), unit="count"),
            "matching": Fact(value=len(found), unit="count"),
        }
        if asked := say_selection(args):
            facts["asked"] = Fact(value=asked)
        numbers = [number for _, s in found if (number := number_of(s)) is not None]
        if args.order == "difference" and len(numbers) == 2:
            facts["difference"] = Fact(value=round(numbers[0][0] - numbers[1][0], 2), unit=numbers[0][1])
            facts["apart"] = Fact(value=f"{abs(numbers[0][0] - numbers[1][0]):.4g} {numbers[0][1]}".strip())
        if unknown:
            facts["unknown"] = Fact(value=", ".join(e.name for e in unknown))
            facts["known"] = Fact(value=len(there) - len(unknown), unit="count")
        names = ", ".join(e.name for e, _ in there[:MOST_SHOWN])
        return Evidence(
            kind="tool",
            title="looked at",
            locator="home_assistant_states",
            url=f"{self.home.access.url.rstrip('/')}/",
            excerpt=f"looked at: {names}",
            facts=facts,
        )

    def history(self, args: HistoryArgs, context: ToolContext) -> ToolOutput:
        """Since when things are as they are, or when they were last as asked.

        Returns: ``data = {hours, entities: [{entity, name, state, changes: [[time, state]]}]}``; evidence with facts
        name, state, since or at_least, lasting, changes; last_since, last_until, last_lasting of a state that is over.

        Raises: ToolArgumentError, ToolUnavailable, ToolDenied.
        """
        if not args.entities.strip():
            raise ToolArgumentError("entities is empty; name what is asked for")
        chosen = find_entities(self.home.home.entities, args.entities)
        if len(chosen) > MOST_HISTORIES:
            raise ToolArgumentError(f"that is the history of {len(chosen)} things; ask for {MOST_HISTORIES} at most")
        states = self.home.states()
        past = self.home.rest.history([e.id for e in chosen], context.now - timedelta(hours=args.hours), context.now)
        rows, evidence, told = [], [], []
        for entity in chosen:
            state, moments = states.get(entity.id), past.get(entity.id, ())
            if state is None:
                continue
            span = current_span(state, moments)
            facts = {
                "name": Fact(value=entity.name, entity=entity.id),
                "state": Fact(value=spoken(entity.id, entity.device_class, state.value), entity=entity.name),
                "changes": Fact(value=changes_in(moments), unit="count", entity=entity.name),
                "hours": Fact(value=args.hours, unit="count", entity=entity.name),
                **span_facts(entity, span, context.now),
            }
            if args.state:
                facts["asked"] = Fact(value=args.state)
                facts["holds"] = Fact(value=is_so(state, entity.device_class, args.state) is True)
                if not facts["holds"].value and (last := last_span(moments, values_for(entity, args.state))):
                    facts |= span_facts(entity, last, context.now, "last_")
            rows.append(
                {
                    "entity": entity.id,
                    "name": entity.name,
                    "state": state.value,
                    "changes": [[m.at.isoformat(timespec="seconds"), m.value] for m in moments[-50:]],
                }
            )
            told.append(f"{entity.name} {facts['state'].value} since {span.start:%Y-%m-%d %H:%M} UTC")
            evidence.append(
                Evidence(
                    kind="event",
                    title=f"{entity.name}, last {args.hours} h",
                    locator=entity.id,
                    url=page_of(self.home.access.url, entity.id),
                    excerpt="; ".join(
                        f"{m.at:%Y-%m-%d %H:%M} UTC {spoken(entity.id, entity.device_class, m.value)}"
                        for m in moments[-12:]
                    ),
                    facts=facts,
                    observed_at=context.now,
                )
            )
        if not evidence:
            return ToolOutput(status="empty", reason="Home Assistant has no state of that")
        data = {"hours": args.hours, "entities": rows}
        return ToolOutput(summary="; ".join(told[:5]), data=data, evidence=tuple(evidence))


def values_for(entity: EntityInfo, wanted: str) -> frozenset[str]:
    """The states in Home Assistant's words that a word of people's stands for."""
    words = BINARY_STATES.get(entity.device_class, ("on", "off")) if entity.domain == "binary_sensor" else ("on", "off")
    raw = {words[0]: "on", words[1]: "off"}.get(wanted, wanted) if entity.domain == "binary_sensor" else wanted
    opened = {"open", "opening"} if wanted == "open" and entity.domain in {"cover", "valve"} else set()
    playing = {"playing", "paused", "on"} if wanted == "on" and entity.domain == "media_player" else set()
    return frozenset({raw, wanted, *opened, *playing})


def reading_tool(
    name: str,
    purpose: str,
    description: str,
    args: type[ToolArgs],
    run: Callable[[HomeReading], Callable[[Any, ToolContext], ToolOutput]],
    resources: Resources,
) -> Tool:
    """One of the tools."""
    reading = HomeReading(resources.shared(open_home))
    return Tool(
        name=name,
        purpose=purpose,
        description=description,
        access="read",
        args=args,
        run=in_time(run(reading)),
        ping=reading.ping,
        landscape=reading.landscape,
        prepare=reading.prepare,
        source="Home Assistant",
        key="home_assistant.url",
    )


def build_home_assistant_states(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    NoOptions.model_validate(options)
    told = "How the things of the home stand now, by name, room, floor, kind or state; counts what is so."
    return reading_tool(
        "home_assistant_states", "look at the home", told, StatesArgs, lambda reading: reading.states, resources
    )


def build_home_assistant_history(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    NoOptions.model_validate(options)
    told = "Since when things of the home are as they are, or when they were last open, on, unlocked …"
    return reading_tool(
        "home_assistant_history", "look since when", told, HistoryArgs, lambda reading: reading.history, resources
    )
