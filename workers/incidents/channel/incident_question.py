"""A question about the incident of its own channel, answered from the channel's messages; nothing is looked up."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping

from workers.contracts import Answer, ChannelMessage, Claim, Evidence, Intent, Question, RequestLog
from workers.incidents.channel.channel_standing import ChannelStanding, standing_of
from workers.incidents.channel.summary_answer import SummaryAnswer, answer_from
from workers.incidents.channel.summary_blocks import address_of
from workers.incidents.summary.summary_types import Line
from workers.language.incident_questions import classify_incident_question
from workers.requests.worker_context import WorkerContext
from workers.store.followed_channels import followed

TITLE = 60
TOOL = "incident summary"
AROUND = ".,;:!?()'\"-/"
SEVERITY = re.compile(r"(?:sev|p)[- ]?\d", re.IGNORECASE)


def answer_in_channel(worker: WorkerContext, question: Question) -> RequestLog | None:
    """The answered request when a question asks of its channel's incident what the summary says; else None.

    Raises: StoreUnavailable, ChatRefused: the app was removed from the workspace.
    """
    kind = classify_incident_question(question.text) if question.channel and not question.unasked else None
    here = followed(worker.ledger.database, question.team, question.channel) if kind else None
    if kind is None or here is None or here.state != "following":
        return None
    began = time.perf_counter()
    found = standing_of(worker, question, here)
    if found is None or names_more(question.text, found):
        return None
    said = answer_from(kind, found.standing)
    evidence, numbers = evidence_of(said, found)
    claims = [claim_of(line, numbers) for line in (said.headline, *said.lines)]
    return RequestLog(
        request_id=question.request_id,
        question=question,
        intent=Intent(question_type=f"incident_{kind}", subjects=(found.standing.summary.title[:TITLE] or "incident",)),
        evidence=evidence,
        answer=Answer(headline=claims[0], what_changed=tuple(claims[1:]), tools_used=(TOOL,), confidence="high"),
        grounded=True,
        timings_ms={"plan": round((time.perf_counter() - began) * 1000, 2)},
    )


def names_more(text: str, found: ChannelStanding) -> bool:
    """Whether a question names something, as a path, a version or a number, that nobody named in the channel."""
    said = " ".join(message.text for message in found.messages).lower()
    words = SEVERITY.sub(" ", text.lower()).split()
    named = [word.strip(AROUND) for word in words if any(c.isdigit() or c in "/_" for c in word)]
    return any(name and name not in said for name in named)


# --- as an answer ---------------------------------------------------------------------------------------------


def evidence_of(said: SummaryAnswer, found: ChannelStanding) -> tuple[tuple[Evidence, ...], dict[str, str]]:
    """What the lines rest on, numbered in the order it is cited; and the number of each message and piece."""
    by_ts = {message.ts: message for message in found.messages}
    told = {item.id: item for item in found.standing.summary.evidence}
    keys = dict.fromkeys(key for line in (said.headline, *said.lines) for key in (*line.ts, *line.evidence))
    items: list[Evidence] = []
    numbers: dict[str, str] = {}
    for key in keys:
        item = message_evidence(by_ts[key], found) if key in by_ts else told.get(key)
        if item is not None:
            numbers[key] = f"E{len(items) + 1}"
            items.append(item.model_copy(update={"id": numbers[key]}))
    return tuple(items), numbers


def message_evidence(message: ChannelMessage, found: ChannelStanding) -> Evidence:
    """A message as evidence, with the way to it."""
    who = message.name or "someone"
    return Evidence(
        kind="message",
        title=f"message of {who}, {found.standing.when(message.at)}",
        locator=message.ts,
        url=address_of(found.address, message.ts, found.threads.get(message.ts, "")) or None,
        excerpt=message.text,
        observed_at=message.at,
    )


def claim_of(line: Line, numbers: Mapping[str, str]) -> Claim:
    """A line as a claim: its words are the channel's."""
    cited = tuple(numbers[key] for key in (*line.ts, *line.evidence) if key in numbers)
    return Claim(template="", text=line.text, evidence=cited)
