"""Rules for lines and texts: a cited line must say what is said of it, a number stand beside its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.contracts import Evidence
from workers.grounding.checks.ownership import bound_refs, in_text
from workers.grounding.fact_match import Mention, same_path, split_lines, squeeze, standing_alone
from workers.grounding.lexicon import COMMON, ROLE_CLAUSE
from workers.grounding.parsed_claim import Doubt, Reading, clause_around, sentence_around, span_around
from workers.grounding.quantities import WORD as NUMBER_WORD
from workers.grounding.value_match import BARE, numbers_in, rows_of, shows
from workers.language.stems import stem
from workers.language.tokens import stems_in, words_in

NEIGHBOURS = 8
SENTENCE_END = re.compile(r"(?<=[.!?])\s")
KEYWORDS = frozenset("def for in if is not or and int str return import from else self the".split())
DEFINES = re.compile(r"\b(?:defin\w*|declar\w*|starts?|begins?|found|lives?|located|stands?|is at)\b", re.IGNORECASE)
ASSIGNED = re.compile(
    r"^[\s`*,]*(?:(?:is|are|was|has|of|to|at|=|:|from|sets?|stands?|holds?|equals?|value|now|still|a|the)[\s`*,]*){0,4}$"
)
ORDINALS = {w: i for i, w in enumerate("first second third fourth fifth sixth seventh eighth".split(), 1)}
STEP = re.compile(rf"\bstep (\d+)\b|\b({'|'.join(ORDINALS)}|last) step\b", re.IGNORECASE)


def check_lines(reading: Reading) -> str:
    """A cited line must hold what the claim says stands there; the whole cited range needs no second look."""
    for mention in reading.of_kind("lines"):
        said = mention.specific.target or mention.specific.text
        path, start, end = split_lines(said)
        ranges = {split_lines(str(r.fact.value))[1:] for refs in mention.refs for r in refs if r.fact.unit == "lines"}
        exact = (start, end) in ranges
        defines = DEFINES.search(reading.text, *sentence_around(reading.text, mention.specific.start))
        rows = {} if exact and start != end and not defines else shown_rows(path, reading)
        if all(i in rows for i in range(start, end + 1)) and not says(rows, start, end, mention, reading, exact=exact):
            return Doubt(f"{mention.specific.text} does not hold what is said of it")
    return ""


def shown_rows(path: str, reading: Reading) -> dict[int, str]:
    """Numbered rows of one file, out of every text whose range is known."""
    out: dict[int, str] = {}
    for evidence in reading.cited:
        for name, fact in evidence.facts.items():
            if fact.unit != "lines":
                continue
            known, first, last = split_lines(str(fact.value))
            own = evidence.facts.get(f"{name}_text")
            if own is None and name != "lines":
                continue
            text = own.value if own else evidence.excerpt
            rows = str(text).splitlines()
            if evidence.kind == "change":
                rows = [r[1:] for r in rows if not r.startswith("-")]
            if (not path or same_path(path, known)) and len(rows) >= last - first + 1:
                out.update(zip(range(first, last + 1), rows, strict=False))
    return out


def says(rows: dict[int, str], start: int, end: int, mention: Mention, reading: Reading, *, exact: bool) -> bool:
    """Names and numbers must stand in these very lines, and no line nearby may fit the words better."""
    here = "\n".join(rows[i] for i in range(start, end + 1))
    literal = exact_words(mention, reading)
    if literal and not any(standing_alone(t).search(squeeze(here)) for t in literal):
        return False
    if exact and start != end:
        return True
    if start == end and misdefined(start, rows, mention, reading):
        return False
    said = said_of(mention, reading)
    own = weight(here, said, literal)
    if start == end:
        around = [
            weight(rows[i], said, literal) for i in near(start - NEIGHBOURS, start + NEIGHBOURS, rows) if i != start
        ]
        return (own > 0 or exact) and own >= max(around, default=0.0)
    inside = max(weight(rows[i], said, literal) for i in range(start, end + 1))
    every = max(weight(rows[i], said, literal) for i in near(start - NEIGHBOURS, end + NEIGHBOURS, rows))
    return inside > 0 and inside >= every - 0.15


def misdefined(line: int, rows: dict[int, str], mention: Mention, reading: Reading) -> bool:
    """Whether a name is said to be defined on a line that uses it, while another line defines it."""
    start, end = sentence_around(reading.text, mention.specific.start)
    if not re.search(r"\b(?:defin|declar|(?:is|are|was) set|assigned)", reading.text[start:end]):
        return False
    for name in (m for m in reading.of_kind("name") if start <= m.specific.start < end):
        word = re.escape(re.split(r"\.|::|#", name.specific.text)[-1])
        made = re.compile(
            rf"(?:def|fn|func|fun|function|class|struct|enum|const|let|var|val|static|type|interface|define|alert:)\b.*\b{word}\b"
            rf"|^\s*(?:[\w<>]+\s)*{word}\s*(?::[^=]+)?=(?!=)|^\s*-?\s*{word}:"
        )
        if any(made.search(rows[i]) for i in near(line - 30, line + 30, rows)) and not made.search(rows[line]):
            return True
    return False


def near(first: int, last: int, rows: dict[int, str]) -> list[int]:
    """The numbers of the rows that are known between two."""
    return [i for i in range(first, last + 1) if i in rows]


def exact_words(mention: Mention, reading: Reading) -> list[str]:
    """Names, numbers and quotes of the sentence that some cited code shows."""
    start, end = sentence_around(reading.text, mention.specific.start)
    whole = squeeze("\n".join(e.excerpt for e in reading.cited if e.kind in {"code", "change"}))
    around = set() if DEFINES.search(reading.text[start:end]) else {e.title for e in reading.cited if e.kind == "code"}
    return [
        m.specific.text
        for m in reading.of_kind("name", "quantity", "quote")
        if start <= m.specific.start < end
        and m.specific.text not in around
        and standing_alone(m.specific.text).search(whole)
    ]


def said_of(mention: Mention, reading: Reading) -> set[str]:
    """Stems of the words of the sentence, without paths and the line itself."""
    start, end = sentence_around(reading.text, mention.specific.start)
    chars = list(reading.text[start:end])
    for other in reading.mentions:
        if other.specific.kind in {"lines", "path", "commit"} or other.slot:
            for i in range(max(other.specific.start - start, 0), min(other.specific.end - start, len(chars))):
                chars[i] = " "
    return {stem(w) for w in words_in("".join(chars)) if w not in KEYWORDS | COMMON} - {"line"}


def weight(row: str, said: set[str], exact: list[str]) -> float:
    """How much of what is said stands in some lines: names and numbers double, abbreviations a little less."""
    own = {stem(w) for w in words_in(row) if w not in KEYWORDS | COMMON}
    direct = own & said
    short = {o for o in own - direct for w in said - direct if abbreviates(o, w)}
    written = {t for t in exact if standing_alone(t).search(squeeze(row))}
    return (
        len(direct)
        + 0.9 * len(short)
        + 2.0 * len(written)
        + (0.5 if row.strip() and '":"' in row and "join" in said else 0)
    )


def abbreviates(short: str, word: str) -> bool:
    """``lng`` for longitude, ``req`` for request: the same first letter, the others in order."""
    if not 2 <= len(short) <= 4 or len(word) < len(short) + 2 or short[0] != word[0]:
        return False
    letters = iter(word)
    return all(c in letters for c in short)


# --- numbers in text ------------------------------------------------------------------------------------------


def check_rows(reading: Reading) -> str:
    """A number taken from code or a document must stand on the line, or beside the name, that the claim gives it."""
    for mention in reading.of_kind("quantity"):
        readings = bound_refs(mention, reading)
        rows = [str(r.fact.value) for refs in readings for r in refs if in_text(refs)]
        if readings and all(refs[0].name == BARE for refs in readings):
            return Doubt(f"no cited line names the unit of {mention.specific.text}")
        adjacent = assigned_name(mention, reading)
        if not rows and not adjacent:
            continue
        if not adjacent and any(not in_text(refs) for refs in readings):
            continue
        wanted = adjacent or nearest_name(mention, reading)
        pattern = standing_alone(wanted) if wanted else None
        if pattern and not any(pattern.search(squeeze(row)) for row in rows):
            return Doubt(f"{mention.specific.text} does not stand beside {wanted}")
        if reason := off_line(mention, rows, reading) or off_sentence(mention, reading):
            return reason
    return ""


def assigned_name(mention: Mention, reading: Reading) -> str:
    """The name of code that the claim gives a number to ("NAME is 40"), when cited text shows the name."""
    for name in reversed(reading.of_kind("name")):
        between = reading.text[name.specific.end : mention.specific.start]
        if (
            name.specific.end <= mention.specific.start
            and len(between) < 40
            and ASSIGNED.match(between)
            and in_rows(name, reading)
        ):
            return name.specific.text
    return ""


def nearest_name(mention: Mention, reading: Reading) -> str:
    """The name of code nearest to a number in its clause, else in its sentence, when cited text shows it."""
    at = mention.specific.start
    for start, end in (clause_around(reading.text, at), sentence_around(reading.text, at)):
        near = [n for n in reading.of_kind("name") if start <= n.specific.start < end and in_rows(n, reading)]
        if near:
            return min(near, key=lambda n: abs(n.specific.start - at)).specific.text
    return ""


def in_rows(name: Mention, reading: Reading) -> bool:
    """Whether a name stands on a line that also holds a number."""
    pattern = standing_alone(name.specific.text)
    texts = (row for e in reading.cited if e.kind in {"code", "change", "doc"} for row in rows_of(e))
    return any(pattern.search(squeeze(row)) and re.search(rf"\d|\b(?:{NUMBER_WORD})\b", row) for row in texts)


def off_line(mention: Mention, rows: list[str], reading: Reading) -> str:
    """Why a number cannot stand on the one line that its clause cites."""
    start, end = span_around(ROLE_CLAUSE, reading.text, mention.specific.start)
    for line in reading.of_kind("lines"):
        if not start <= line.specific.start < end:
            continue
        path, first, last = split_lines(line.specific.target or line.specific.text)
        shown = shown_rows(path, reading)
        here = {squeeze(shown[i]) for i in range(first, last + 1) if i in shown}
        if (
            here
            and not removed_at(path, first, last, mention, reading)
            and here.isdisjoint(squeeze(r.lstrip("+-")) for r in rows)
        ):
            return Doubt(f"{mention.specific.text} does not stand at {line.specific.text}")
    return ""


def removed_at(path: str, first: int, last: int, mention: Mention, reading: Reading) -> bool:
    """Whether a diff of these lines shows the number as it was before."""
    for ref in (r for refs in mention.refs for r in refs if r.name == "excerpt_before"):
        evidence = reading.by_id(ref.evidence)
        for fact in evidence.facts.values() if evidence else ():
            known, low, high = split_lines(str(fact.value)) if fact.unit == "lines" else ("", 0, 0)
            if known and same_path(path, known) and low <= first and last <= high:
                return True
    return False


def off_sentence(mention: Mention, reading: Reading) -> str:
    """Why a number of a text is not the one of the line or sentence that the claim retells."""
    fits: dict[bool, float] = {True: -1.0, False: -1.0}
    for kind, around in (("doc", sentence_around), ("code", clause_around)):
        start, end = around(reading.text, mention.specific.start)
        said = {stem(w) for w in words_in(reading.text[start:end]) if w not in COMMON and not w[0].isdigit()}
        for row in (s for e in reading.cited if e.kind == kind for r in rows_of(e) for s in SENTENCE_END.split(r)):
            if any(kind == "code" or dim == mention.specific.dimension for _, dim, _ in numbers_in(row)):
                here = shows(mention.specific, row)
                fits[here] = max(fits[here], weight(row, said, []))
    if 0 <= fits[True] < fits[False]:
        return Doubt(f"{mention.specific.text} stands in another sentence")
    return ""


# --- steps of documents ---------------------------------------------------------------------------------------


def check_steps(reading: Reading) -> str:
    """``Step 3 is to …``, ``the first step is to …``: that very step must say it, not another one."""
    for match in STEP.finditer(reading.text):
        if reading.in_slot(match.start()):
            continue
        start, end = sentence_around(reading.text, match.start())
        said = {stem(w) for w in words_in(reading.text[match.end() : end]) if w not in COMMON}
        docs = list(docs_with_steps(reading))
        if (
            match[1]
            and not docs
            and not any(
                re.search(rf"\b{match.group()}\b", row, re.IGNORECASE) for e in reading.cited for row in rows_of(e)
            )
        ):
            return f"“{match.group()}” is in no cited evidence"
        for evidence in meant(docs, reading.text[start:end]):
            steps = {int(n[5:]): str(f.value) for n, f in evidence.facts.items() if re.fullmatch(r"step_\d+", n)}
            number = int(match[1]) if match[1] else ORDINALS.get(match[2].lower(), max(steps))
            if number not in steps:
                return f"“{match.group()}” is in no cited evidence"
            fit = {i: len(stems_in(text) & said) for i, text in steps.items()}
            if said and fit[number] < max(fit.values()):
                return Doubt(f"“{match.group()}” says something else")
    return ""


def docs_with_steps(reading: Reading) -> Iterator[Evidence]:
    """Cited documents that have steps."""
    return (e for e in reading.cited if "step_1" in e.facts)


def meant(docs: list[Evidence], sentence: str) -> list[Evidence]:
    """The documents that a sentence names by title or heading; all of them when it names none."""
    low = sentence.lower()
    named = [d for d in docs for n in ("heading", "title") if n in d.facts and str(d.facts[n].value).lower() in low]
    return named or docs[:1] if len(docs) > 1 else docs
