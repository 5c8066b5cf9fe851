"""One question put to several indexes: hits of all of them in one order, and what none of them holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from workers.errors import ToolUnavailable
from workers.ports import ALL_TEAMS
from workers.sources.code.question_coverage import LIKELY, Coverage
from workers.sources.connections.open_sources import Index, OpenSources, Source
from workers.sources.connections.source_status import lateness, waiting


class Scored(Protocol):
    """Anything with a score."""

    @property
    def score(self) -> float:
        """Comparable between indexes."""
        ...


Hit = TypeVar("Hit", bound=Scored)


@dataclass(frozen=True)
class Survey(Generic[Hit]):
    """``hits`` with their sources, best first; ``missing`` and ``absent`` stand in none of the indexes.

    ``covered``: one of the indexes holds what is asked for, or something like it. ``chance``: how likely it is that one
    of those with a hit here answers. ``unavailable`` holds a sentence for each source that could not be read.
    """

    hits: tuple[tuple[Source, Hit], ...] = ()
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()
    chance: float = 0.0
    covered: bool = False

    @property
    def likely(self) -> bool:
        """Whether what was found may be taken for what is asked, and not only for what lies nearest."""
        return self.covered and bool(self.hits) and self.chance >= LIKELY


def ask_all(
    indexes: Sequence[tuple[Source, Index]],
    ask: Callable[[Index], tuple[Sequence[Hit], Coverage]],
    k: int,
    unavailable: tuple[str, ...] = (),
) -> Survey[Hit]:
    """Ask every index and keep the k best hits."""
    found: list[tuple[Source, Hit]] = []
    coverages: list[tuple[Source, Coverage]] = []
    for source, index in indexes:
        hits, coverage = ask(index)
        found.extend((source, hit) for hit in hits)
        coverages.append((source, coverage))
    found.sort(key=lambda pair: -pair[1].score)
    best = found[:k]
    return Survey(
        tuple(best),
        shared([c.missing for _, c in coverages]),
        shared([c.absent for _, c in coverages]),
        unavailable,
        max((c.chance for source, c in coverages if any(source is shown for shown, _ in best)), default=0.0),
        any(c.covered for _, c in coverages),
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
