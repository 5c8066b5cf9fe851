"""A channel's messages to the summary that is shown: by the rules, worded by a model, held against the messages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from workers.contracts import ChannelMessage, Correction, Evidence, Verdict, Why
from workers.grounding.value_format import Voice
from workers.incidents.summary.summary_types import Entry, Summary


@dataclass(frozen=True)
class WordedSummary:
    """A summary in somebody's words. ``why``: why they are the rules'; ``struck``: lines that did not hold."""

    summary: Summary
    why: str = ""
    struck: tuple[Verdict, ...] = ()


Write = Callable[[str, Sequence[ChannelMessage], Summary, Voice], WordedSummary]
"""What the summary is for, the messages, the rules' summary, the clock -> a better one."""


@dataclass(frozen=True)
class Summarizer:
    """Who words summaries: a model by its name, or nobody."""

    name: str
    write: Write


@dataclass(frozen=True)
class EarlierSummary:
    """A summary that stands already, and the `Summed.basis` that it words."""

    summary: Summary
    basis: str


@dataclass(frozen=True)
class SummaryResult:
    """A summary that its messages bear out. ``why``: why a model did not word it; empty when it did, or there is none.
    ``struck``: lines that the messages do not bear out, of the rules and of the model.
    ``basis``: stands for what the rules see; the same for summaries that differ in their wording alone.
    """

    summary: Summary
    reasoner: str
    why: str = ""
    struck: tuple[Verdict, ...] = ()
    basis: str = ""


def as_it_is(name: str, messages: Sequence[ChannelMessage], plain: Summary, voice: Voice) -> WordedSummary:
    """The rules' own words."""
    del name, messages, voice
    return WordedSummary(plain)


rules_summarizer = Summarizer("rules", as_it_is)


class SummaryInputs(TypedDict, total=False):
    """What a summary is made of beside its messages; the arguments of `summarize_channel` by these names."""

    title: str
    why: Why
    corrections: Sequence[Correction]
    told: Sequence[Evidence]
    reactions: Mapping[str, str]


KNOWN = {"acknowledged": "eyes", "done": "white_check_mark"}
NO_MARKS: Mapping[str, str] = {}


def marked(message: ChannelMessage, reactions: Mapping[str, str]) -> ChannelMessage:
    """A message on which a team's own emoji are the ones that everybody knows."""
    ours = {KNOWN[says]: message.reactions[emoji] for emoji, says in reactions.items() if emoji in message.reactions}
    return replace(message, reactions={**message.reactions, **ours}) if ours else message


def summarize_channel(
    messages: Sequence[ChannelMessage],
    voice: Voice,
    summarizer: Summarizer = rules_summarizer,
    *,
    name: str = "summary",
    title: str = "",
    why: Why = "",
    corrections: Sequence[Correction] = (),
    told: Sequence[Evidence] = (),
    reactions: Mapping[str, str] = NO_MARKS,
    kept: EarlierSummary | None = None,
) -> SummaryResult:
    """The summary of a channel, every line held against what it rests on.

    Args:
        messages: without secrets.
        voice: the reader's clock.
        summarizer: who words it.
        name: what the summary is for, in the records of a model's calls.
        title: what the incident is called.
        why: what says, besides its messages, that the channel holds an incident.
        corrections: of the timeline, by people.
        told: deploys and alerts that programs told of, each with an id.
        reactions: emoji -> ``acknowledged`` or ``done``, beside those that everybody knows.
        kept: what stands as long as the rules see nothing new.
    """
    from workers.incidents.summary.rules_summary import summarize  # noqa: PLC0415 - answering questions needs none of it
    from workers.incidents.summary.summary_grounding import check_summary  # noqa: PLC0415 - as above

    messages = [marked(message, reactions) for message in messages]
    whole = summarize(messages, title=title, why=why, corrections=corrections, told=told)
    held, struck = check_summary(whole, messages, voice)
    plain = held.model_copy(update={"timeline": with_peoples(whole.timeline, held.timeline)})
    basis = basis_of(plain)
    if kept and kept.basis == basis and not check_summary(kept.summary, messages, voice)[1]:
        return SummaryResult(
            kept.summary.model_copy(update={"as_of": plain.as_of}), summarizer.name, struck=struck, basis=basis
        )
    if plain.status.state == "none":
        return SummaryResult(plain, "rules", struck=struck, basis=basis)
    worded = summarizer.write(name, messages, plain, voice)
    summary = worded.summary.model_copy(update={"timeline": plain.timeline})
    return SummaryResult(summary, "rules" if worded.why else summarizer.name, worded.why, struck + worded.struck, basis)


def basis_of(plain: Summary) -> str:
    """A digest of what the rules see, but for the newest message that they read."""
    return hashlib.sha256(plain.model_dump_json(exclude={"as_of"}).encode()).hexdigest()[:16]


def with_peoples(whole: Sequence[Entry], held: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries that hold, and those that people added or changed: these rest on their word."""
    return tuple(entry for entry in whole if entry in held or entry.said_at)
