"""One question put to several indexes: hits of all of them in one order, and what none of them holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from workers.errors import ToolUnavailable
from workers.ports import ALL_TEAMS
from workers.sources.code.question_coverage import Coverage
from workers.sources.connections.open_sources import Index, OpenSources, Source
from workers.sources.connections.source_status import lateness, waiting


class Scored(Protocol):
    """Anything with a score."""

    @property
    def score(self) -> float:
        """Comparable between indexes."""
        ...


Hit = TypeVar("Hit", bound=Scored)
Hit_co = TypeVar("Hit_co", bound=Scored, covariant=True)


@dataclass(frozen=True)
class Survey(Generic[Hit]):
    """``hits`` with their sources, best first; ``missing`` and ``absent`` stand in none of the indexes.

    ``covered``: one of the indexes holds what is asked for, or something like it. ``chance``: how likely it is that one
    of those with a hit here answers; ``likely``: what was found may be taken for what is asked, and not only for what
    lies nearest; ``doubtful``: it has to be told that it lies nearest at best. ``unavailable`` holds a sentence for
    each source that could not be read.
    """

    hits: tuple[tuple[Source, Hit], ...] = ()
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()
    chance: float = 0.0
    covered: bool = False
    likely: bool = False
    doubtful: bool = False


class Results(Protocol[Hit_co]):
    """What one index found, and how much of the question it knows."""

    @property
    def hits(self) -> Sequence[Hit_co]:
        """Best first."""
        ...

    @property
    def coverage(self) -> Coverage:
        """What of the question was found."""
        ...


def ask_all(
    indexes: Sequence[tuple[Source, Index]],
    ask: Callable[[Index], Results[Hit]],
    k: int,
    unavailable: tuple[str, ...] = (),
) -> Survey[Hit]:
    """Ask every index and keep the k best hits; where some are likely to answer, those of the others are left out."""
    found = [(source, ask(index)) for source, index in indexes]
    coverages = [results.coverage for _, results in found]
    likely = any(c.likely for c in coverages)
    counted = [(source, results) for source, results in found if results.coverage.likely or not likely]
    hits = [(source, hit) for source, results in counted for hit in results.hits]
    best = sorted(hits, key=lambda pair: -pair[1].score)[:k]
    shown = [results.coverage for source, results in counted if any(source is one for one, _ in best)]
    return Survey(
        tuple(best),
        shared([c.missing for c in coverages]),
        shared([c.absent for c in coverages]),
        unavailable,
        max((c.chance for c in shown), default=0.0),
        any(c.covered for c in coverages),
        likely,
        all(c.doubtful for c in shown),
    )


def shared(groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What stands in every group, in the order of the first."""
    return tuple(x for x in groups[0] if all(x in g for g in groups)) if groups else ()


def open_all(shelf: OpenSources[Index], team: str = ALL_TEAMS) -> tuple[list[tuple[Source, Index]], tuple[str, ...]]:
    """All indexes of a shelf that can be opened, and a sentence for each that cannot, or that is old.

    Nothing is cloned, fetched or waited for. What belongs to another workspace than ``team`` is left out.

    Raises:
        ToolUnavailable: there are sources, and none can be opened.
    """
    opened, problems, late = [], [], []
    for source in shelf.sources:
        if source.team and team not in {source.team, ALL_TEAMS}:
            continue
        try:
            opened.append((source, shelf.get(source)))
        except ToolUnavailable as error:
            problems.append(waiting(source) if source.kept else str(error))
        else:
            late.append(lateness(source))
    if problems and not opened:
        raise ToolUnavailable("; ".join(problems))
    return opened, (*problems, *filter(None, late))
