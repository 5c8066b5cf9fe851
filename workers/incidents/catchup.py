"""PURE: what one person is told who asks what went on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from workers.engine.style import Voice
from workers.incidents.model import ChannelMessage, Correction, Summary
from workers.incidents.scribe import sum_up
from workers.incidents.views import for_stakeholders, since


def caught_up(
    messages: Sequence[ChannelMessage],
    now: datetime,
    zone: str,
    *,
    title: str = "",
    corrections: Sequence[Correction] = (),
    after: datetime | None = None,
    stakeholders: bool = False,
) -> Summary:
    """The summary of a channel or thread by the rules, as far as someone needs it.

    Args:
        messages: all that is known, without secrets.
        now: aware.
        zone: the person's.
        title: what the incident is called.
        corrections: of the timeline, oldest first.
        after: what was said until then is known to them; None: nothing is.
        stakeholders: without what only engineers read.
    """
    whole = sum_up(messages, Voice(now=now, zone=zone), title=title, corrections=corrections).summary
    new = since(whole, f"{after.timestamp():.6f}") if after else whole
    return for_stakeholders(new) if stakeholders else new
