"""What an incident has left behind: said early, and nobody came back to it while people went on."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from workers.contracts import ChannelMessage, order_of
from workers.incidents.summary.narrative import causes_in, is_symptom
from workers.incidents.summary.summary_types import OVER, Line, Summary

BEFORE_CAUSE = {"hypotheses": 0.5, "known": 0.8, "decisions": 0.8}
"""What was said before the cause was known is past when more than so much of all messages came after it."""
FORGOTTEN = 0.7
"""A suspicion is past after so much, whether the cause is known or not."""
WHILE_IT_LASTED = 0.3
"""What was to hold until something is past after so much, once the incident is over."""
LEAST = 12
"""So many messages must have come after it at any rate."""
UNTIL = re.compile(r"\b(?:until|till)\b(?! (?:the )?(?:end\b|\d+ ?[a-z]|next\b))")


def superseded(summary: Summary, more: Sequence[Line], messages: Sequence[ChannelMessage], most: int) -> Summary:
    """The summary with what is merely telling, and without what is past: suspicions, what was known and decided at the
    very beginning, and what was to hold until it is over. How it showed stays.

    Args:
        summary: of all messages.
        more: what is merely telling, the most telling first.
        messages: of the channel, oldest first.
        most: lines of what is known.
    """
    whole = with_more(summary, more, most)
    known_at = max((order_of(cause.ts[-1]) for cause in causes_in(whole)), default=None)
    times = [order_of(message.ts) for message in messages]

    def is_past(name: str, line: Line) -> bool:
        said = order_of(line.ts[-1])
        since = len(times) - bisect_right(times, said)
        after = since / len(times) if since >= LEAST else 0.0
        if name == "hypotheses" and after > FORGOTTEN:
            return True
        if name == "decisions" and whole.status.state in OVER and UNTIL.search(line.text.lower()):
            return after > WHILE_IT_LASTED
        before = known_at is not None and said < known_at
        return before and after > BEFORE_CAUSE[name] and not is_symptom(line, whole)

    def current(name: str, lines: Iterable[Line]) -> tuple[Line, ...]:
        return tuple(line for line in lines if not is_past(name, line))

    kept = {name: current(name, getattr(summary, name)) for name in BEFORE_CAUSE}
    return with_more(summary.model_copy(update=kept), current("known", more), most)


def with_more(summary: Summary, more: Sequence[Line], most: int) -> Summary:
    """The summary with what is merely telling and stands nowhere else, as much as there is room for."""
    parts = ("impact", "known", "tried", "hypotheses", "ruled_out", "decisions", "action_items")
    said = [summary.status.text, *(line.text for name in parts for line in getattr(summary, name))]
    fresh = [line for line in more if not any(line.text in text for text in said)]
    known = (*summary.known, *fresh[: max(most - len(summary.known), 0)])
    return summary.model_copy(update={"known": tuple(sorted(known, key=lambda line: order_of(line.ts[-1])))})
