"""Chooses the evidence a writer gets: ranked, within a token budget, each with its most telling sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from workers.contracts import Evidence, Fact, Intent, Question
from workers.engine.table_cells import ROW, cell_facts
from workers.language.message_parts import read_parts
from workers.language.stop_words import content_words
from workers.language.token_count import CHARS_PER_TOKEN
from workers.language.tokens import split_names
from workers.language.written_names import holds, keys_in

QUOTE_CHARS, PASSAGE_CHARS = 280, 600
MOST_SETTINGS, MOST_TELLING = 4, 3
COMMENT = re.compile(r"^[ \t]*(?:#|//+|/\*+|--|\*)\s*(\S.*)$|\"\"\"(.+?)(?:\"\"\"|$)", re.MULTILINE)
SETTING = re.compile(
    r"^(?!#|//|/\*|\*|--|import\b|from\b|use\b)(?:[\w\s.:<>&\[\]\"'-]{1,60}?[\w\"'\]]\s*(?::=|=(?![=>])|:(?!:))\s*\S.*|"
    r".*\b\w+\s?=\s?-?\d[\w.]*.*)$"
)
VALUE = re.compile(r"[:=(]\s*[\"']?-?\d|\b(?:true|false|on|off|none|null|nil)\b", re.IGNORECASE)
ARM = re.compile(r"[^\"'\s]\s*=>\s")
"""An arm of a match, or a function: what stands before it is not given a value."""
OPENS = re.compile(r"[({\[:]\s*$")
KEY_OF_MAP = re.compile(r"[\"'][\w.-]+[\"']\s*(?::|=>)\s*[\w.&]*[{\[(]$")
LEFT_OPEN = re.compile(r"(?<!\s)\s*_(?:To be filled in by people:|Nobody said\.)_")
"""A line of a draft that people have not written yet: it says nothing."""
WEIGHT = {"metric": 6, **dict.fromkeys(("deploy", "change", "alert", "incident", "flag"), 5)}
WEIGHT |= dict.fromkeys(("code", "doc", "row", "event"), 4)
EXPR = r"^\s*expr:\s*([^|>\s].*)$"
ALERT_RULE = re.compile(r"(?<!\s)\s*-\s*alert:\s*[\"']?(\w+)")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"(])|\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
NOT_TELLING = re.compile(
    r"[\"'][\w./@-]+[\"'][,;]?$|#|//|/\*|\*|--|[rbf]?[\"']{3}|import\b|from\b|use\b|package\b|"
    r"[A-Za-z',]+( [A-Za-z',]+){3,}[.\"]*$"
)
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def assemble(evidence: Sequence[Evidence], question: Question, intent: Intent, budget_tokens: int) -> list[Evidence]:
    """Drop the least telling evidence until the rest fits, and mark the line or sentence of each that says most."""
    asked = read_parts(question.text).asked(names=bool(intent.subjects))
    wanted = content_words(" ".join((asked, *intent.subjects)))
    shared = wanted | content_words(
        " ".join(f"{e.title} {e.excerpt}" for e in evidence if e.kind in {"metric", "doc"})[:8000]
    )
    keys = keys_in(asked)
    marked = [mark(one_line(e), wanted, shared, keys) for e in evidence]
    room = budget_tokens * CHARS_PER_TOKEN
    kept: set[int] = set()
    firsts = {e.step: i for i, e in reversed(list(enumerate(marked)))}.values()  # what each step looked for comes first
    for i in sorted(range(len(marked)), key=lambda i: (i not in firsts, -WEIGHT.get(marked[i].kind, 1), i)):
        size = len(marked[i].excerpt) + 40 * len(marked[i].facts)
        if room - size >= 0 or not kept:
            kept.add(i)
            room -= size
    return [e for i, e in enumerate(marked) if i in kept]


def one_line(item: Evidence) -> Evidence:
    """``path:23`` where a span of lines is one line."""
    spans = {n: re.fullmatch(r"(.+):(\d+)-\2", str(f.value)) for n, f in item.facts.items() if f.unit == "lines"}
    short = {n: item.facts[n].model_copy(update={"value": f"{m[1]}:{m[2]}"}) for n, m in spans.items() if m}
    return item.model_copy(update={"facts": {**item.facts, **short}}) if short else item


def mark(item: Evidence, wanted: set[str], shared: set[str], keys: Sequence[str] = ()) -> Evidence:
    """Add ``quote``, ``telling`` or ``hunk_N_line``: words of the evidence itself, never new ones.

    The telling line is one that holds a key of the question as it is written, where there is one.
    """
    if item.kind in {"doc", "note", "web", "message"}:
        return with_quote(item, wanted)
    extra: dict[str, Fact] = {}
    if item.kind == "code":
        rows = [row for row in item.excerpt.splitlines() if not OPENS.search(row)]
        held = [row for row in rows if any(holds(row, key) for key in keys)]
        line = telling_line("\n".join(held), wanted) or telling_line(item.excerpt, wanted)
        lines = list(dict.fromkeys([*([line] if line else ()), *telling_lines(item.excerpt, wanted)]))[:MOST_TELLING]
        names = ("telling", *(f"telling_{n}" for n in range(2, MOST_TELLING + 1)))
        extra |= {name: Fact(value=text, entity=item.locator) for name, text in zip(names, lines, strict=False)}
        extra |= settings(item, wanted, line)
        if said := comment(item.excerpt, wanted):
            extra["comment"] = Fact(value=said, entity=item.locator)
        extra |= alert_rules(item)
    if item.kind == "change":
        for name, fact in item.facts.items():
            line = telling_line(str(fact.value), shared) if re.fullmatch(r"hunk_\d+_text", name) else ""
            if line:
                extra[name.replace("_text", "_line")] = Fact(value=line, entity=fact.entity)
    return item.model_copy(update={"facts": {**item.facts, **extra}}) if extra else item


LEAD_IN = re.compile(
    r"^([ \t]*(?:[-*+][ \t]+)?)(?:\*\*|__)([^*_\n.:]{1,60})(?:[.:](?:\*\*|__)|(?:\*\*|__)[.:])[ \t]+(?=\S)",
    re.MULTILINE,
)
"""A term in bold before what explains it, as glossaries have them."""
TERM = re.compile(r"([^\W\d_][^:.!?\n]{1,60}): \S")


def comment(text: str, wanted: set[str]) -> str:
    """The comment that shares most with what is wanted, without its marks; empty when none does."""
    best, most = "", 0
    for match in COMMENT.finditer(text):
        said = re.sub(r"\s+", " ", match[1] or match[2] or "").strip(" */#-!").replace("`", "'")
        shared = len(content_words(split_names(said)) & wanted)
        if shared > most and 15 <= len(said) <= 200 and " " in said:
            best, most = said, shared
    return best


def settings(item: Evidence, wanted: set[str], telling: str) -> dict[str, Fact]:
    """``setting_1`` …: the other lines of an excerpt that give a name a value; those asked for are preferred."""
    start = int(item.facts["start_line"].value) if "start_line" in item.facts else 0
    path = str(item.facts["path"].value) if "path" in item.facts else ""
    found: list[tuple[int, int, str]] = []
    for i, raw in enumerate(item.excerpt.splitlines()):
        line = tidy(raw)
        if 4 <= len(line) <= 120 and line != telling and SETTING.match(line) and VALUE.search(line):
            found.append((-len(content_words(split_names(line)) & wanted), i, line))
    chosen = sorted(sorted(found)[:MOST_SETTINGS], key=lambda r: r[1])
    facts: dict[str, Fact] = {}
    for n, (shared, i, line) in enumerate(chosen, 1):
        facts[f"setting_{n}"] = Fact(value=line, entity=item.locator)
        facts[f"setting_{n}_shared"] = Fact(value=-shared, unit="count", entity=item.locator)
        facts[f"setting_{n}_line"] = Fact(value=f"{path}:{start + i}", unit="lines", entity=path)
    return facts


def tidy(raw: str) -> str:
    """A line of code as it is quoted."""
    return raw.strip().removeprefix("+").strip().rstrip(",").replace("`", "'")


def alert_rules(item: Evidence) -> dict[str, Fact]:
    """Alert rules in an excerpt (Prometheus' rule files): name, lines, how long they wait, labels."""
    start = int(item.facts["start_line"].value) if "start_line" in item.facts else 0
    path = str(item.facts["path"].value) if "path" in item.facts else ""
    rows = item.excerpt.splitlines()
    heads = [i for i, row in enumerate(rows) if ALERT_RULE.match(row)]
    facts: dict[str, Fact] = {}
    for n, (first, end) in enumerate(pairwise([*heads, len(rows)]), 1):
        match = ALERT_RULE.match(rows[first])
        name = match[1] if match else ""
        block = "\n".join(rows[first:end]).rstrip()
        last = start + first + len(block.splitlines()) - 1
        facts[f"alert_{n}"] = Fact(value=name, entity=path)
        facts[f"alert_{n}_lines"] = Fact(value=f"{path}:{start + first}-{last}", unit="lines", entity=path)
        facts[f"alert_{n}_rule"] = Fact(value=block, entity=name)
        for key, pattern in (("for", r"^\s*for:\s*(\S+)"), ("labels", r"^\s*labels:\s*\{(.+)\}"), ("expr", EXPR)):
            if found := re.search(pattern, block, re.MULTILINE):
                facts[f"alert_{n}_{key}"] = Fact(value=found[1].strip().strip("\"'"), entity=name)
    return facts


def telling_line(text: str, wanted: set[str]) -> str:
    """The line of code that says most; empty where none does."""
    return next(iter(telling_lines(text, wanted, -30.0)), "")


def telling_lines(text: str, wanted: set[str], least: float = 0.5) -> list[str]:
    """Lines of code by how many words they share with what is wanted; assignments before the rest, comments last."""
    found: list[tuple[float, str]] = []
    parent = 0
    for raw in text.splitlines():
        line = raw.strip().removeprefix("+").strip()
        if not 4 <= len(line) <= 160 or not re.search(r"[A-Za-z]{2}", line):
            continue
        words = content_words(split_names(line))
        own = len(words & wanted)
        score = own + parent + (0.6 if re.search(r"[\w\]]\s*(?::?=(?![=>])|:(?![:=]))\s*\S", line) else 0.0)
        score -= 0.5 if ARM.search(line) else 0.0
        score += 0.3 if re.search(r"\d", line) else 0.0
        score -= (
            2.0 if re.match(r"(async )?(def|class|func|fn|function|public|private|interface|impl)\b", line) else 0.0
        )
        score -= 2.0 if line.endswith(("(", "{", "[", ":")) else 0.0
        score -= 20.0 if NOT_TELLING.match(line) else 0.0
        if line.endswith(":") or KEY_OF_MAP.match(line):
            parent = own + (parent if raw[:1].isspace() else 0)
        elif not raw[:1].isspace():
            parent = 0
        if score > least:
            found.append((score, line))
    return [tidy(line) for _, line in sorted(found, key=lambda row: -row[0])]


SAME_WORDS = 2
"""A sentence that holds fewer words of the question does not lead for them, where one is known to be nearer."""


def with_quote(item: Evidence, wanted: set[str]) -> Evidence:
    """Add ``quote``, the sentence that shares most with the question and the next when both are short, and ``passage``,
    as much around it as a reader takes in at once; of a postmortem `past_facts`, too."""
    facts = {n: as_read(n, fact) for n, fact in item.facts.items()}
    facts |= dict(cell_facts(item.model_copy(update={"facts": facts}), wanted))
    sentences = prose_sentences(item.excerpt)
    if not sentences:
        return item.model_copy(update={"facts": facts})
    defined = [defined_term(sentence, wanted) for sentence in sentences]
    held = [content_words(sentence) for sentence in sentences]
    if "nearest" in facts and not any(defined) and max(len(words & wanted) for words in held) < SAME_WORDS:
        wanted = content_words(str(facts["nearest"].value))
    place = max(
        range(len(sentences)),
        key=lambda i: (
            len(held[i] & wanted) + (0.5 if i == 0 or defined[i] else 0.0),
            bool(defined[i]),
            -len(sentences[i]),
        ),
    )
    best = " ".join(sentences[place : place + 2])
    text = best if len(best) <= QUOTE_CHARS else sentences[place]
    entity = str(item.facts["path"].value) if "path" in item.facts else ""
    facts["quote"] = Fact(value=text, unit="text", entity=entity)
    if defined[place]:
        facts["term"] = Fact(value=defined[place], entity=entity)
    facts["passage"] = Fact(value=passage(sentences, place), unit="text", entity=entity)
    facts |= past_facts(item, sentences)
    return item.model_copy(update={"facts": facts})


def as_read(name: str, fact: Fact) -> Fact:
    """A row of a table without Markdown's marks; any other fact as it is."""
    if ROW.fullmatch(name) is None:
        return fact
    return fact.model_copy(update={"value": plain_markdown(str(fact.value))})


def passage(sentences: Sequence[str], place: int) -> str:
    """The best sentence with its neighbours: those after it, then, behind an ellipsis, those before."""
    first = last = place
    size = len(sentences[place])
    while last + 1 < len(sentences) and size + len(sentences[last + 1]) < PASSAGE_CHARS:
        last += 1
        size += len(sentences[last]) + 1
    while first > 0 and size + len(sentences[first - 1]) < PASSAGE_CHARS:
        first -= 1
        size += len(sentences[first]) + 1
    before = " ".join(sentences[first:place])
    return " ".join(sentences[place : last + 1]) + (f" … {before}" if before else "")


def defined_term(sentence: str, wanted: set[str]) -> str:
    """The term that a sentence explains, ``Tide mill: a mill that …``, where all of it is wanted; else empty."""
    found = TERM.match(sentence)
    words = content_words(found[1]) if found else set()
    return found[1].strip() if found and words and words <= wanted else ""


def prose_sentences(excerpt: str) -> list[str]:
    """Sentences outside code, tables and headings, without Markdown's marks, of readable length."""
    text = FENCE.sub("\n\n", excerpt)
    text = LEAD_IN.sub(r"\1\2: ", text)
    lines = [ln for ln in text.splitlines() if not re.match(r"\s*(#|\||<!--|---|===)", ln) and not LEFT_OPEN.match(ln)]
    out = []
    for sentence in SENTENCE.split("\n".join(lines)):
        clean = plain_markdown(sentence)
        if 15 <= len(clean) <= 400 and re.search(r"[A-Za-z]{3,}\W+[A-Za-z]", clean):
            out.append(clean if re.search(r"[.!?:;”\"')]$", clean) else f"{clean}.")
    return out


def plain_markdown(text: str) -> str:
    """Text as read: links by their words, numbered sources left out, no list marks, no emphasis; code marks stay."""
    text = re.sub(r"\s*\[\[\d+\]\]\((?:\[[^\]]*\]|[^)])*\)", "", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?", "", text)
    text = re.sub(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)", "", text)
    return re.sub(r"\s+", " ", text).strip()


CAUSE = re.compile(r"(?:root[- ])?causes?\b[^.:]{0,20}:", re.IGNORECASE)
FIX = re.compile(
    r"(?:what (?:ended|fixed) it|resolution|resolved|fix(?:ed)?|mitigat\w+|recover\w+)\b[^.:]{0,20}:", re.IGNORECASE
)
OF_CAUSE = re.compile(r"(?<!\W)\W*(?:root[- ])?(?:causes?|what (?:happened|went wrong))\b", re.IGNORECASE)
OF_FIX = re.compile(
    r"(?<!\W)\W*(?:resolution|fix(?:es)?|mitigation|recovery|remediation|"
    r"what (?:ended it|fixed it|we (?:changed|did)))\b",
    re.IGNORECASE,
)
UNKNOWN = re.compile(r":[^\w:]*(?:(?:is )?not (?:yet )?known|unknown|unclear|tbd)\b", re.IGNORECASE)
"""What is said of a cause that nobody found."""


def past_facts(item: Evidence, sentences: Sequence[str]) -> dict[str, Fact]:
    """``cause`` and ``fix``: the sentence with such a label, else the first one below such a heading.

    Args:
        item: a section.
        sentences: of it, as a person reads them.
    """
    kind, heading = (str(item.facts[name].value) if name in item.facts else "" for name in ("doc_kind", "heading"))
    if kind != "postmortem":
        return {}
    entity = str(item.facts["path"].value) if "path" in item.facts else ""
    found = {"cause": said(sentences, heading, CAUSE, OF_CAUSE), "fix": said(sentences, heading, FIX, OF_FIX)}
    return {name: Fact(value=text, unit="text", entity=entity) for name, text in found.items() if text}


def said(sentences: Sequence[str], heading: str, label: re.Pattern[str], head: re.Pattern[str]) -> str:
    """The sentence that says it; empty when none does."""
    labelled = [text for text in sentences if label.match(text)] or [*sentences[:1]] * bool(head.match(heading))
    return next((text for text in labelled if not UNKNOWN.search(text)), "")
