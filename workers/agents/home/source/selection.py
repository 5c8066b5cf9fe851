"""Which of some entities are as asked: their state, a number above or below a limit, how long; the highest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, Literal

from pydantic import BaseModel, Field

from workers.agents.home.source.model import State
from workers.agents.home.source.rest_client import TooSlow
from workers.agents.home.source.since import say_length
from workers.agents.home.source.state_words import is_so, number_of
from workers.contracts import EntityInfo, ToolOutput

Seen = tuple[EntityInfo, State]


class Selection(BaseModel):
    """Which of the entities."""

    state: str = Field("", max_length=40, description="only those that are so: on, off, open, closed, locked …")
    above: float | None = Field(None, description="only those whose number (degrees, percent, watts) is above")
    below: float | None = Field(None, description="only those whose number is below")
    inclusive: bool = Field(False, description="whether above and below include the number itself")
    longer_s: float = Field(0, ge=0, description="only those that have been so for more seconds")
    shorter_s: float = Field(0, ge=0, description="only those that have been so for fewer seconds")

    @property
    def asks(self) -> bool:
        """Whether some may be left out."""
        return bool(self.state or self.longer_s or self.shorter_s) or self.above is not None or self.below is not None


@dataclass(frozen=True)
class Selected:
    """Those that are as asked, and those of which it cannot be told."""

    matching: Sequence[Seen]
    unknown: Sequence[EntityInfo]


Order = Literal["", "highest", "lowest", "longest", "shortest", "difference"]


def select(seen: Sequence[Seen], wanted: Selection, now: datetime) -> Selected:
    """Those that are as asked."""
    told = [(one, is_wanted(*one, wanted, now)) for one in seen]
    return Selected([one for one, so in told if so], [one[0] for one, so in told if so is None])


def is_wanted(entity: EntityInfo, state: State, wanted: Selection, now: datetime) -> bool | None:
    """Whether one is as asked; None when its state or number is not known."""
    so = is_so(state, entity.device_class, wanted.state) if wanted.state else True
    if so is not True:
        return so
    lasted = (now - state.changed).total_seconds()
    if (wanted.longer_s and lasted < wanted.longer_s) or (wanted.shorter_s and lasted > wanted.shorter_s):
        return False
    if wanted.above is None and wanted.below is None:
        return True
    found = number_of(state)
    if found is None:
        return None
    number = found[0]
    over = wanted.above is None or number > wanted.above or (wanted.inclusive and number == wanted.above)
    return over and (wanted.below is None or number < wanted.below or (wanted.inclusive and number == wanted.below))


def in_order(seen: Sequence[Seen], order: Order) -> tuple[list[Seen], list[EntityInfo]]:
    """In the order that is asked for, the first first, those alone that have a number; and the others."""
    if order in {"longest", "shortest"}:
        return sorted(seen, key=lambda one: one[1].changed, reverse=order == "shortest"), []
    numbers = {e.id: found[0] for e, s in seen if (found := number_of(s)) is not None}
    known = [one for one in seen if one[0].id in numbers]
    if order in {"highest", "lowest"}:
        known.sort(key=lambda one: numbers[one[0].id], reverse=order == "highest")
    return known, [e for e, _ in seen if e.id not in numbers]


def say_selection(wanted: Selection) -> str:
    """``on, below 50, for more than 3 h``."""
    said = [wanted.state.replace("_", " ")]
    said += [f"{'at least' if wanted.inclusive else 'above'} {wanted.above:g}"] if wanted.above is not None else []
    said += [f"{'at most' if wanted.inclusive else 'below'} {wanted.below:g}"] if wanted.below is not None else []
    said += [f"for more than {say_length(wanted.longer_s)}"] if wanted.longer_s else []
    said += [f"for less than {say_length(wanted.shorter_s)}"] if wanted.shorter_s else []
    return ", ".join(filter(None, said))


def in_time(run: Callable[[Any, Any], ToolOutput]) -> Callable[[Any, Any], ToolOutput]:
    """A tool's function that says ``timeout`` of a home that is slow."""

    @wraps(run)
    def timed(args: Any, context: Any) -> ToolOutput:
        try:
            return run(args, context)
        except TooSlow as error:
            return ToolOutput(status="timeout", reason=str(error))

    return timed
