"""Makes changes that a person confirmed: only when everything is as it was, once, and looks what came of it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.agents.home.source.actions import Change, same, value_of
from workers.agents.home.source.home import HomeAssistant
from workers.agents.home.source.model import State
from workers.agents.home.source.rest_client import AnswerLost
from workers.errors import ToolDenied, ToolError, ToolUnavailable

POLL_S = 0.04
UNDER_WAY = {"open": "opening", "closed": "closing", "locked": "locking", "unlocked": "unlocking"}
"""States that lead to others: doors and locks take some seconds."""
LOOK_S = 0.1
"""Kept of the time for a last look at the states."""


@dataclass(frozen=True)
class Result:
    """How entities are after a change, and those that are not as they should be yet."""

    states: Mapping[str, State]
    late: tuple[str, ...]


def apply_changes(home: HomeAssistant, changes: Sequence[Change], wait_s: float) -> Result:
    """Make changes. Entities of one service and data are changed by one call.

    Args:
        home: where.
        changes: what was confirmed.
        wait_s: how long it is waited for the calls to end, and for the states that should follow.

    Raises:
        ToolDenied: something is not as it was when this was proposed; nothing was changed.
        ToolUnavailable: the home does not answer; nothing was changed.
        AnswerLost: an order was sent, and what became of it is not known; which calls went through is said.
    """
    end = time.monotonic() + wait_s
    now = home.states()
    names = home.home.entities
    if moved := [c for c in changes if c.entity not in now or value_of(now[c.entity], c.attribute) != c.before]:
        said = ", ".join(names[c.entity].name if c.entity in names else c.entity for c in moved[:3])
        raise ToolDenied(f"{said} changed meanwhile; nothing was changed")
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.service, json.dumps(change.data, sort_keys=True)), []).append(change)
    done: list[str] = []
    for (service, data), group in groups.items():
        try:
            within_s = max(end - time.monotonic() - LOOK_S, LOOK_S)
            home.rest.call_service(service, [c.entity for c in group], json.loads(data), within_s)
        except ToolError as error:
            before = f"; done before that: {', '.join(done)}" if done else ""
            lost = bool(done) or isinstance(error, AnswerLost)
            raise (AnswerLost if lost else ToolUnavailable)(f"{service}: {error}{before}") from error
        done.extend(names[c.entity].name for c in group)
    try:
        return settled(home, changes, end)
    except ToolError as error:
        raise AnswerLost(f"the order was sent, and how things are now cannot be read ({error})") from error


def settled(home: HomeAssistant, changes: Sequence[Change], end: float) -> Result:
    """Look until everything is as it should be, once at least, and not beyond ``end``. Raises: ToolUnavailable."""
    while True:
        states = home.states()
        late = [c for c in changes if c.after and not reached(c, states.get(c.entity))]
        if not late or time.monotonic() >= end:
            return Result(states, tuple(c.entity for c in late if not under_way(c, states.get(c.entity))))
        time.sleep(POLL_S)


def reached(change: Change, state: State | None) -> bool:
    """Whether an entity is as a change should leave it."""
    return state is not None and same(value_of(state, change.attribute), change.after, change.tolerance)


def under_way(change: Change, state: State | None) -> bool:
    """Whether an entity is on its way to where a change should bring it."""
    return state is not None and not change.attribute and UNDER_WAY.get(change.after) == state.value
