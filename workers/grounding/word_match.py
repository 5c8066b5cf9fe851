"""Where the cited evidence holds times, names, quotations, addresses and paths."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from workers.grounding.evidence_values import Index, Row
from workers.grounding.literals import Specific
from workers.grounding.mentions import Scope, Support
from workers.grounding.written_times import find_times, is_moment
from workers.language.normalization import normalise


def match_time(said: Specific, scope: Scope) -> Iterator[Support]:
    """A clock time or a date: a moment of the evidence in any zone that is written, or the very words."""
    time = next(find_times(said.target or said.text), None)
    if time is None:
        return
    for index in scope.indexes:
        for moment in index.instants:
            if (moment.clocked or not time.clocked) and is_moment(
                time, moment.at, scope.voice, dated=moment.dated, shown=moment.text
            ):
                alike = said.text in moment.text
                yield Support((moment,), (moment.row,), "" if alike else f"{moment.text} is {said.text}")
    if all(z.lower() in {"utc", "gmt", "z"} for z in time.zones):
        yield from match_words(said, scope)


@lru_cache(maxsize=4096)
def standing_alone(text: str) -> re.Pattern[str]:
    """Matches a text, in any case, when no word character continues it."""
    head = r"(?<![\w./-])v?" if text[:1].isdigit() else r"(?<![\w./-])" if text[:1] == "/" else r"(?<!\w)"
    return re.compile(head + re.escape(text) + r"(?![\w])(?!\.\d)", re.IGNORECASE)


@lru_cache(maxsize=512)
def squeeze(text: str) -> str:
    """White space as single blanks; Markdown's emphasis and code marks do not count."""
    text = normalise(text)
    return re.sub(r"\s+", " ", re.sub(r"(?<!\w)_([^_\n]+)_(?!\w)", r"\1", re.sub(r"[*`]", "", text))).strip()


def match_words(said: Specific, scope: Scope) -> Iterator[Support]:
    """The very words, standing alone."""
    text = squeeze(said.text)
    pattern = standing_alone(text.lstrip("v#") if said.kind in {"version", "name"} else text)
    for index in scope.indexes:
        if pattern.search(squeeze(index.text)):
            yield Support((), rows_with(pattern, index))


def rows_with(pattern: re.Pattern[str], index: Index) -> tuple[Row, ...]:
    """The rows that hold a text; the head for what only the title or locator holds."""
    found = tuple(r for rows in index.tables.values() for r in rows if pattern.search(r.text))
    return found or index.tables["head"]


def match_name(said: Specific, scope: Scope) -> Iterator[Support]:
    """A name: the very words, else without marks and accents, or a member with its owner."""
    found = list(match_words(said, scope))
    yield from found
    bare = folded(said.text)
    parts = [p for p in re.split(r"\.|::|#|/|@", said.text.removesuffix("()")) if p]
    whole = len(bare) >= 4 and sum(map(str.isalpha, bare)) == sum(map(str.isalpha, said.text)) > 0
    pattern = re.compile(rf"(?<![a-z0-9]){re.escape(bare).replace(chr(92) + ' ', ' ?')}(?![a-z0-9])")
    for index in scope.indexes if not found else ():
        shown = squeeze(index.text)
        member = len(parts) > 1 and all(len(p) > 2 and standing_alone(p).search(shown) for p in parts)
        if member or (whole and pattern.search(folded(shown))):
            yield Support((), index.tables["head"])


@lru_cache(maxsize=512)
def folded(text: str) -> str:
    """Lower case, without accents, hyphens, dots and underscores."""
    bare = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[-_\u2011]|(?<=[a-z]) (?=\d)", "", bare).replace(".", " ").strip()


def match_quote(said: Specific, scope: Scope) -> Iterator[Support]:
    """A quotation: the very words; a mark at its end may be the writer's, and … stands for what is left out."""
    parts = [p.strip() for p in re.split(r"…|\.\.\.|\[…\]", said.text) if len(p.strip()) > 3]
    for index in scope.indexes:
        shown = squeeze(index.text)
        texts = dict.fromkeys((said.text, said.text.rstrip(".,;:!?…"), said.text.strip(".… ")))
        pattern = next((p for t in texts if t and (p := standing_alone(squeeze(t))).search(shown)), None)
        if pattern:
            yield Support((), rows_with(pattern, index))
        elif len(parts) > 1 and all(squeeze(p).lower() in shown.lower() for p in parts):
            yield Support((), index.tables["head"])


def match_whole(said: Specific, scope: Scope) -> Iterator[Support]:
    """An address or path whole: a URL never by its start, a host also as that of a URL, a path by its last parts."""
    wanted = re.escape(said.text.rstrip("/"))
    stop = r"(?=[\s)\]>\"'|,;`=]|[.:!?](?:\s|$)|$)"
    longer = r"|(?=[:/]\d|/\w)|(?=\()"  # a bare host may be that of an address
    pattern = {
        "url": rf"(?<![\w./-]){wanted}/?{stop}",
        "path": rf"(?<![\w.-]){wanted}(?![\w-])(?!\.\w)",
        "commit": rf"(?<!\w){wanted}[0-9a-f]*(?!\w)",
    }.get(said.kind, rf"(?:(?<=//)|(?<![\w.@/-])){wanted}(?:/?{stop}{'' if '/' in wanted else longer})")
    found = re.compile(pattern, re.IGNORECASE if said.kind != "url" else 0)
    yield from (Support((), rows_with(found, i)) for i in scope.indexes if found.search(i.text))
