"""A chosen option of a menu below an answer, and the question that it makes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from bot.parse.interactions import REQUEST, Press
from bot.parse.payload_fields import request_id
from workers.contracts import Question
from workers.delivery import action_ids

NARROW = re.compile(rf"{action_ids.NARROW}:([0-9]{{1,2}})")
PLACE = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True)
class Narrowing:
    """Below the answer to which request an option was chosen, and the places of its menu and of itself."""

    request_id: str
    menu: int
    option: int


def read_narrowed(press: Press) -> Narrowing | None:
    """A chosen option of a menu below an answer."""
    if not (press.channel and press.thread_ts):
        return None
    menu = NARROW.fullmatch(press.action_id)
    block, _, request = press.block_id.partition(":")
    if not (menu and block == action_ids.NARROW_BLOCK and REQUEST.fullmatch(request) and PLACE.fullmatch(press.value)):
        return None
    return Narrowing(request, int(menu[1]), int(press.value))


def ask_narrowed(press: Press, asked: Question, text: str, agent: str | None, now: datetime) -> Question:
    """The same question in narrower words, in the same thread, by whoever chose; each choice is one of its own.

    Args:
        press: where it was chosen.
        asked: the question that was answered there.
        text: the new question.
        agent: who answers it; whoever is chosen by its text when there is none.
        now: aware.
    """
    return Question(
        request_id=request_id(press.team, press.channel, press.event_id),
        text=text,
        asker=press.user,
        team=press.team,
        asker_team=press.asker_team,
        channel=press.channel,
        thread_ts=press.thread_ts,
        event_id=press.event_id,
        source="slack",
        received_at=now,
        agent=agent,
        project=asked.project,
    )
