"""What moved with a metric: the catalogue's related ones, the other roles of what it is about, and whatever else shares
its labels; in the order of who moved first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from workers.sources.metrics.catalogue import Known
from workers.sources.metrics.change_attribution import explain
from workers.sources.metrics.culprit import Blame, Breakdown
from workers.sources.metrics.deadline_pool import DeadlinePool, Job
from workers.sources.metrics.family_ranking import affinity
from workers.sources.metrics.inventory import Family
from workers.sources.metrics.measurement import Measured, measure, with_filter
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.metric_roles import BUILT_IN, discover, raw_of
from workers.sources.metrics.name_words import LIMITS, MONITORING, has
from workers.sources.metrics.promql_template import Matches

MOST_FOCUSED = 3
MOST_BLAMED = 3
MOST_OF_ROLE = {"saturation": 3, "dependency": 2, "cache": 1}
MOST_OTHERS = 6
NEAR_S = 1_800.0  # what moved farther from the onset has less to do with it
LONG_BEFORE_S = 3_600.0  # what moved this long before is not the first mover of the same change
FOLLOWS = 0.2  # a rise of traffic by less explains nothing


def around(
    server: Server, main: Measured, breakdown: Breakdown | None, side: DeadlinePool[object]
) -> tuple[dict[str, Measured], tuple[Measured, ...]]:
    """The asked metric for the parts that moved, and the related metrics, for the culprit when there is one."""
    view = main.view
    moved = [p for p in breakdown.parts if p.reading.moved][:MOST_FOCUSED] if breakdown else []
    label = breakdown.label if breakdown else ""
    filters = dict(main.resolved.applied)
    if breakdown and breakdown.explains:
        filters[label] = breakdown.parts[0].value
    focus: list[Job[object]] = [
        (
            f"{main.resolved.known.name} of {p.value}",
            partial(measure, server, with_filter(server, main.resolved, {label: p.value}), view, main.newest),
        )
        for p in moved
    ]
    asked = list(related_to(server, main))
    related: list[Job[object]] = [
        (known.name, partial(measure_related, server, known, tuple(filters.items()), main)) for known in asked
    ]
    answers = side.run([*focus, *related])
    measured = [a if isinstance(a, Measured) and a.reading.samples else None for a in answers]
    focused = {p.value: m for p, m in zip(moved, measured[: len(focus)], strict=True) if m is not None}
    close = [m for m in measured[len(focus) :] if m is not None]
    close += others(server, main, close, tuple(filters.items()), side) if main.reading.moved else []
    return focused, tuple(sorted(close, key=partial(relevance, main)))


def related_to(server: Server, main: Measured) -> Iterator[Known]:
    """The metrics that an engineer would look at next to one."""
    entry, at = main.resolved.known.entry, main.view.end
    catalogue = server.catalogue.metrics
    for name in entry.related:
        yield catalogue[name]
    if not main.resolved.known.raw:
        return
    for role in ("traffic", "errors", "latency"):
        if role != entry.role:
            own = next((k for k in catalogue.values() if k.entry.role == role), None)
            yield own or Known(role, BUILT_IN[role], ())
    inventory = server.holdings.inventory(at)
    for role, most in MOST_OF_ROLE.items():
        if role != entry.role:
            found = discover(BUILT_IN[role], role, inventory, server.bounds)
            names = dict.fromkeys(k.name for k in found)
            yield from [next(k for k in found if k.name == name) for name in names][:most]


def measure_related(server: Server, known: Known, filters: Matches, main: Measured) -> Measured | None:
    """A related metric with the filters that it carries; None when the server does not have it."""
    resolved = server.resolve(known, filters, main.view.lead_start, main.view.end)
    if resolved is None or resolved.template.text == main.resolved.template.text:
        return None
    return measure(server, resolved, main.view, main.newest)


def others(
    server: Server, main: Measured, close: list[Measured], filters: Matches, side: DeadlinePool[object]
) -> list[Measured]:
    """Metrics of no known relation that share the labels of the asked one and moved near its onset."""
    used = {name for m in (main, *close) for name in m.resolved.names}
    families = server.holdings.inventory(main.view.end)
    ranked = sorted(
        (f for f in families.values() if worth(f, used)),
        key=lambda f: (-shares(server, f, filters, main), -affinity(f), f.name),
    )
    chosen = [raw_of(f, server.bounds) for f in ranked[:MOST_OTHERS]]
    jobs: list[Job[object]] = [(k.name, partial(measure_related, server, k, filters, main)) for k in chosen]
    found = [a for a in side.run(jobs) if isinstance(a, Measured)]
    return [m for m in found if m.reading.moved and not relevance(main, m)[1]]


def worth(family: Family, used: set[str]) -> bool:
    """Whether a family may tell something that has not been looked at."""
    names = {family.name, family.probe, f"{family.name}_bucket", f"{family.name}_count"}
    words = set(family.words)
    return family.alive > 0 and not names & used and not has(words, MONITORING) and not words & LIMITS - {"size"}


def shares(server: Server, family: Family, filters: Matches, main: Measured) -> int:
    """How many of some filters a family can take, and whether it is about the same parts."""
    held = {v for values in family.labels.values() for v in values}
    own = server.holdings.known((main.resolved.filtered or main.resolved.names)[0])
    same = len({"endpoint", "service", "instance"} & set(family.parts.values()) & set(own.parts.values())) if own else 0
    return 2 * sum(value in held for _, value in filters) + same


def blame_related(server: Server, related: tuple[Measured, ...], side: DeadlinePool[object]) -> dict[str, Blame]:
    """For related metrics that moved, the label value that explains it."""
    moved = {m.resolved.known.name: m for m in related if m.reading.moved}
    found = {name: explain(server, m, side) for name, m in list(moved.items())[:MOST_BLAMED]}
    return {name: b.blame for name, b in found.items() if b and b.blame}


def first_mover(main: Measured, related: tuple[Measured, ...]) -> Measured | None:
    """The related metric that moved before the asked one, or the traffic that rose with it; None when none did."""
    onset = main.reading.change
    if onset is None:
        return None
    early = []
    for other in related:
        change = other.reading.change
        if change is None:
            continue
        lag = change.at - onset.at
        within = max(main.resolution_s, other.resolution_s)
        drives = other.resolved.known.entry.role == "traffic" and change.level > (1 + FOLLOWS) * change.baseline
        if -LONG_BEFORE_S <= lag < (within + 1 if drives else -within / 2):
            early.append((not drives, change.at, other.resolved.known.name, other))
    return min(early, key=lambda e: e[:3])[3] if early else None


def relevance(main: Measured, other: Measured) -> tuple[bool, bool, float]:
    """Order of related metrics: those that moved, near the asked metric's onset, by how much."""
    change = other.reading.change
    if change is None or not other.reading.moved:
        return True, True, -abs(other.reading.change_pct or 0.0)
    onset = main.reading.change
    apart = abs(change.at - onset.at) if onset else 0.0
    return False, apart > NEAR_S, -abs(other.reading.change_pct or 0.0)
