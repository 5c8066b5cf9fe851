"""PURE: what a channel's messages say of an incident, taken from their own sentences."""

from __future__ import annotations

from collections.abc import Sequence

from workers.incidents.model import ChannelMessage, Correction, Standing, Summary


def summarize(
    messages: Sequence[ChannelMessage],
    *,
    title: str = "",
    corrections: Sequence[Correction] = (),
) -> Summary:
    """The summary of a channel.

    Args:
        messages: of the channel and its threads, in any order; deleted ones left out.
        title: what the incident is called, when people said so; else it is taken from the messages.
        corrections: what people changed in the timeline, oldest first.
    """
    del corrections
    return Summary(title=title, status=Standing(text="", ts=(), state="none"), as_of=messages[-1].ts if messages else "")
