"""The summary of an incident's channel by a language model; the rules' one where there is none, or it fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, get_args

from workers.contracts import ChannelMessage, Question, Verdict, order_of
from workers.errors import ConfigError, ModelFailed
from workers.grounding.value_format import Voice
from workers.incidents.channel.model_reply import SummaryReply, incident_from
from workers.incidents.summary.summarizer import Summarizer, WordedSummary, rules_summarizer
from workers.incidents.summary.summary_grounding import check_summary
from workers.incidents.summary.summary_types import SECTIONS, Line, State, Summary
from workers.incidents.summary.utterances import speaks_to_machines
from workers.ports import CheckedClaim, Errand
from workers.reasoning.model.prompts import PromptBook
from workers.reasoning.model.structured_call import StructuredCalls
from workers.reasoning.model.verification import NOT_SAID, judge_claims
from workers.reasoning.reasoner_access import ReasonerAccess

MOST_CHARS = 60_000
LONGEST_MESSAGE = 1_500
logger = logging.getLogger(__name__)


def open_summarizer(reasoner_access: ReasonerAccess) -> Summarizer:
    """Who words summaries: the model, or nobody where none is connected."""
    model = reasoner_access.model
    if model is None:
        return rules_summarizer

    def write(name: str, messages: Sequence[ChannelMessage], plain: Summary, voice: Voice) -> WordedSummary:
        call = model.call(Errand(Question(request_id=name, text="", received_at=voice.now)))
        return write_summary(call, model.prompts, messages, plain, voice)

    return Summarizer(model.writer, write)


def write_summary(
    asking: StructuredCalls, book: PromptBook, messages: Sequence[ChannelMessage], plain: Summary, voice: Voice
) -> WordedSummary:
    """Ask the model.

    Args:
        asking: within whose budget.
        book: the prompts.
        messages: of the channel, in any order.
        plain: what the rules wrote; it stands where nothing better holds.
        voice: the reader's clock.

    Returns: a summary every line of which its messages bear out.
    """
    shown = tuple(choose(messages, plain))
    numbered = {f"m{number}": message.ts for number, message in enumerate(shown, 1)}
    names = frozenset(message.name for message in messages if message.name)
    given = {
        "messages": [as_row(key, message, numbered) for key, message in zip(numbered, shown, strict=True)],
        "plain": plain.model_dump(mode="json", include={"title", "status", *SECTIONS}),
        "states": get_args(State),
    }

    def ask(before: Summary | None = None, failed: Sequence[Mapping[str, str]] = ()) -> Summary:
        said = before.model_dump(mode="json", include={"status", *SECTIONS}) if before else None
        prompt = book.get("oracle/incident").render(**given, before=said, failed=failed)
        return asking.object("summary", prompt, SummaryReply, lambda r: incident_from(r, plain, numbered, names))

    def check(written: Summary) -> Checked:
        held, struck = check_summary(written, messages, voice)
        code = {verdict.id for verdict in struck}
        lines = {name: line for name, line in named_lines(written).items() if line.ts and name not in code}
        refuted = refuted_lines(asking, book, lines, messages)
        return without_lines(held, [lines[v.id] for v in refuted]), (*struck, *refuted)

    try:
        written = ask()
        held, struck = check(written)
        if failed := told_lines(written, struck):
            held, struck = mended_summary(held, struck, lambda: check(ask(written, failed)))
    except ModelFailed as error:
        return WordedSummary(plain, str(error))
    except ConfigError as error:
        logger.warning("the rules sum up: %s", error)
        return WordedSummary(plain, "its prompt cannot be filled")
    for verdict in struck:
        logger.info("a line of a summary is struck: %s %s", verdict.id, verdict.reason)
    return WordedSummary(refilled(held, plain, struck), struck=struck)


Checked = tuple[Summary, tuple[Verdict, ...]]
"""What holds of a summary, and the verdicts of what does not; their ids are those of the lines as they were written."""


def named_lines(summary: Summary) -> dict[str, Line]:
    """Each line of a summary that a model writes, by its section and place, ``known.1``, or ``status``."""
    lines = {f"{name}.{i}": line for name in SECTIONS for i, line in enumerate(getattr(summary, name))}
    return {**lines, "status": summary.status} if summary.status.text else lines


def told_lines(written: Summary, struck: Sequence[Verdict]) -> list[Mapping[str, str]]:
    """Lines that do not hold, with the reasons, for the model."""
    lines = named_lines(written)
    return [{"line": lines[v.id].text, "reason": v.reason} for v in struck if v.id in lines]


def refuted_lines(
    asking: StructuredCalls, book: PromptBook, lines: Mapping[str, Line], messages: Sequence[ChannelMessage]
) -> tuple[Verdict, ...]:
    """Those lines that a verifier refutes; what it does not judge stays as code left it."""
    status = {name: "hypothesis" if name.startswith("hypotheses.") else "supported" for name in lines}
    claims = [CheckedClaim(name, line.text, line.ts, status[name]) for name, line in lines.items()]

    def show(wanted: Collection[str]) -> list[dict[str, str]]:
        return [{"id": m.ts, "by": m.name, "text": m.text[:LONGEST_MESSAGE]} for m in messages if m.ts in wanted]

    verdicts = judge_claims(asking, book, claims, show)
    said = ((name, line) for name, (verdict, line) in verdicts.items() if verdict == "not" and name in lines)
    return tuple(Verdict(id=name, verdict="struck", reason=f"{NOT_SAID}: {line}") for name, line in said)


def without_lines(summary: Summary, refuted: Sequence[Line]) -> Summary:
    """A summary without some of its lines."""
    kept: dict[str, Any] = {name: tuple(x for x in getattr(summary, name) if x not in refuted) for name in SECTIONS}
    if summary.status in refuted:
        kept["status"] = summary.status.model_copy(update={"text": ""})
    return summary.model_copy(update=kept)


def mended_summary(held: Summary, struck: tuple[Verdict, ...], again: Callable[[], Checked]) -> Checked:
    """The summary once more, with the lines that failed corrected; the first one where more of it holds."""
    try:
        better = again()
    except ModelFailed:
        return held, struck
    return better if len(better[1]) <= len(struck) else (held, struck)


def refilled(held: Summary, plain: Summary, struck: Sequence[Verdict]) -> Summary:
    """With the rules' lines where the model wrote some and none held; a section that it left empty stays empty."""
    lost = {verdict.id.partition(".")[0] for verdict in struck}
    empty = {name: getattr(plain, name) for name in SECTIONS if not getattr(held, name) and name in lost}
    status = held.status if held.status.text or not plain.status.text else plain.status
    return held.model_copy(update={**empty, "status": status})


def choose(messages: Sequence[ChannelMessage], plain: Summary) -> Iterator[ChannelMessage]:
    """The messages that the model reads, oldest first: those the rules rest on, then the newest, as far as there is
    room; none that speaks to machines."""
    relied = {ts for name in (*SECTIONS, "timeline") for line in getattr(plain, name) for ts in line.ts}
    fit = [m for m in messages if m.said and m.text.strip() and not speaks_to_machines(m.text)]
    room, chosen = MOST_CHARS, set()
    for message in sorted(fit, key=lambda m: (m.ts in relied, order_of(m.ts)), reverse=True):
        room -= min(len(message.text), LONGEST_MESSAGE) + 60
        if room < 0:
            break
        chosen.add(message.ts)
    yield from (m for m in sorted(fit, key=lambda m: order_of(m.ts)) if m.ts in chosen)


def as_row(key: str, message: ChannelMessage, numbered: dict[str, str]) -> dict[str, Any]:
    """A message as the model reads it."""
    root = next((number for number, ts in numbered.items() if ts == message.thread_ts and ts != message.ts), "")
    row = {
        "id": key,
        "at": f"{message.at:%Y-%m-%d %H:%M}",
        "by": message.name,
        "in": root,
        "text": message.text[:LONGEST_MESSAGE],
        "reactions": {name: len(users) for name, users in message.reactions.items()},
        "app": message.bot,
    }
    return {name: value for name, value in row.items() if value}
