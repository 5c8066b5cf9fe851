"""PURE. Which facts of the cited evidence a written specific can stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from workers.contracts import Evidence, Fact
from workers.engine.literals import Specific, date_matches, time_matches
from workers.engine.slots import Ref
from workers.engine.style import Voice

DIMENSION = {"s": "s", "ratio": "ratio", "percent": "ratio", "/s": "/s", "bytes": "bytes"}


@dataclass(frozen=True)
class Mention:
    """A specific in a claim with every fact it can stand for. ``derived`` names the function of two facts."""

    specific: Specific
    refs: tuple[tuple[Ref, ...], ...]
    derived: str = ""
    slot: bool = False


def match_specific(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Mention:
    """Find all readings of one specific; none means that nothing cited shows it."""
    finder = {
        "quantity": match_quantity,
        "factor": match_factor,
        "time": match_time,
        "date": match_time,
        "lines": match_lines,
        "path": match_path,
        "commit": match_commit,
        "url": match_url,
    }.get(specific.kind, match_words)
    return Mention(specific, tuple(finder(specific, cited, voice)))


def facts_of(cited: Sequence[Evidence], *units: str) -> Iterator[Ref]:
    """All facts of the given units, or all."""
    for evidence in cited:
        for name, fact in evidence.facts.items():
            if not units or fact.unit in units:
                yield Ref(evidence.id, name, fact)


def numbers(cited: Sequence[Evidence]) -> Iterator[Ref]:
    """All numeric facts."""
    for ref in facts_of(cited):
        if isinstance(ref.fact.value, int | float) and not isinstance(ref.fact.value, bool):
            yield ref


def dimension(fact: Fact) -> str:
    """The dimension of a fact's unit."""
    return DIMENSION.get(fact.unit, "plain")


def base_value(fact: Fact) -> float:
    """A numeric fact in the base unit of its dimension."""
    value = float(fact.value)
    return value / 100 if fact.unit == "percent" else value


def close(specific: Specific, value: float) -> bool:
    """Equal up to the rounding that the written number shows; a count must be exact."""
    gap = abs(specific.value - value)
    if specific.dimension == "plain" and float(value).is_integer():
        return gap < 1e-9
    return gap <= max(specific.tolerance * 1.001, abs(value) * 0.005)


def match_quantity(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """A number with a unit: a fact of that dimension, a value derived from two, or the words of an excerpt."""
    for ref in numbers(cited):
        fits = dimension(ref.fact) == specific.dimension
        bare = specific.dimension == "plain" and ref.fact.unit in {"ratio", "count", "line", "text"}
        if (fits or bare) and (
            close(specific, base_value(ref.fact))
            or (ref.fact.unit == "percent" and close(specific, abs(base_value(ref.fact))))
        ):
            yield (ref,)
    if specific.dimension == "s":
        yield from spans(specific, cited)
    yield from differences(specific, cited)
    yield from match_words(specific, cited, voice)


def spans(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """Durations between two times."""
    times = [(ref, datetime.fromisoformat(str(ref.fact.value))) for ref in facts_of(cited, "time")]
    for (a, at), (b, bt) in combinations(times, 2):
        gap = abs((at - bt).total_seconds())
        if gap and abs(gap - specific.value) <= max(specific.tolerance, 30):
            yield (a, b)


def differences(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """Changes in percent, and differences, between two values of one evidence."""
    for evidence in cited:
        refs = [r for r in numbers([evidence]) if r.fact.unit not in {"line", "percent"} and r.name != "samples"]
        for a, b in combinations(refs, 2):
            if a.fact.unit != b.fact.unit:
                continue
            first, last = base_value(a.fact), base_value(b.fact)
            if specific.dimension == "ratio" and first and a.fact.unit != "ratio":
                if close(specific, (last - first) / abs(first)) or close(specific, abs(last - first) / abs(first)):
                    yield (a, b)
            elif specific.dimension == dimension(a.fact) != "plain" and close(specific, abs(last - first)):
                yield (a, b)


def match_factor(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """``×9``: the ratio of two values of one evidence."""
    for evidence in cited:
        refs = [r for r in numbers([evidence]) if r.fact.unit not in {"line", "percent"}]
        for a, b in combinations(refs, 2):
            first, last = base_value(a.fact), base_value(b.fact)
            if (
                a.fact.unit == b.fact.unit
                and first
                and last
                and (close(specific, last / first) or close(specific, first / last))
            ):
                yield (a, b)
    yield from match_words(specific, cited, voice)


def match_time(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """A clock time or a date: a fact that is a time, or the time a fact held."""
    matches = date_matches if specific.kind == "date" else time_matches
    for ref in facts_of(cited):
        if ref.fact.unit == "time":
            if matches(specific.text, datetime.fromisoformat(str(ref.fact.value)), voice):
                yield (ref,)
        elif ref.fact.at and matches(specific.text, ref.fact.at, voice):
            yield (Ref(ref.evidence, f"{ref.name}_at", Fact(value=ref.fact.at.isoformat(), unit="time")),)
    yield from match_words(specific, cited, voice)


def match_lines(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """``path:41-58``: exactly a cited range, or lines within one."""
    path, start, end = split_lines(specific.text)
    for ref in facts_of(cited, "lines"):
        known, first, last = split_lines(str(ref.fact.value))
        if same_path(path, known) and first <= start and end <= last:
            yield (ref,)
    yield from match_words(specific, cited, voice)


def split_lines(text: str) -> tuple[str, int, int]:
    """``a/b.py:41-58`` -> path, first, last."""
    path, _, lines = text.rpartition(":")
    first, _, last = lines.replace("–", "-").partition("-")
    if not first.isdigit():
        return text, 0, 0
    return path, int(first), int(last) if last.isdigit() else int(first)


def same_path(written: str, known: str) -> bool:
    """The same path, or its last parts."""
    return written == known or known.endswith(f"/{written}")


def match_path(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """A path in full, or its last parts."""
    for ref in facts_of(cited, "path", "lines"):
        known = str(ref.fact.value)
        if same_path(specific.text, split_lines(known)[0] if ref.fact.unit == "lines" else known):
            yield (ref,)
    yield from match_words(specific, cited, voice)


def match_commit(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """A hash, or its first characters."""
    for ref in facts_of(cited, "commit"):
        if str(ref.fact.value).startswith(specific.text):
            yield (ref,)
    yield from match_words(specific, cited, voice)


def match_url(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """A URL whole, never by its start: an address one segment off is another address."""
    del voice
    for evidence in cited:
        known = {evidence.url, *(str(r.fact.value) for r in facts_of([evidence], "url"))}
        known |= {m.rstrip(".,;:)") for m in re.findall(r"https?://[^\s<>\"'`]+", evidence.excerpt)}
        if specific.text in known:
            yield (Ref(evidence.id, "url", Fact(value=specific.text, unit="url")),)


def match_words(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """The very words, standing alone, in a text fact, title, locator or excerpt."""
    del voice
    pattern = standing_alone(specific.text)
    for evidence in cited:
        for ref in facts_of([evidence]):
            if isinstance(ref.fact.value, str) and ref.fact.unit not in {"time", "url", "commit"}:
                if pattern.search(squeeze(ref.fact.value)) or ref.fact.entity == specific.text:
                    yield (ref,)
            elif ref.fact.entity == specific.text:
                yield (ref,)
        where = [evidence.title, evidence.excerpt]
        if specific.kind not in {"quantity", "factor", "time"}:
            where.append(evidence.locator)
        if evidence.kind in {"metric", "deploy", "alert"} and specific.kind in {"quantity", "factor", "time"}:
            continue
        if any(pattern.search(squeeze(text)) for text in where):
            yield (Ref(evidence.id, "excerpt", Fact(value=specific.text, unit="text")),)


def standing_alone(text: str) -> re.Pattern[str]:
    """Matches the text when no word character continues it."""
    words = squeeze(text)
    head = r"(?<![\w./-])" if words[:1].isdigit() or words[:1] == "/" else r"(?<!\w)"
    return re.compile(head + re.escape(words) + r"(?![\w])(?!\.\d)")


def squeeze(text: str) -> str:
    """White space as single blanks; Markdown's emphasis and code marks do not count."""
    return re.sub(r"\s+", " ", re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", text)).strip()
