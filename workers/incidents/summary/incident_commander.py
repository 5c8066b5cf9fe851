"""Who leads an incident, by name, from the sentence that says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from workers.contracts import ChannelMessage
from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.conversation import TAKES_IT
from workers.incidents.summary.denied_statements import names
from workers.incidents.summary.sentences import lowered
from workers.incidents.summary.summary_types import Lead, Line

MENTIONED = re.compile(utterance_patterns.NAMED)


def lead_in(said: Iterable[Line], messages: Sequence[ChannelMessage]) -> Lead | None:
    """Who leads, when it is clear whom a line means: "@amr takes over as IC", "I'm IC", "handing IC to Tomas".

    Args:
        said: what was said of it last.
        messages: of the channel.
    """
    for line in said:
        writer = next((m for m in messages if m.ts in line.ts), None)
        name = named(line.text, writer, messages) if writer else ""
        if name:
            return Lead(**line.model_dump(), name=name)
    return None


def named(text: str, writer: ChannelMessage, messages: Sequence[ChannelMessage]) -> str:
    """Whom a sentence of someone's makes the lead, as people are shown; empty when that is not clear."""
    own = text.removeprefix(f"@{writer.name}: ")
    message = replace(writer, text=own)
    people = dict.fromkeys(m.name for m in messages if m.name and not m.bot and names(message, m.name))
    first = next((name for name in people if own.lower().lstrip("@").startswith(name.split()[0].lower())), "")
    if first or utterance_patterns.I_LEAD.search(lowered(own)) or TAKES_IT.search(lowered(own)):
        return first or writer.name
    others = [name for name in people if name != writer.name] or list(dict.fromkeys(MENTIONED.findall(own)))
    return others[0] if len(others) == 1 else ""
