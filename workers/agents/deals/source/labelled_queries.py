"""Questions with what a reader found of each deal: what a ranking is learned from and measured on."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field, ValidationError

from workers.agents.deals.source.data_error import DealDataError
from workers.contracts import Message

MOST_GRADE = 3


class LabelledQuery(Message):
    """A question, when it was asked, and how good a precedent deals are: 1 to 3 by id; those not named are none."""

    id: str
    text: str
    asked_at: dt.date
    grades: dict[str, int] = Field(default_factory=dict)


def read_queries(file: Path, known: Iterable[str]) -> tuple[LabelledQuery, ...]:
    """The labelled queries of a file with one JSON object a line, in the order of their dates.

    Raises:
        DealDataError: one sentence for each line that is none, or that names a deal which is not ``known``.
    """
    deals, found, faults = set(known), list[LabelledQuery](), list[str]()
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DealDataError(f"{file.name} cannot be read: {error}.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            query = LabelledQuery.model_validate(json.loads(line))
        except (ValueError, ValidationError) as error:
            faults.append(f"{file.name}, line {number}: {first_fault(error)}.")
            continue
        faults.extend(f"{file.name}, line {number}: no deal has the id {d!r}." for d in query.grades if d not in deals)
        odd = {g for g in query.grades.values() if not 0 <= g <= MOST_GRADE}
        faults.extend(
            f"{file.name}, line {number}: {g} is no grade; grades are 0 to {MOST_GRADE}." for g in sorted(odd)
        )
        found.append(query)
    if faults:
        raise DealDataError(*faults)
    if not found:
        raise DealDataError(f"{file.name} holds no queries.")
    return tuple(sorted(found, key=lambda q: (q.asked_at, q.id)))


def first_fault(error: ValueError) -> str:
    """What is wrong with a line, in one phrase."""
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        return f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].lower()}"
    return "it is no JSON object"


def write_queries(file: Path, queries: Iterable[LabelledQuery]) -> None:
    """Write queries, one JSON object a line."""
    file.write_text("".join(q.model_dump_json() + "\n" for q in queries), encoding="utf-8")
