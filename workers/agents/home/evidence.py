"""States of a home as evidence: each value a fact, with the page of Home Assistant where a person sees it."""

from __future__ import annotations

from datetime import datetime

from workers.agents.home.source.model import State
from workers.agents.home.source.since import Span, say_length
from workers.agents.home.source.state_words import number_of, say_state
from workers.contracts import EntityInfo, Evidence, Fact, Scalar, rfc3339

Facts = dict[str, Fact]


def page_of(base_url: str, entity: str) -> str:
    """The address of an entity's history in Home Assistant."""
    return f"{base_url.rstrip('/')}/history?entity_id={entity}"


def place_of(entity: EntityInfo) -> str:
    """``Lab, Upstairs``; empty where nothing is known."""
    return ", ".join(filter(None, (entity.area, entity.floor)))


def state_evidence(entity: EntityInfo, state: State, base_url: str, now: datetime) -> Evidence:
    """One state. Facts: name, state (with its unit), value of a number, area, since, lasting."""
    said = say_state(state, entity.device_class)
    facts: Facts = {
        "name": Fact(value=entity.name, entity=entity.id),
        "state": Fact(value=said, entity=entity.name, at=state.changed),
        "since": Fact(value=rfc3339(state.changed), unit="time", entity=entity.name),
        "lasting": Fact(value=say_length(max((now - state.changed).total_seconds(), 0)), entity=entity.name),
    }
    if entity.area:
        facts["area"] = Fact(value=entity.area, entity=entity.name)
    if state.unit and (value := number_of(state)):
        facts["value"] = Fact(value=value[0], unit=state.unit, entity=entity.name, at=state.changed)
    return Evidence(
        kind="event",
        title=entity.name,
        locator=entity.id,
        url=page_of(base_url, entity.id),
        excerpt=f"{entity.name} ({place_of(entity) or entity.domain}): {said}",
        facts=facts,
        observed_at=now,
    )


def span_facts(entity: EntityInfo, span: Span, now: datetime, prefix: str = "") -> Facts:
    """Facts of a span: since, lasting, and until when it is over; ``at_least`` in place of ``since`` when it began
    before what is known."""
    end = span.end or now
    began = f"{prefix}since" if span.exact else f"{prefix}at_least"
    facts = {
        began: Fact(value=rfc3339(span.start), unit="time", entity=entity.name),
        f"{prefix}lasting": Fact(value=say_length(max((end - span.start).total_seconds(), 0)), entity=entity.name),
    }
    if span.end is not None:
        facts[f"{prefix}until"] = Fact(value=rfc3339(span.end), unit="time", entity=entity.name)
    return facts


def row_of(entity: EntityInfo, state: State) -> dict[str, Scalar]:
    """One state as JSON."""
    row: dict[str, Scalar] = {
        "entity": entity.id,
        "name": entity.name,
        "state": state.value,
        "shown": say_state(state, entity.device_class),
        "since": rfc3339(state.changed),
    }
    places = {"area": entity.area, "floor": entity.floor, "device_class": entity.device_class}
    return row | {key: value for key, value in places.items() if value}
