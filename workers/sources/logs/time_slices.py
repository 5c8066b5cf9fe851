"""A span read from a server slice by slice, side by side, so that what is cut off is cut off evenly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from workers.errors import ToolUnavailable
from workers.sources.logs.record import Reading, Record, Wanted

SLICES = 8
AT_ONCE = 4


@dataclass(frozen=True)
class Slice:
    """The lines of a slice, which are all of it or its first ones. ``share``: the part of its lines that they are."""

    records: tuple[Record, ...]
    share: float = 1.0
    notes: tuple[str, ...] = ()


def read_slices(name: str, wanted: Wanted, read: Callable[[Wanted], Slice]) -> Reading:
    """A span by `SLICES` slices of equal length.

    Args:
        name: of the server, for sentences.
        read: lines of a slice, at most as many as it says; ToolUnavailable where there are none to be had.

    Returns: the lines that are wanted, weighted by the share that was read of their slice. A slice that could not be
        read is told in the notes, and its part of the span missing from the share.

    Raises: ToolUnavailable: no slice could be read.
    """
    step = (wanted.until - wanted.since) / SLICES
    moments = [wanted.since + step * n for n in range(SLICES)] + [wanted.until]
    spans = [
        replace(wanted, since=start, until=end, most=max(wanted.most // SLICES, 1)) for start, end in pairwise(moments)
    ]

    def attempt(span: Wanted) -> Slice | ToolUnavailable:
        try:
            return read(span)
        except ToolUnavailable as error:
            return error

    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        answers = list(pool.map(attempt, spans))
    slices = [answer for answer in answers if isinstance(answer, Slice)]
    errors = [answer for answer in answers if isinstance(answer, ToolUnavailable)]
    if not slices:
        raise errors[0]
    notes = [note for part in slices for note in part.notes]
    if errors:
        notes.append(f"{len(errors)} of {SLICES} parts of the span could not be read from {name}: {errors[0]}")
    records = [weighted(r, part.share) for part in slices for r in part.records if wanted.fits(r)]
    share = sum(part.share for part in slices) / SLICES
    return Reading(tuple(sorted(records, key=at)), share, tuple(dict.fromkeys(notes)))


def at(record: Record) -> datetime:
    """When a line was written."""
    return record.at


def weighted(record: Record, share: float) -> Record:
    """A line that stands for those of its slice that were not read."""
    return record if share >= 1 else replace(record, weight=1 / max(share, 1e-9))


def share_of(records: Sequence[Record], span: Wanted) -> float:
    """The part of a span that its first lines reach over, at least a thousandth."""
    reached = max(records, key=at).at - span.since
    return min(1.0, max(reached / (span.until - span.since), 0.001))
