"""Whether the specifics of a posted text occur in what the tools of its request returned.

On another principle than the grounding code, which it judges: it knows nothing of claims, sections or roles of facts. A
specific is known when it stands anywhere in what the stored log holds of the tools' side: evidence (facts in every unit
and rounding, titles, excerpts, locators, links), summaries of calls, the question, names that exist. What only the
arguments of a tool call hold was named by whoever chose them, and is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bench.specifics import CLOCK, DATE, MONTHS, SCALES, THIN, URL, Specific, find_specifics, numbers_of
from workers.contracts import Landscape, RequestLog

FUNCTION = re.compile(r"\{[a-z]+\(([^{}()]*)\)\}")
REF = re.compile(r"([A-Za-z]\w*)\.(\w+)")
LONGEST_AGO = timedelta(days=3650)


@dataclass
class Known:
    """What the tools of one request returned. ``named``: what only arguments of calls hold."""

    text: str
    named: str
    links: frozenset[str]
    moments: tuple[datetime, ...]
    numbers: dict[str, list[float]] = field(default_factory=dict)
    zones: tuple[Any, ...] = (UTC,)
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


# --- what is known --------------------------------------------------------------------------------------------


def known_of(
    log: RequestLog, landscape: Landscape, more: Iterable[str] = (), measured: Iterable[tuple[str, float]] = ()
) -> Known:
    """Everything the tools' side of a log holds.

    Args:
        log: of one request.
        landscape: the names that exist.
        more: texts that the caller vouches for.
        measured: dimension and value, in base units, that the caller vouches for.
    """
    tools = [e.model_dump(mode="json", exclude={"series"}) for e in log.evidence]
    tools += [{"summary": c.summary, "name": c.name, "status": c.status} for c in log.tool_calls]
    asked = [log.question.text, *log.question.context]
    window = log.intent.window if log.intent else None
    spans = [window.model_dump(mode="json", exclude={"why"})] if window else []
    suspect = [log.suspect.model_dump(mode="json")] if log.suspect else []
    texts = [
        *strings([*tools, *spans, *suspect]),
        *asked,
        *landscape.names,
        *strings(landscape.model_dump(mode="json")),
    ]
    texts += [log.request_id, *more]
    named = [str(value) for call in log.tool_calls for value in call.args.values()]
    text = "\n".join(texts)
    moments = [
        log.question.received_at,
        *moments_of(texts),
        *(m.at for e in log.evidence for m in e.facts.values() if m.at),
    ]
    moments += [datetime.fromtimestamp(at, UTC) for e in log.evidence for at, _ in e.series]
    known = Known(
        text=plain(text),
        named=plain("\n".join(named)),
        links=frozenset(url.rstrip(".,;:") for url in URL.findall(text)) | {e.url for e in log.evidence if e.url},
        moments=tuple(dict.fromkeys(moments)),
        zones=(UTC, zone_of(log.question.timezone)),
        now=log.question.received_at,
    )
    for dimension, value in (*values_of(log), *measured):
        known.numbers.setdefault(dimension, []).append(value)
    for specific in numbers_of(text):
        known.numbers.setdefault(f"text {specific.dimension}", []).append(specific.value)
    return known


def strings(value: Any) -> Iterator[str]:
    """Every string and number in a JSON value, as text."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def plain(text: str) -> str:
    """For comparison: lower case, one sort of space, hyphen and minus."""
    return re.sub(rf"[{THIN}]", " ", text.replace("−", "-").replace("–", "-")).lower()


def zone_of(name: str) -> Any:
    """A zone by its name or offset; UTC when unknown."""
    if re.fullmatch(r"[+-]\d\d:\d\d", name):
        return datetime.fromisoformat(f"2000-01-01T00:00:00{name}").tzinfo
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def moments_of(texts: Iterable[str]) -> Iterator[datetime]:
    """Moments written as RFC 3339 anywhere in texts."""
    pattern = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)")
    for text in texts:
        for found in pattern.findall(text):
            yield datetime.fromisoformat(found)


def values_of(log: RequestLog) -> Iterator[tuple[str, float]]:
    """Numeric facts in base units, and what functions of two facts named in one slot of a claim come to."""
    facts = {(e.id, name): f for e in log.evidence for name, f in e.facts.items()}
    for fact in facts.values():
        if isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
            scale = 0.01 if fact.unit == "percent" else 1.0
            dimension = {"percent": "ratio"}.get(fact.unit, fact.unit)
            yield dimension, float(fact.value) * scale
    answer = log.answer
    sections = (answer.what_changed, answer.metrics, answer.code, answer.docs, answer.next_steps) if answer else ()
    claims = [answer.headline, *(claim for section in sections for claim in section)] if answer else []
    for claim in claims:
        for arguments in FUNCTION.findall(claim.template):
            named = [facts[ref] for ref in REF.findall(arguments) if ref in facts]
            for first, last in permutations(named, 2):
                yield from derived(first, last)


def derived(first: Any, last: Any) -> Iterator[tuple[str, float]]:
    """Difference, share and factor of two values, or the time between two moments."""
    if "time" in {first.unit, last.unit}:
        if first.unit == last.unit:
            gap = datetime.fromisoformat(str(last.value)) - datetime.fromisoformat(str(first.value))
            yield "s", gap.total_seconds()
        return
    if not all(isinstance(f.value, int | float) for f in (first, last)):
        return
    scale = 0.01 if first.unit == "percent" else 1.0
    a, b = float(first.value) * scale, float(last.value) * scale
    yield {"percent": "ratio"}.get(first.unit, first.unit), b - a
    if a:
        yield "ratio", (b - a) / abs(a)
        yield "factor", b / a


# --- whether it is known --------------------------------------------------------------------------------------


def judge(specific: Specific, known: Known) -> str:
    """``known``, ``named`` (only in the arguments of a tool call), or ``ungrounded``, as every mention is."""
    if specific.kind == "mention":
        return "ungrounded"
    if JUDGES[specific.kind](specific, known):
        return "known"
    bare = plain(specific.text).strip("`")
    return "named" if whole(bare, known.named) else "ungrounded"


def whole(part: str, text: str) -> bool:
    """Whether a text holds a token, not just a piece of one."""
    if not part:
        return False
    before, after = (r"(?<!\w)" if part[0].isalnum() else ""), (r"(?!\w)" if part[-1].isalnum() else "")
    return bool(re.search(f"{before}{re.escape(part)}{after}", text))


def link_is_known(specific: Specific, known: Known) -> bool:
    """The very address, or a plain word that happens to look like one."""
    return specific.text in known.links or (not URL.match(specific.text) and whole(plain(specific.text), known.text))


def path_is_known(specific: Specific, known: Known) -> bool:
    """The path; with line numbers, within a range that the evidence shows of it."""
    path, _, lines = plain(specific.text).partition(":")
    if not (whole(path, known.text) or whole(path.lstrip("/"), known.text)):
        return False
    if not lines:
        return True
    first, _, last = lines.replace("–", "-").partition("-")
    wanted_lines = (int(first), int(last or first))
    tail = path.rpartition("/")[2]
    ranges = re.findall(rf"(?:[\w./-]*/)?{re.escape(tail)}:(\d+)(?:-(\d+))?", known.text)
    return any(int(a) <= wanted_lines[0] and wanted_lines[1] <= int(b or a) for a, b in ranges)


def token_is_known(specific: Specific, known: Known) -> bool:
    """A name, somewhere in the texts."""
    bare = plain(specific.text).strip("`").removesuffix("()")
    return whole(bare, known.text)


def commit_is_known(specific: Specific, known: Known) -> bool:
    """The beginning of a hash."""
    return bool(re.search(rf"(?<![0-9a-f]){specific.text}", known.text))


def time_is_known(specific: Specific, known: Known) -> bool:
    """A clock time of a known moment, in UTC or the asker's zone, or words of a text."""
    match = CLOCK.match(specific.text)
    if match is None:
        return False
    hour, minute, half = int(match[1]), int(match[2]), (match[3] or "").lower()
    hour = hour % 12 + (12 if half == "p" else 0) if half else hour
    for moment in known.moments:
        for zone in known.zones:
            for near in (moment, moment + timedelta(seconds=30)):
                local = near.astimezone(zone)
                if (local.hour, local.minute) == (hour, minute):
                    return True
    return whole(plain(specific.text), known.text)


def date_is_known(specific: Specific, known: Known) -> bool:
    """A day of a known moment, or words of a text."""
    match = DATE.match(specific.text)
    if match is None:
        return False
    year, month, day, name, of_name, before, its = match.groups()
    wanted_month = int(month) if month else MONTHS.index((name or its)[:3]) + 1
    wanted_day = int(day or of_name or before)
    for moment in known.moments:
        for zone in known.zones:
            local = moment.astimezone(zone)
            if (local.month, local.day) == (wanted_month, wanted_day) and (not year or local.year == int(year)):
                return True
    return whole(plain(specific.text), known.text)


def number_is_known(specific: Specific, known: Known) -> bool:
    """A value of that dimension, up to the rounding it is written with; or a number of a text."""
    dimensions = (
        [specific.dimension] if specific.dimension else ["", "count", "line", "number", "text", "ratio", "/s", "s"]
    )
    values = [v for d in dimensions for v in known.numbers.get(d, [])]
    if any(near(specific, v) or near(specific, abs(v)) for v in values):
        return True
    texts = known.numbers.get(f"text {specific.dimension}", []) + known.numbers.get("text ", [])
    scale = SCALES.get(re.sub(rf"^[\d.,+− {THIN}-]+", "", specific.text), ("", 1.0))[1] if specific.dimension else 1.0
    if any(abs(abs(specific.value) - abs(v)) < 1e-9 or abs(abs(specific.value / scale) - abs(v)) < 1e-9 for v in texts):
        return True
    return specific.dimension == "s" and any(near(specific, gap) for gap in ages(known))


def near(specific: Specific, value: float) -> bool:
    """Equal up to rounding."""
    return abs(abs(specific.value) - abs(value)) <= specific.slack * 1.02 + abs(value) * 0.006


def ages(known: Known) -> Iterator[float]:
    """How long ago each moment was."""
    for moment in known.moments:
        gap = known.now - moment
        if timedelta(0) < gap < LONGEST_AGO:
            yield gap.total_seconds()


JUDGES = {
    "link": link_is_known,
    "path": path_is_known,
    "commit": commit_is_known,
    "date": date_is_known,
    "time": time_is_known,
    "name": token_is_known,
    "number": number_is_known,
}


def ungrounded(text: str, known: Known) -> list[tuple[Specific, str]]:
    """The specifics of a text that are not known, with the verdict."""
    verdicts = [(specific, judge(specific, known)) for specific in find_specifics(text)]
    return [(specific, verdict) for specific, verdict in verdicts if verdict != "known"]
