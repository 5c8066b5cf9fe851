"""A summary as someone needs it: what is new since a moment, without jargon, and what changed between two."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from workers.incidents.summary.narrative import causes_in
from workers.incidents.summary.summary_types import SECTIONS, Entry, Line, Summary
from workers.language.sentences import overlap, stems_of

CODE = re.compile(
    r"`|[a-z0-9]_[a-z0-9]|[a-z][\w-]*\.[a-z][\w-]*\(|/[a-z]+/|\b[0-9a-f]{7,40}\b|\b(?:p9\d|p50|5xx|50\d)\b",
    re.IGNORECASE,
)
"""Names, paths, commits and codes, as they stand in code and on dashboards."""
JARGON = frozenset(
    """balancer broker cache canary commit configmap consumer cpu cron cronjob db deadlock dns endpoint envoy failover gc grpc
    haproxy heap helm http index iops k8s kafka kube kubernetes migration mutex mysql nginx node oom oomkilled partition
    pgbouncer pod postgres postgresql qps redis regex replica rps schema segfault sha shard sql stacktrace terraform
    thread tls""".split()
)
"""Words, without a plural's ending, that only engineers know."""
MOST = {"known": 3, "tried": 2, "action_items": 4}
TECHNICAL = "The cause is known; it is told in technical words there."
SAME = 0.85


def since(summary: Summary, after: datetime, worded: Mapping[str, datetime]) -> Summary:
    """What a summary says that is new since a moment; the standing, who leads and the next update stay.

    Args:
        summary: of the whole channel.
        after: what was said until then the reader has seen; aware.
        worded: ts of a message -> when it got the words it has.
    """
    new = {
        name: tuple(line for line in getattr(summary, name) if newer(line, after, worded))
        for name in (*SECTIONS, "timeline")
    }
    return summary.model_copy(update=new)


def newer(line: Line, after: datetime, worded: Mapping[str, datetime]) -> bool:
    """Whether a line rests on a message that was written or edited after a moment; of an entry also whether people
    changed it after that, or a program told of what happened then.
    """
    if any(worded[ts] > after for ts in line.ts if ts in worded):
        return True
    if not isinstance(line, Entry):
        return False
    return line.said_at > after if line.said_at else not line.ts and line.at > after


def is_news(summary: Summary, after: datetime, worded: Mapping[str, datetime]) -> bool:
    """Whether a summary of what is new `since` a moment says anything of after it."""
    lines = [summary.status, *filter(None, (summary.lead, summary.next_update))]
    parts = (*(getattr(summary, name) for name in SECTIONS), summary.timeline)
    return any(parts) or any(newer(line, after, worded) for line in lines)


def for_stakeholders(summary: Summary) -> Summary:
    """Impact, how it stands and what comes next, without what only engineers read; a cause that only they read is said
    to be known, with its message.
    """
    kept = {name: plain(getattr(summary, name), MOST.get(name, 3)) for name in ("decisions", "action_items")}
    milestones = {"detected", "declared", "mitigated", "resolved"}
    return summary.model_copy(
        update={
            **dict.fromkeys(SECTIONS, ()),
            **kept,
            "known": known_plainly(summary),
            "tried": plain(summary.tried, MOST["tried"]),
            "impact": summary.impact,
            "timeline": tuple(e for e in summary.timeline if e.kind in milestones),
        }
    )


def known_plainly(summary: Summary) -> tuple[Line, ...]:
    """What is known without jargon, the cause first; where only jargon tells it, that it is known."""
    causes = causes_in(summary)
    told = plain(causes, len(causes)) or tuple(Line(text=TECHNICAL, ts=cause.ts) for cause in causes[:1])
    said = {cause.text for cause in causes}
    others = plain((line for line in summary.known if line.text not in said), MOST["known"])
    return (*told, *others)[: MOST["known"]]


def plain(lines: Iterable[Line], most: int) -> tuple[Line, ...]:
    """The lines that say no jargon, the last few of them."""
    found = [line for line in lines if not is_technical(line.text)]
    return tuple(found[-most:])


def is_technical(text: str) -> bool:
    """Whether a text says something that only engineers know."""
    words = re.findall(r"\w+", text.lower())
    return bool(CODE.search(text)) or any(word in JARGON or word.removesuffix("s") in JARGON for word in words)


def changed(old: Summary | None, new: Summary) -> tuple[str, ...]:
    """What a reader of the older summary would want told, in few words each, the weightiest first.

    Args:
        old: the one that stands; None when there is none.
        new: the one that replaces it.
    """
    if old is None:
        return ()
    told = []
    if old.status.state != new.status.state:
        told.append(f"now {words_of(new.status.state)}")
    if old.severity != new.severity and new.severity:
        told.append(new.severity)
    if new.lead and (old.lead is None or old.lead.name != new.lead.name):
        told.append(f"@{new.lead.name} leads")
    for name, word in (
        ("known", ""),
        ("tried", ""),
        ("impact", "impact: "),
        ("decisions", "decided: "),
        ("ruled_out", "ruled out: "),
    ):
        fresh = [line for line in getattr(new, name) if not any(alike(line, was) for was in getattr(old, name))]
        told += [f"{word}{short(line.text)}" for line in fresh[-2:]]
    finished = {item.text for item in old.action_items if item.done}
    told += [f"done: {short(item.text)}" for item in new.action_items if item.done and item.text not in finished][-2:]
    return tuple(told[:4])


def alike(one: Line, other: Line) -> bool:
    """Whether two lines say the same."""
    return one.text == other.text or overlap(stems_of(one.text), stems_of(other.text)) >= SAME


def words_of(state: str) -> str:
    """A state as people say it."""
    return state.replace("_", " ")


def short(text: str, most: int = 80) -> str:
    """A line's beginning."""
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + "…"


def milestones(timeline: Iterable[Entry]) -> dict[str, Entry]:
    """The first moment of each kind; of the last kinds the last."""
    found: dict[str, Entry] = {}
    for entry in timeline:
        if entry.kind in {"mitigated", "resolved"} or entry.kind not in found:
            found[entry.kind] = entry
    return found
