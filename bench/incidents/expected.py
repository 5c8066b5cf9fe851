"""What a good summary of a transcript holds, and what it must not: the form of ``expected/*.yaml``.

A file has ``half`` (tune: rules may be fitted to it; held: they may not) and ``cuts``, moments at which a summary is
asked for. Messages are named by their keys in the transcript. Patterns are regular expressions, case does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

FOLDER = Path(__file__).parent / "expected"
END = "end"
Section = Literal[
    "title",
    "status",
    "impact",
    "known",
    "tried",
    "hypotheses",
    "ruled_out",
    "decisions",
    "action_items",
    "open_questions",
    "next_update",
    "timeline",
]
State = Literal["investigating", "identified", "mitigated", "monitoring", "resolved", "false_alarm", "none"]
Kind = Literal[
    "detected",
    "alert",
    "acknowledged",
    "declared",
    "deploy",
    "rollback",
    "change",
    "finding",
    "decision",
    "mitigated",
    "resolved",
    "correction",
    "other",
]
MOST_LINES: Mapping[str, int] = {
    "impact": 5,
    "known": 8,
    "tried": 8,
    "hypotheses": 5,
    "ruled_out": 6,
    "decisions": 8,
    "action_items": 12,
    "open_questions": 6,
    "timeline": 25,
}


def _compiles(pattern: str) -> str:
    re.compile(pattern)
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]


class Form(BaseModel):
    """Frozen, and no key that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Fact(Form):
    """A line that must be there: in one of ``sections``, with all words of one list of ``any_of``.

    ``cites``: the line rests on at least one of these messages (none given: any). ``owner`` (a pattern, "" for nobody)
    and ``done`` are of action items, ``kind`` and ``at`` (a key, or RFC 3339; 2 minutes either way) of the timeline.
    ``weight`` 3: who joins late is lost without it.
    """

    id: str
    sections: tuple[Section, ...] = Field(min_length=1)
    any_of: tuple[tuple[Pattern, ...], ...] = Field(min_length=1)
    cites: tuple[str, ...] = ()
    weight: int = Field(default=1, ge=1, le=3)
    owner: Pattern | None = None
    done: bool | None = None
    kind: tuple[Kind, ...] = ()
    at: str = ""


class Forbidden(Form):
    """A line that must not be there.

    All of ``pattern`` occur in it, and it has this ``owner`` and ``done`` and rests on one of ``cites``, where given;
    a line that says ``unless`` is let pass. Without ``sections`` every string of the summary is looked at.
    """

    id: str
    why: str
    sections: tuple[Section, ...] = ()
    pattern: tuple[Pattern, ...] = ()
    unless: Pattern | None = None
    owner: Pattern | None = None
    done: bool | None = None
    cites: tuple[str, ...] = ()


class Cut(Form):
    """What is expected of the messages up to and including ``until`` (a key, or "end").

    ``severity``: the acceptable ones, none given: any. ``most``: bounds of lines that differ from the usual ones.
    ``chatter``: how many lines may rest on chatter alone.
    """

    until: str
    state: tuple[State, ...] = Field(min_length=1)
    severity: tuple[str, ...] = ()
    present: tuple[Fact, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    most: Mapping[Section, int] = {}
    chatter: int = 4


class Expected(Form):
    """The expectations of one transcript."""

    half: Literal["tune", "held"]
    cuts: tuple[Cut, ...] = Field(min_length=1)


@cache
def expected(name: str) -> Expected:
    """Read the expectations of one transcript; raises pydantic's ValidationError on a mistake."""
    data: Any = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return Expected.model_validate(data)


def most_lines(cut: Cut) -> dict[str, int]:
    """How many lines each section may have."""
    return {**MOST_LINES, **{str(section): most for section, most in cut.most.items()}}
