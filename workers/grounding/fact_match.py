"""Which facts of the cited evidence a written specific can stand for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workers.contracts import Evidence, Fact
from workers.grounding.literals import Specific
from workers.grounding.template_slots import Ref
from workers.grounding.value_format import Voice
from workers.grounding.value_match import close, facts_of, match_factor, match_quantity
from workers.grounding.written_times import date_matches, time_matches


@dataclass(frozen=True)
class Mention:
    """A specific in a claim with every fact it can stand for. ``derived`` names the function of two facts."""

    specific: Specific
    refs: tuple[tuple[Ref, ...], ...]
    derived: str = ""
    slot: bool = False


def match_specific(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Mention:
    """Find all readings of one specific; none means that nothing cited shows it."""
    if re.fullmatch(r"\d{7,40}", specific.text) and (found := tuple(match_commit(specific, cited))):
        return Mention(replace(specific, kind="commit", dimension="", value=0.0, tolerance=0.0), found)
    if specific.kind in {"time", "date"}:
        return Mention(specific, tuple(match_time(specific, cited, voice)))
    finder = {
        "quantity": match_quantity,
        "factor": match_factor,
        "lines": match_lines,
        "path": match_path,
        "commit": match_commit,
        "url": match_url,
        "domain": match_address,
        "address": match_address,
        "mention": match_nothing,
        "person": match_person,
        "name": match_name,
        "quote": match_name,
    }.get(specific.kind, match_words)
    refs = tuple(finder(specific, cited))
    if not refs and specific.dimension == "s":
        refs = tuple(until_now(specific, cited, voice))
    if not refs and (bare := re.fullmatch(r"(\d{3,})s|(\d+) points?", specific.text)):
        refs = tuple(
            match_quantity(
                replace(specific, text=bare[1] or bare[2], value=float(bare[1] or bare[2]), dimension="plain"), cited
            )
        )
    return Mention(specific, refs)


def until_now(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """``18 hours ago``, ``for 40 minutes``: the time from a dated event to now."""
    for ref in facts_of(cited, "time"):
        gap = (voice.now - datetime.fromisoformat(str(ref.fact.value))).total_seconds()
        if gap > 0 and not ref.name.startswith("window") and close(specific, gap):
            yield (ref,)


def match_time(specific: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """A clock time or a date: a fact that is a time, or the time a fact held."""
    matches = date_matches if specific.kind == "date" else time_matches
    for ref in facts_of(cited):
        if ref.fact.unit == "time":
            if matches(specific.text, datetime.fromisoformat(str(ref.fact.value)), voice):
                yield (ref,)
        elif ref.fact.at and matches(specific.text, ref.fact.at, voice):
            yield (Ref(ref.evidence, f"{ref.name}_at", Fact(value=ref.fact.at.isoformat(), unit="time")),)
    yield from match_words(specific, cited)


def match_name(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A name or a quote: the very words; else without marks and accents, or a member with its owner."""
    found = list(match_words(specific, cited))
    yield from found
    if found:
        return
    bare = squashed(specific.text)
    parts = [p for p in re.split(r"\.|::|#|/", specific.text.removesuffix("()")) if p]
    for evidence in cited:
        shown = f"{evidence.title} {evidence.locator} {evidence.excerpt} " + " ".join(
            str(f.value) for f in evidence.facts.values() if isinstance(f.value, str)
        )
        member = len(parts) > 1 and all(len(p) > 2 and standing_alone(p).search(shown) for p in parts)
        foldable = len(bare) >= 4 and folds_whole(specific.text)
        if member or (foldable and re.search(rf"(?<![a-z0-9]){bare}(?![a-z0-9])", folded(shown))):
            yield (Ref(evidence.id, "excerpt", Fact(value=specific.text, unit="text")),)


def folded(text: str) -> str:
    """Lower case, without accents, hyphens, dots and underscores."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[-_\u2011]|(?<=[a-z]) (?=\d)", "", plain).replace(".", " ")


def folds_whole(text: str) -> bool:
    """Whether no letter of a name is lost in that form, as those without a plain one are: ``Þór`` is not ``or``."""
    return sum(map(str.isalpha, folded(text))) == sum(map(str.isalpha, text)) > 0


def squashed(text: str) -> str:
    """A name in the same form; regular expression characters escaped."""
    return re.escape(folded(text).strip())


def match_lines(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """``path:41-58``: exactly a cited range, or lines within one."""
    path, start, end = split_lines(specific.target or specific.text)
    for ref in facts_of(cited, "lines"):
        known, first, last = split_lines(str(ref.fact.value))
        if (not path or same_path(path, known)) and first <= start and end <= last:
            yield (ref,)
    for ref in facts_of(cited, "line"):
        if specific.target and ref.fact.value == start == end:
            yield (ref,)
    yield from match_words(specific, cited)


def split_lines(text: str) -> tuple[str, int, int]:
    """``a/b.py:41-58`` -> path, first, last."""
    path, _, lines = text.rpartition(":")
    first, _, last = lines.replace("–", "-").partition("-")
    if not first.isdigit():
        return text, 0, 0
    return path, int(first), int(last) if last.isdigit() else int(first)


def same_path(written: str, known: str) -> bool:
    """The same path, or its last parts."""
    return bool(written) and (written == known or known.endswith(f"/{written}"))


def match_path(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A path in full, or its last parts."""
    for ref in facts_of(cited, "path", "lines"):
        known = str(ref.fact.value)
        if same_path(specific.text, split_lines(known)[0] if ref.fact.unit == "lines" else known):
            yield (ref,)
    yield from match_words(specific, cited)


def match_commit(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A hash, or its first characters."""
    for ref in facts_of(cited, "commit"):
        if str(ref.fact.value).startswith(specific.text):
            yield (ref,)
    yield from match_words(specific, cited)


def match_url(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A URL whole, never by its start: an address one segment off is another address."""
    for evidence in cited:
        known = {evidence.url, *(str(r.fact.value) for r in facts_of([evidence], "url"))}
        if specific.text in known:
            yield (Ref(evidence.id, "url", Fact(value=specific.text, unit="url")),)


def match_address(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A host, an address of the net or of a person: whole, as the evidence writes it, or the host of a known URL."""
    wanted = specific.text.lower().rstrip("/")
    for evidence in cited:
        values = [str(f.value) for f in evidence.facts.values() if isinstance(f.value, str)]
        shown = "\n".join((evidence.title, evidence.locator, evidence.url or "", evidence.excerpt, *values)).lower()
        tokens = {t.strip(".,;:!?/") for t in re.split(r"[\s<>()\[\]{}\"'`|,;=]+", shown)}
        bare = {re.sub(r"^[a-z][a-z0-9+.-]*://", "", t) for t in tokens}
        hosts = {b.partition("/")[0] for b in bare}
        member = evidence.kind in {"code", "change"} and not re.search(r"[/:]", wanted)
        if wanted in bare | hosts | {h.partition(":")[0] for h in hosts} or (
            member and re.search(rf"(?<![\w.@/-]){re.escape(wanted)}(?![\w-])", shown)
        ):
            yield (Ref(evidence.id, "excerpt", Fact(value=specific.text, unit="text")),)


def match_nothing(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A mention calls people: no evidence allows it."""
    del specific, cited
    yield from ()


def match_person(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A proper name, in the very words but in any case."""
    pattern = re.compile(rf"(?<!\w){re.escape(specific.text)}(?!\w)", re.IGNORECASE)
    for evidence in cited:
        for ref in facts_of([evidence]):
            if isinstance(ref.fact.value, str) and pattern.search(ref.fact.value):
                yield (ref,)
        texts = [evidence.title, evidence.excerpt, evidence.locator]
        texts += [str(f.value) for f in evidence.facts.values() if isinstance(f.value, str)]
        bare = rf"(?<![a-z]){squashed(specific.text).replace(chr(92) + ' ', ' ?')}(?![a-z])"
        plain = folds_whole(specific.text) and any(re.search(bare, folded(t)) for t in texts)
        if plain or any(pattern.search(text) for text in texts):
            yield (Ref(evidence.id, "excerpt", Fact(value=specific.text, unit="text")),)


def match_words(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """The very words, standing alone, in a text fact, title, locator or excerpt."""
    pattern = standing_alone(specific.text.lstrip("v") if specific.kind == "version" else specific.text)
    for evidence in cited:
        for ref in facts_of([evidence]):
            if isinstance(ref.fact.value, str) and ref.fact.unit not in {"time", "url", "commit"}:
                if pattern.search(squeeze(ref.fact.value)) or ref.fact.entity == specific.text:
                    yield (ref,)
            elif ref.fact.entity == specific.text:
                yield (ref,)
        where = [evidence.title, evidence.excerpt]
        if specific.kind != "time":
            where.append(evidence.locator)
        elif evidence.kind in {"metric", "deploy", "alert"}:
            continue
        if any(pattern.search(squeeze(text)) for text in where):
            yield (Ref(evidence.id, "excerpt", Fact(value=specific.text, unit="text")),)


def standing_alone(text: str) -> re.Pattern[str]:
    """Matches the text when no word character continues it."""
    words = squeeze(text)
    head = r"(?<![\w./-])v?" if words[:1].isdigit() else r"(?<![\w./-])" if words[:1] == "/" else r"(?<!\w)"
    return re.compile(head + re.escape(words) + r"(?![\w])(?!\.\d)")


def squeeze(text: str) -> str:
    """White space as single blanks; Markdown's emphasis and code marks do not count."""
    return re.sub(r"\s+", " ", re.sub(r"(?<!\w)_([^_\n]+)_(?!\w)", r"\1", re.sub(r"[*`]", "", text))).strip()
