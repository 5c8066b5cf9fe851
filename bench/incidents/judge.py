"""Scores a summary of an incident channel against what is expected of it. Pure: no file is read, nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.incidents.expected import END, Cut, Fact, Forbidden, most_lines

Json = Mapping[str, Any]
LISTS = (
    "impact",
    "known",
    "tried",
    "hypotheses",
    "ruled_out",
    "decisions",
    "action_items",
    "open_questions",
    "timeline",
)
CLOSE = timedelta(minutes=2)


@dataclass(frozen=True)
class Line:
    """A line of a summary, wherever it stands; ``raw`` is the object it came from."""

    section: str
    text: str
    ts: tuple[str, ...]
    raw: Json


@dataclass(frozen=True)
class Found:
    """How one expected fact fared: ``place`` is the section it was found in, ``miscited`` that only its words were."""

    fact: Fact
    place: str = ""
    miscited: bool = False


@dataclass(frozen=True)
class Verdict:
    """All that the judge has to say of one summary; every tuple of sentences is empty when it is good."""

    facts: tuple[Found, ...]
    wrong_state: str
    wrong_severity: str
    forbidden: tuple[str, ...]
    wrong_citations: tuple[str, ...]
    too_long: tuple[str, ...]
    chatter: tuple[str, ...]
    malformed: tuple[str, ...]

    @property
    def present(self) -> int:
        """The weight of the facts that are there."""
        return sum(found.fact.weight for found in self.facts if found.place)

    @property
    def wanted(self) -> int:
        """The weight of all facts."""
        return sum(found.fact.weight for found in self.facts)

    @property
    def faults(self) -> tuple[str, ...]:
        """What is there and should not be, missing facts apart."""
        wrong = tuple(said for said in (self.wrong_state, self.wrong_severity) if said)
        return wrong + self.forbidden + self.wrong_citations + self.too_long + self.chatter + self.malformed


def judge(
    summary: Json, cut: Cut, *, ts: Mapping[str, str], known: Sequence[str], chatter: frozenset[str] = frozenset()
) -> Verdict:
    """Score the object that ``oracle summarize FILE --json`` prints.

    Args:
        summary: that object.
        cut: what is expected.
        ts: the ts of each key that ``cut`` names.
        known: the ts of all messages of the export, oldest first.
        chatter: the ts of messages that nothing should rest on alone.
    """
    lines = list(_lines(summary))
    last = known[-1] if cut.until == END else ts[cut.until]
    seen = {stamp for stamp in known if stamp <= last}
    status = summary.get("status") or {}
    state, severity = str(status.get("state", "")), str(summary.get("severity", ""))
    idle = [line for line in lines if line.ts and set(line.ts) <= chatter]
    return Verdict(
        facts=tuple(_look(fact, lines, ts) for fact in cut.present),
        wrong_state="" if state in cut.state else f"state is {state or 'missing'}, not {' or '.join(cut.state)}",
        wrong_severity=""
        if not cut.severity or severity in cut.severity
        else f"severity is {severity or 'empty'}, not {' or '.join(wanted or 'empty' for wanted in cut.severity)}",
        forbidden=tuple(said for rule in cut.forbidden for said in _broken(rule, summary, lines, ts)),
        wrong_citations=tuple(_citations(lines, seen)),
        too_long=tuple(
            f"{section} has {count} lines, {most} at most"
            for section, most in most_lines(cut).items()
            if (count := sum(line.section == section for line in lines)) > most
        ),
        chatter=tuple(f"{line.section} rests on chatter: {line.text}" for line in idle)
        if len(idle) > cut.chatter
        else (),
        malformed=tuple(_malformed(summary)),
    )


def _lines(summary: Json) -> Iterator[Line]:
    if summary.get("title"):
        yield Line("title", str(summary["title"]), (), summary)
    for section in ("status", *LISTS, "next_update", "lead"):
        held = summary.get(section) or []
        for raw in [held] if isinstance(held, Mapping) else held:
            if isinstance(raw, Mapping):
                name = "known" if section == "lead" else section  # who leads is known
                yield Line(name, str(raw.get("text", "")), tuple(map(str, raw.get("ts") or ())), raw)


def _look(fact: Fact, lines: Sequence[Line], ts: Mapping[str, str]) -> Found:
    cites = {ts[key] for key in fact.cites}
    spoken = [line for line in lines if line.section in fact.sections and _says(fact, line) and _fits(fact, line, ts)]
    for line in spoken:
        if not cites or cites & set(line.ts):
            return Found(fact, line.section)
    return Found(fact, miscited=bool(spoken))


def _says(fact: Fact, line: Line) -> bool:
    return any(all(_in(word, line.text) for word in words) for words in fact.any_of)


def _fits(fact: Fact, line: Line, ts: Mapping[str, str]) -> bool:
    """Owner, doneness, kind and time are as expected."""
    if line.section == "action_items" and not _held_by(fact.owner, fact.done, line):
        return False
    if line.section != "timeline":
        return True
    if fact.kind and line.raw.get("kind") not in fact.kind:
        return False
    if not fact.at:
        return True
    wanted = datetime.fromtimestamp(float(ts[fact.at]), UTC) if fact.at in ts else datetime.fromisoformat(fact.at)
    at = _moment(line.raw.get("at"))
    return at is not None and abs(at - wanted) <= CLOSE


def _held_by(owner: str | None, done: bool | None, line: Line) -> bool:
    named = str(line.raw.get("owner") or "").removeprefix("@")
    if owner is not None and not (_in(owner, named) if owner else not named):
        return False
    return done is None or line.raw.get("done") is done


def _broken(rule: Forbidden, summary: Json, lines: Sequence[Line], ts: Mapping[str, str]) -> Iterator[str]:
    if not rule.sections:
        for text in _strings(summary):
            if _banned(rule, text):
                yield f"{rule.id}: {rule.why}: {text}"
        return
    cites = {ts[key] for key in rule.cites}
    for line in lines:
        if line.section not in rule.sections or not _banned(rule, line.text):
            continue
        if cites and not cites & set(line.ts):
            continue
        if line.section == "action_items" and not _held_by(rule.owner, rule.done, line):
            continue
        yield f"{rule.id}: {rule.why}: {line.section}: {line.text}"


def _banned(rule: Forbidden, text: str) -> bool:
    return all(_in(word, text) for word in rule.pattern) and not (rule.unless and _in(rule.unless, text))


def _citations(lines: Sequence[Line], seen: set[str]) -> Iterator[str]:
    for line in lines:
        if line.section == "title" or (line.section == "status" and line.raw.get("state") == "none"):
            continue
        if not line.ts:
            yield f"{line.section} rests on no message: {line.text}"
        for stamp in line.ts:
            if stamp not in seen:
                yield f"{line.section} rests on {stamp}, which is not there: {line.text}"


def _malformed(summary: Json) -> Iterator[str]:
    for section in ("title", "severity", "status", *LISTS):
        if section not in summary:
            yield f"{section} is missing"
    for section in LISTS:
        if not isinstance(summary.get(section, []), list):
            yield f"{section} is not a list"
    for line in _lines(summary):
        if not line.text.strip() and not (line.section == "status" and line.raw.get("state") == "none"):
            yield f"{line.section} has a line without words"
        if line.section == "timeline" and _moment(line.raw.get("at")) is None:
            yield f"timeline has a line without its time: {line.text}"
        if line.section == "action_items" and not isinstance(line.raw.get("done"), bool):
            yield f"an action item says not whether it is done: {line.text}"
    texts = [(line.section, " ".join(line.text.lower().split()), line.raw.get("at")) for line in _lines(summary)]
    for section, text, at in dict.fromkeys(said for said in texts if texts.count(said) > 1):
        yield f"{section} says twice{f' at {at}' if at else ''}: {text}"


def _strings(held: Any) -> Iterator[str]:
    if isinstance(held, str):
        yield held
    elif isinstance(held, Mapping):
        for value in held.values():
            yield from _strings(value)
    elif isinstance(held, Sequence):
        for value in held:
            yield from _strings(value)


def _moment(said: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    return at if at.tzinfo else None


def _in(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
