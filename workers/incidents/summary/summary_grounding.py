"""A summary held against the messages it rests on, by the same check as every answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workers.contracts import ChannelMessage, Claim, Evidence, Fact, Verdict, rfc3339
from workers.grounding.ground import Checked, check_claim
from workers.grounding.value_format import Voice
from workers.incidents.summary.summary_types import SECTIONS, Line, Summary
from workers.incidents.summary.utterances import heard_in

JOINED = " → "


def message_evidence(message: ChannelMessage) -> Evidence:
    """A message as evidence: its text, and each of its sentences as a fact ``said_0``, ``said_1``, … of its writer."""
    said = {f"said_{r.number}": Fact(value=r.text, entity=message.name) for r in heard_in(message)}
    at = Fact(value=rfc3339(message.at), unit="time", entity=message.name)
    return Evidence(
        kind="message",
        title=f"{message.name}, {message.at:%H:%M} UTC",
        locator=message.ts,
        excerpt=message.text,
        facts={"author": Fact(value=message.name), "written_at": at, **said},
        observed_at=message.at,
    )


def check_summary(
    summary: Summary, messages: Sequence[ChannelMessage], voice: Voice
) -> tuple[Summary, tuple[Verdict, ...]]:
    """A summary without the lines that its messages do not bear out.

    Args:
        summary: as it was written, by the rules or a model.
        messages: of the channel.
        voice: the reader's clock.

    Returns: the summary, and why lines are missing.
    """
    by_ts = {m.ts: m for m in messages}
    struck: list[Verdict] = []

    def holds(line: Line, name: str) -> bool:
        checked = check_line(line, by_ts, summary.evidence, voice, name)
        if checked.struck:
            struck.append(checked.verdict)
        return not checked.struck

    kept = {
        name: tuple(line for i, line in enumerate(getattr(summary, name)) if holds(line, f"{name}.{i}"))
        for name in (*SECTIONS, "timeline")
    }
    if summary.next_update and not holds(summary.next_update, "next_update"):
        kept["next_update"] = None  # type: ignore[assignment]
    if summary.lead and not holds(summary.lead, "lead"):
        kept["lead"] = None  # type: ignore[assignment]
    if summary.status.text and not holds(summary.status, "status"):
        kept["status"] = summary.status.model_copy(update={"text": ""})  # type: ignore[assignment]
    return summary.model_copy(update=kept), tuple(struck)


def check_line(
    line: Line, by_ts: Mapping[str, ChannelMessage], told: Sequence[Evidence], voice: Voice, name: str = ""
) -> Checked:
    """One line against what it cites; what stands there word for word becomes slots, and is right by construction."""
    known = {f"M{i}": message_evidence(by_ts[ts]) for i, ts in enumerate(line.ts, 1) if ts in by_ts}
    known = {key: evidence.model_copy(update={"id": key}) for key, evidence in known.items()}
    known |= {e.id: e for e in told if e.id in line.evidence}
    parts = []
    for number, part in enumerate(line.text.split(JOINED)):
        key = next((key for key, e in known.items() if stands_in(part, e)), "")
        if key:
            fact = Fact(
                value=part, entity=str(known[key].facts["author"].value) if "author" in known[key].facts else ""
            )
            known[key] = known[key].model_copy(update={"facts": {**known[key].facts, f"part_{number}": fact}})
        parts.append(f"{{{key}.part_{number}}}" if key else part)
    return check_claim(Claim(template=JOINED.join(parts), evidence=tuple(known)), known, voice, name)


def stands_in(part: str, evidence: Evidence) -> bool:
    """Whether a piece of evidence says something word for word; a first letter may have become a capital."""
    told = [evidence.title, *(str(f.value) for name, f in evidence.facts.items() if name.startswith("said_"))]
    wanted = part.strip()
    return any(wanted in text or wanted[:1].lower() + wanted[1:] in text for text in told) and bool(wanted)
