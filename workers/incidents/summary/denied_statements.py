"""What whoever leads says is not so, and who does not belong to those who work on it: neither is relied on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from workers.contracts import ChannelMessage
from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.sentences import lowered

SOON_S = 6 * 60
NEAR = 3
"""So many messages back a denial may reach."""


def relied_on(talk: Conversation) -> Conversation:
    """The talk without messages that were denied, those who were told that they have no part in it, and the denials."""
    denied = {message.ts for message in denied_in(talk)}
    strangers = strangers_in(talk)
    kept = tuple(
        r
        for r in talk.remarks
        if r.ts not in denied
        and (r.message.user not in strangers or applauded(r.message, talk.leaders))
        and not utterance_patterns.SENDS_AWAY.search(r.low)
        and not (denied and utterance_patterns.DENIES.search(r.low))
    )
    return replace(talk, remarks=kept) if len(kept) < len(talk.remarks) else talk


def denied_in(talk: Conversation) -> Iterator[ChannelMessage]:
    """Messages of which whoever leads says that they are not so."""
    for _, before in answers_of_leaders(talk, utterance_patterns.DENIES):
        if before and before[-1].user not in talk.leaders:
            yield before[-1]


def strangers_in(talk: Conversation) -> frozenset[str]:
    """Who was told by name, by someone who leads, to have no part in it."""
    told = answers_of_leaders(talk, utterance_patterns.SENDS_AWAY)
    return frozenset(m.user for message, before in told for m in before if names(message, m.name)) - talk.leaders


def answers_of_leaders(
    talk: Conversation, cue: re.Pattern[str]
) -> Iterator[tuple[ChannelMessage, tuple[ChannelMessage, ...]]]:
    """Messages of those who lead in which a pattern is found, each with the ones that it may answer."""
    for number, message in enumerate(talk.messages):
        if message.user in talk.leaders and not message.bot and cue.search(lowered(message.text)):
            yield message, spoken_to(message, talk.messages[max(number - NEAR, 0) : number])


def spoken_to(message: ChannelMessage, before: tuple[ChannelMessage, ...]) -> tuple[ChannelMessage, ...]:
    """The messages that another one may answer: in its thread, of those it names, else those just before it."""
    if message.thread_ts:
        before = tuple(m for m in before if message.thread_ts in (m.ts, m.thread_ts))
    others = tuple(m for m in before if m.user != message.user and (message.at - m.at).total_seconds() < SOON_S)
    return tuple(m for m in others if names(message, m.name)) or others


def names(message: ChannelMessage, name: str) -> bool:
    """Whether a message names someone, by the first of their names."""
    first = name.split(maxsplit=1)[0] if name.split() else ""
    return bool(first) and re.search(rf"\b{re.escape(first)}\b", message.text, re.IGNORECASE) is not None


def applauded(message: ChannelMessage, leaders: frozenset[str]) -> bool:
    """Whether someone who leads marked a message as news."""
    return any(
        leaders & set(message.reactions.get(mark, ())) for mark in utterance_patterns.APPLAUSE - utterance_patterns.JOY
    )
