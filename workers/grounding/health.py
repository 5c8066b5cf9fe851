"""What is wrong in operations data, and whether it may be said that nothing is.

The heuristics would rather name something harmless than leave out something that hurts. "All clear" needs both checks
over everything: no incident is active, and each deployment is healthy by fresh numbers, with few errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from workers.contracts import Evidence

INCIDENTS, DEPLOYMENTS = "context://incidents", "context://deployments"
REQUESTS, TRENDS = "context://requests", "context://trends/latency"
ERRORS_HIGH, TIMEOUTS_HIGH = 0.05, 0.02
RISEN_PERCENT = 50.0
FAILED_SHARE, FEWEST_REQUESTS = 0.1, 20
FEWEST_SAMPLES = 10
"""A rate of a deployment's window tells nothing by itself over fewer."""
RANK = {"incident": 0, "down": 1, "degraded": 2, "unknown": 3, "failing": 4, "slower": 5, "stale": 6}


@dataclass(frozen=True)
class Trouble:
    """Something that is wrong. ``kind``: one of `RANK`; ``at``: the evidence that shows it."""

    kind: str
    at: Evidence


def number(item: Evidence, name: str) -> float:
    """A fact as a number; 0 when it is not known."""
    fact = item.facts.get(name)
    known = fact is not None and isinstance(fact.value, int | float) and not isinstance(fact.value, bool)
    return float(fact.value) if fact is not None and known else 0.0


def text_of(item: Evidence, name: str) -> str:
    """A fact as text; empty when it is not known."""
    return str(item.facts[name].value) if name in item.facts else ""


def summaries_of(evidence: Iterable[Evidence], locator: str) -> list[Evidence]:
    """The summaries that calls of a tool gave, by its locator, whatever they were filtered by."""
    return [e for e in evidence if e.locator == locator or e.locator.startswith(f"{locator}?")]


def summary_of(evidence: Iterable[Evidence], locator: str) -> Evidence | None:
    """The first of them."""
    return next(iter(summaries_of(evidence, locator)), None)


def items_of(evidence: Iterable[Evidence], locator: str) -> list[Evidence]:
    """The items below a summary."""
    return [e for e in evidence if e.locator.startswith(f"{locator}/")]


def no_incident(evidence: Sequence[Evidence]) -> bool:
    """Incidents were looked for, of everything, and none is active."""
    whole = [e for e in summaries_of(evidence, INCIDENTS) if not e.facts.keys() & {"target", "target_type"}]
    return bool(whole) and all("count" in e.facts and not number(e, "count") for e in whole)


def all_healthy(evidence: Sequence[Evidence]) -> bool:
    """All deployments were looked at, there are some, and each is healthy by fresh numbers, with few errors."""
    filters = {"model", "backend", "status_filter"}
    whole = [e for e in summaries_of(evidence, DEPLOYMENTS) if not e.facts.keys() & filters]
    return bool(whole) and all(map(is_well, whole))


def is_well(found: Evidence) -> bool:
    """Whether a summary of deployments counts some, and nothing wrong with any."""
    if number(found, "total") <= 0 or "failing" not in found.facts or number(found, "failing"):
        return False
    return number(found, "healthy") == number(found, "total") and not number(found, "stale")


def all_clear(evidence: Sequence[Evidence]) -> bool:
    """Both checks ran without a filter and found all well, and `find_trouble` sees nothing wrong in the evidence given.

    The evidence given is all that is judged: give that of the whole request, not only what one claim cites.
    """
    return no_incident(evidence) and all_healthy(evidence) and not find_trouble(evidence)


def find_trouble(evidence: Sequence[Evidence]) -> tuple[Trouble, ...]:
    """Everything that is wrong, worst first."""
    found = [*active(evidence), *unhealthy(evidence), *failing(evidence), *slower(evidence)]
    seen: set[str] = set()
    out: list[Trouble] = []
    for trouble in sorted(found, key=lambda t: RANK[t.kind]):
        if trouble.at.locator not in seen:
            seen.add(trouble.at.locator)
            out.append(trouble)
    return tuple(out)


def active(evidence: Sequence[Evidence]) -> Iterator[Trouble]:
    """Incidents that last."""
    items = [e for e in items_of(evidence, INCIDENTS) if text_of(e, "status") == "active"]
    yield from (Trouble("incident", e) for e in items)
    found = [] if items else summaries_of(evidence, INCIDENTS)
    yield from (Trouble("incident", e) for e in found if number(e, "count"))


def unhealthy(evidence: Sequence[Evidence]) -> Iterator[Trouble]:
    """Deployments that are not healthy, that fail more than they should, or of which nothing new is known."""
    for item in items_of(evidence, DEPLOYMENTS):
        status = text_of(item, "status") or "unknown"
        if status != "healthy":
            yield Trouble(status if status in RANK else "unknown", item)
        elif fails_often(item):
            yield Trouble("failing", item)
        elif text_of(item, "stale") == "yes":
            yield Trouble("stale", item)


def fails_often(item: Evidence) -> bool:
    """Whether a deployment's rates are too high, over enough requests to tell."""
    enough = "sample_count" not in item.facts or number(item, "sample_count") >= FEWEST_SAMPLES
    return enough and (number(item, "error_rate") >= ERRORS_HIGH or number(item, "timeout_rate") >= TIMEOUTS_HIGH)


def failing(evidence: Sequence[Evidence]) -> Iterator[Trouble]:
    """Recent requests of which many failed; those that were asked for by their failure tell nothing."""
    for found in summaries_of(evidence, REQUESTS):
        failed = number(found, "error_count") + number(found, "timeout_count")
        enough = number(found, "count") >= FEWEST_REQUESTS and "status_filter" not in found.facts
        if enough and failed >= FAILED_SHARE * number(found, "count"):
            yield Trouble("failing", found)


def slower(evidence: Sequence[Evidence]) -> Iterator[Trouble]:
    """Latency that rose much."""
    trends = [*summaries_of(evidence, TRENDS), *items_of(evidence, TRENDS)]
    for item in trends:
        if text_of(item, "direction") == "rose" and number(item, "change_pct") >= RISEN_PERCENT:
            yield Trouble("slower", item)
