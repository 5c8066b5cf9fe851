"""Rules for where something stands among several texts: the one that a sentence names must hold its lines, its
number, its count, its row.

Where another text, count or row is named, the claim is a hypothesis.
"""

from __future__ import annotations

import re

from workers.contracts import Evidence
from workers.grounding.checks.scope import COUNTED
from workers.grounding.checks.wording import shows, stems_of, texts
from workers.grounding.parsed_claim import TEXTS, Doubt, Reading, sentence_around
from workers.grounding.value_match import numbers_in
from workers.language.durations import NUMBER_WORDS
from workers.language.stems import stem
from workers.language.tokens import stems_in, words_in


def check_passages(reading: Reading) -> str:
    """Lines, numbers, counts and rows that stand in another text than the one named."""
    return other_lines(reading) or other_number(reading) or other_count(reading)


def other_lines(reading: Reading) -> str:
    """Why some lines are not those that the sentence tells of: other cited text, unnamed there, holds more of it."""
    for mention in reading.of_kind("lines"):
        own = {r.evidence for refs in mention.refs for r in refs}
        start, end = sentence_around(reading.text, mention.specific.start)
        inside = [m for m in reading.mentions if start <= m.specific.start < end]
        named = (
            {r.evidence for m in inside if m.specific.kind != "name" for refs in m.refs for r in refs}
            if len(own) == 1
            else set()
        )
        rest = [e for e in reading.cited if e.id not in named | own and e.kind in {"code", "change"}]
        mine = [e for e in reading.cited if e.id in own]
        if not rest or len(mine) != 1 or not named:
            continue
        chars = list(reading.text[start:end])
        for m in inside:
            if m.specific.kind in {"lines", "path", "commit"}:
                chars[m.specific.start - start : m.specific.end - start] = " " * (m.specific.end - m.specific.start)
        said = {stem(w) for w in words_in("".join(chars)) if len(w) > 2}
        fit = {e.id: sum(shows(stems_of(texts(e)), w) for w in said) for e in (*mine, *rest)}
        if max(fit[e.id] for e in rest) > fit[mine[0].id]:
            return Doubt(f"{mention.specific.text} is not where most of this stands")
    return ""


def other_number(reading: Reading) -> str:
    """Why a number of a text is not the one meant: its sentence names another text, another count or another row."""
    every = [e for e in reading.cited if e.kind in TEXTS]
    for mention in reading.of_kind("quantity"):
        found = {(r.evidence, r.name) for refs in mention.refs if len(refs) == 1 for r in refs}
        start, end = sentence_around(reading.text, mention.specific.start)
        said = {stem(w) for w in words_in(reading.text[start:end]) if len(w) > 2}
        own = {key for key, _ in found}
        if not found:
            continue
        if (
            own <= {e.id for e in every}
            and len(every) > 1
            and (named := meant_texts(every, said) | sole_names(reading, (start, end)))
            and own.isdisjoint(named)
        ):
            return Doubt(f"{mention.specific.text} stands in another text than the one named")
        facts = {name for _, name in found if not name.startswith("excerpt")}
        evidence = reading.by_id(next(iter(own))) if len(own) == 1 else None
        if evidence and len(facts) == 1 and evidence.kind in {"row", "incident"}:
            name = next(iter(facts))
            counts = {n: roots(n) for n, f in evidence.facts.items() if n != name and f.unit == "count"}
            row = re.match(r"row_\d+_", name)
            if not said & roots(name) and any(r & said for r in counts.values() if r):
                return Doubt(f"{mention.specific.text} is the count of something else")
            if row and of_other_row(row.group(), evidence, reading.text[start:end]):
                return Doubt(f"{mention.specific.text} stands in another row")
    return ""


def meant_texts(every: list[Evidence], said: set[str]) -> set[str]:
    """The texts that a sentence names, by words of path or title that no other text has."""
    own = {e.id: {stem(w) for w in words_in(f"{e.title} {e.locator} {e.kind}") if len(w) > 3} for e in every}
    return {i for i, words_ in own.items() if said & words_.difference(*(o for j, o in own.items() if j != i))}


def sole_names(reading: Reading, span: tuple[int, int]) -> set[str]:
    """The evidence that a name in a sentence leaves no doubt of."""
    return {
        i
        for x in reading.labels
        if x.kind == "name" and span[0] <= x.start < span[1] and len(x.ids) == 1
        for i in x.ids
    }


def other_count(reading: Reading) -> str:
    """Why a number written as a word is not that of the code which its sentence names."""
    every = [e for e in reading.cited if e.kind in TEXTS]
    for match in COUNTED.finditer(reading.prose()) if len(every) > 1 else ():
        start, end = sentence_around(reading.text, match.start())
        named = meant_texts(every, {stem(w) for w in words_in(reading.text[start:end]) if len(w) > 2})
        rows = [r for e in every if e.id in named and e.kind == "code" for r in e.excerpt.splitlines()]
        root = stem(match[2].lower())
        held = {v for r in rows if root in stems_in(r) for v, dim, _ in numbers_in(r) if dim == "plain"}
        number = NUMBER_WORDS.get(match[1].lower(), int(match[1]) if match[1].isdigit() else 1)
        if held and number not in held:
            return Doubt(f"“{match.group()}” is not the count in the code that is named")
    return ""


def roots(name: str) -> set[str]:
    """Stems of the words in a fact's name."""
    return {stem(w) for w in words_in(name) if w not in {"row", "rows", "count"} and not w[0].isdigit()}


def of_other_row(row: str, evidence: Evidence, sentence: str) -> bool:
    """Whether a sentence names another row of a table than the one that a value stands in."""
    keys = {
        n: str(f.value)
        for n, f in evidence.facts.items()
        if re.match(r"row_\d+_", n) and f.unit == "text" and len(str(f.value)) > 2
    }
    named = {n for n, v in keys.items() if re.search(rf"(?<!\w){re.escape(v)}(?!\w)", sentence)}
    return bool(named) and not any(n.startswith(row) for n in named)
