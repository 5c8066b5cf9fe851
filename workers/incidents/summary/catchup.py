"""What one person is told who asks what went on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from workers.contracts import ChannelMessage, order_of
from workers.grounding.value_format import Voice
from workers.incidents.summary.summarizer import SummaryInputs, summarize_channel
from workers.incidents.summary.summary_types import Summary
from workers.incidents.summary.summary_views import changed, for_stakeholders, is_news, since


def caught_up(
    messages: Sequence[ChannelMessage],
    now: datetime,
    zone: str,
    *,
    after: datetime | None = None,
    stakeholders: bool = False,
    **inputs: Unpack[SummaryInputs],
) -> Summary:
    """The summary of a channel or thread by the rules, as far as someone needs it.

    Args:
        messages: all that is known, without secrets.
        now: aware.
        zone: the person's.
        after: what was said until then is known to them; None: nothing is.
        stakeholders: without what only engineers read.
        inputs: what the pinned summary is made of too.
    """
    whole = summarize_channel(messages, Voice(now=now, zone=zone), **inputs).summary
    new = since(whole, after, worded_in(messages)) if after else whole
    return for_stakeholders(new) if stakeholders else new


def in_thread(inputs: SummaryInputs, messages: Sequence[ChannelMessage]) -> SummaryInputs:
    """What is known of a channel's incident, for one thread of it: no title, and corrections of what was said there."""
    said = {message.ts for message in messages}
    of_it = [one for one in inputs.get("corrections", ()) if one.entry.partition(":")[0] in said]
    return {**inputs, "title": "", "corrections": of_it}


def says_nothing_new(summary: Summary, messages: Sequence[ChannelMessage], after: datetime) -> bool:
    """Whether one of some messages that is `caught_up` since a moment holds nothing of after it."""
    return not is_news(summary, after, worded_in(messages))


def meanwhile(
    messages: Sequence[ChannelMessage], ts: str, now: datetime, zone: str, **inputs: Unpack[SummaryInputs]
) -> tuple[str, ...]:
    """What messages after one changed in the summary, in few words each.

    Args:
        messages: all that is known, without secrets.
        ts: the newest message that was told of.
        now: aware.
        zone: the person's.
        inputs: what the pinned summary is made of too.
    """
    before = [message for message in messages if order_of(message.ts) <= order_of(ts)]
    return changed(caught_up(before, now, zone, **inputs), caught_up(messages, now, zone, **inputs))


def worded_in(messages: Sequence[ChannelMessage]) -> dict[str, datetime]:
    """When messages got the words they have, by their ts."""
    return {message.ts: message.worded_at for message in messages}
