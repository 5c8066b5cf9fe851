"""Findings: what the evidence of a request says, each as a draft that could lead the answer.

A finding is typed (`ANSWERS`), is about something, measures something or nothing, and rests on evidence. Those here are
of one piece of evidence each; an agent adds findings made of several. `workers.reasoning.finding_rank` chooses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from workers.contracts import Claim, Draft, Evidence
from workers.engine.anomaly import has_moved
from workers.engine.table_cells import ROW
from workers.grounding.health import number, text_of
from workers.language.stop_words import content_words
from workers.language.title_match import initials
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    DOC_FILE,
    LOG_FILE,
    TEST_FILE,
    alert_claim,
    change_claim,
    doc_name,
    has,
    is_config,
    is_heartbeat,
    join,
    last_change_claims,
    of_kind,
    passage_claim,
    said_claim,
    say_metric,
    steps_of,
    went_out,
)
from workers.reasoning.relevance import shown_words
from workers.reasoning.wish import asks_changed

ANSWERS: Mapping[str, frozenset[str]] = {
    "incident": frozenset({"debug_incident"}),
    "status": frozenset({"operations_status"}),
    "metric": frozenset({"operations_status", "traffic"}),
    "alert": frozenset({"operations_status", "alerting"}),
    "rules": frozenset({"alerting"}),
    "deploys": frozenset({"deploys"}),
    "deploy": frozenset({"deploys"}),
    "commit": frozenset({"deploys"}),
    "frame": frozenset({"debug_incident", "explain_code"}),
    "change": frozenset({"deploys", "explain_code"}),
    "author": frozenset({"design_overview", "other"}),
    "setting": frozenset({"locate_code"}),
    "place": frozenset({"locate_code", "explain_code"}),
    "passage": frozenset({"design_overview", "conceptual", "explain_code", "other"}),
    "decision": frozenset({"design_overview", "conceptual", "explain_code"}),
    "definition": frozenset({"design_overview", "conceptual", "other"}),
    "owner": frozenset({"design_overview", "other"}),
    "authors": frozenset({"design_overview", "other"}),
    "cell": frozenset({"design_overview", "alerting", "other"}),
    "procedure": frozenset({"design_overview", "other"}),
    "note": frozenset({"other", "conceptual", "design_overview"}),
}
"""Each kind of finding, with the kinds of questions that it usually answers."""
BY_FORM = frozenset({"frame", "change", "author"})
"""Kinds that a question asks for by its form alone: nothing is weighed."""
DECISION = re.compile(r"\W{0,4}(?:the )?(?:decisions?|decision outcome|outcome|rationale)\b", re.IGNORECASE)
"""A heading of a decision record, below which stands what was decided."""
VALUE = re.compile(
    r"\d|\b(?:true|false|on|off|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|sixty)\b",
    re.IGNORECASE,
)
MOST_LINES, MOST_STEPS = 5, 8
NAMING = frozenset("endpoint service version commit short name path symbol metric_name".split())
"""Facts that say what a piece of evidence is about."""


@dataclass(frozen=True)
class Finding:
    """``draft``: what is told when it leads. ``measure``: the role of the metric, empty when nothing is measured.

    ``entities``: what it is about, by name. ``words``: stems of what it says; ``head``: those of its title and place;
    ``term``: those of what it explains.
    ``size``: how far it moved, see `size_of`, 0 to 3. ``score``: how likely its source holds it
    an answer, 0 to 1; ``place``: where it stands among what its step found, from 0. ``file``: kind of its file.
    ``made_of``: how many pieces of evidence it joins. ``parts``: findings of one piece each that it tells too.
    ``valued``: whether its headline quotes a number or a switch. ``meaning``: how likely it answers by what it means,
    whatever its words; 0 where nothing tells.
    """

    kind: str
    draft: Draft
    entities: frozenset[str] = frozenset()
    measure: str = ""
    words: frozenset[str] = frozenset()
    head: frozenset[str] = frozenset()
    term: frozenset[str] = frozenset()
    size: float = 0.0
    score: float = 0.0
    place: int = 0
    file: str = ""
    made_of: int = 1
    parts: tuple[Finding, ...] = ()
    valued: bool = True
    meaning: float = 0.0

    @property
    def is_asked_cell(self) -> bool:
        """Whether it is a cell of which the question names row and column."""
        return self.kind == "cell" and "_column}" in self.draft.headline.template

    @property
    def cited(self) -> tuple[str, ...]:
        """The evidence of its headline."""
        return self.draft.headline.evidence

    @property
    def told(self) -> frozenset[str]:
        """The evidence of all that it tells."""
        return frozenset(key for claim in self.draft.claims for key in claim.evidence)


MEANT = frozenset({"passage", "decision", "definition", "note"})
"""Kinds that say what a text says, which may answer in other words than those of the question."""


@dataclass
class Reading:
    """The evidence of one brief; the words of each piece are read once."""

    brief: Brief
    words: dict[str, frozenset[str]] = field(default_factory=dict)

    def words_of(self, item: Evidence) -> frozenset[str]:
        """Stems of all that a piece of evidence says."""
        if item.id not in self.words:
            self.words[item.id] = frozenset(shown_words(item))
        return self.words[item.id]

    @property
    def said(self) -> list[frozenset[str]]:
        """The stems of each piece of evidence."""
        return [self.words_of(item) for item in self.brief.evidence]

    def finding(self, kind: str, draft: Draft, *items: Evidence, place: int = 0) -> Finding:
        """A finding that rests on some pieces, of which the first leads."""
        first = items[0]
        return Finding(
            kind=kind,
            draft=draft,
            entities=frozenset(entity for item in items[:3] for entity in entities_of(item)),
            measure=text_of(first, "role") if first.kind == "metric" else "",
            words=frozenset(word for item in items for word in self.words_of(item)),
            head=frozenset(word for item in items for word in content_words(head_of(item))),
            term=frozenset(content_words(text_of(first, "term"))),
            size=size_of(first),
            score=max(min(max(number(item, "score"), 0.0), 1.0) for item in items),
            place=place,
            file=next((kind for kind in map(file_kind, items) if kind == "code"), file_kind(first)),
            made_of=len(items),
            meaning=max((number(item, "meaning") for item in items), default=0.0) if kind in MEANT else 0.0,
            valued=any(VALUE.search(text) for text in quoted_texts(draft.headline, items)),
        )

    def composite(self, kind: str, draft: Draft | None) -> Iterator[Finding]:
        """A finding made of several pieces, unless there is none."""
        if draft is None:
            return
        known = {e.id: e for e in self.brief.evidence}
        cited = [known[key] for key in dict.fromkeys(draft.headline.evidence) if key in known]
        if cited:
            found = self.finding(kind, draft, *cited)
            yield replace(found, made_of=len(found.told))
        elif kind == self.brief.intent.question_type == "deploys" or kind == "change":
            yield Finding(kind, draft, made_of=2)  # that there was none is an answer


def told_once(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Evidence without the lines of code that are of a document which was found too: they are told as the document's.

    The path of a document begins at its folder, that of code at the repository.
    """
    documents = [f"/{text_of(item, 'path')}" for item in of_kind(evidence, "doc") if has(item, "path")]

    def is_told(item: Evidence) -> bool:
        path = f"/{text_of(item, 'path')}"
        return item.kind == "code" and DOC_FILE.search(path) is not None and path.endswith(tuple(documents))

    return tuple(item for item in evidence if not is_told(item))


def single_findings(reading: Reading) -> Iterator[Finding]:
    """What each piece of evidence says by itself, in their order."""
    turn: dict[str, int] = {}
    for item in reading.brief.evidence:
        place = turn[item.step] = turn.get(item.step, -1) + 1
        if is_of_another_time(item, reading.brief):
            continue
        for kind, draft in tell(item):
            found = reading.finding(kind, draft, item, place=place)
            yield of_part(found, item) if kind in PARTIAL else found
    yield from renewed(reading)


def renewed(reading: Reading) -> Iterator[Finding]:
    """What notes of one heading, or of a longer one, say on different days: the newest first, with the one before."""
    notes = [one for one in of_kind(reading.brief.evidence, "note") if has(one, "date", "heading", "passage")]
    notes.sort(key=lambda one: text_of(one, "date"), reverse=True)
    told: set[str] = set()
    for n, newest in enumerate(notes):
        before = next((one for one in notes[n + 1 :] if is_of_same(one, newest) and differs(one, newest)), None)
        if before is not None and newest.id not in told:
            a, b = newest.id, before.id
            told |= {a, b}
            said = (
                f"*{{{a}.heading}}*, as of {{{a}.date}}: {{{a}.passage}} Before that, on {{{b}.date}}: {{{b}.passage}}"
            )
            claim = Claim(template=said, evidence=(a, b))
            yield reading.finding("note", Draft(headline=claim), newest, before)


def is_of_same(one: Evidence, other: Evidence) -> bool:
    """Whether the heading of one of two notes holds all words of the other's, of which there are two or more."""
    words, others = (content_words(text_of(item, "heading")) for item in (one, other))
    same = text_of(one, "heading").strip().lower() == text_of(other, "heading").strip().lower()
    return same or (min(len(words), len(others)) > 1 and (words <= others or others <= words))


def differs(one: Evidence, other: Evidence) -> bool:
    """Whether two notes are of different days and say something else."""
    return text_of(one, "date") != text_of(other, "date") and text_of(one, "passage") != text_of(other, "passage")


def is_of_another_time(item: Evidence, brief: Brief) -> bool:
    """Whether it is a commit from outside the time of which the changes are asked for."""
    window = brief.intent.window
    if not item.step.startswith("changes") or not has(item, "at") or window is None or not brief.intent.time_hints:
        return False
    inside = window.start <= datetime.fromisoformat(text_of(item, "at")) <= window.end
    return asks_changed(brief.question.text) and not inside


def of_part(finding: Finding, item: Evidence) -> Finding:
    """A finding of a part of a section, with that part's words, and of a row what it is of."""
    rows = re.findall(r"\{E\d+\.(row_\d+)\b", finding.draft.headline.template)
    keys = {part for row in rows for part in re.findall(r"[\w-]+", text_of(item, f"{row}_key").lower())}
    words = own_words(item, finding.draft)
    return replace(finding, words=words, entities=finding.entities | keys)


PARTIAL = frozenset({"cell", "owner", "procedure"})
"""Kinds that say a part of their section: the words of the rest are not theirs."""


def own_words(item: Evidence, draft: Draft) -> frozenset[str]:
    """Stems of what a draft's headline says of a section or a file, and of the section's title and heading."""
    said = (text_of(item, name) for name in re.findall(r"\{E\d+\.(\w+)\}", draft.headline.template))
    head = head_of(item) if item.kind == "doc" else " ".join(re.findall(r"[A-Za-z0-9]+", text_of(item, "path")))
    return frozenset(content_words(" ".join((*said, head))))


def quoted_texts(claim: Claim, items: Sequence[Evidence]) -> Iterator[str]:
    """What a claim quotes of its evidence, without where it stands and what it is called."""
    known = {item.id: item for item in items}
    for key, name in re.findall(r"\{(E\d+)\.(\w+)\}", claim.template):
        if key in known and name not in {*NAMING, "lines", "title", "heading"}:
            yield text_of(known[key], name)


def tell(item: Evidence) -> Iterator[tuple[str, Draft]]:
    """The kinds of findings in one piece of evidence, with their drafts."""
    if item.kind == "metric" and has(item, "current"):
        yield "metric", Draft(headline=Claim(template=f"{say_metric(item)}.", evidence=(item.id,)))
    elif item.kind == "alert" and has(item, "name") and not is_heartbeat(item):
        yield "alert", Draft(headline=alert_claim(item))
    elif item.kind == "deploy":
        yield "deploy", Draft(headline=went_out(item))
    elif item.kind == "change" and not has(item, "short"):
        yield from tell_authors(item)
    elif item.kind == "change":
        yield "commit", Draft(headline=change_claim(item), code=tuple(shown_change(item)))
    elif item.kind == "code" and not has(item, "setting"):
        if has(item, "code_owner"):
            said = f"{{{item.id}.code_owner}} — owner of {{{item.id}.path}} by {{{item.id}.code_owner_rule}}."
            yield "owner", Draft(headline=Claim(template=said, evidence=(item.id,)))
        yield (
            "place",
            Draft(
                headline=lines_claim(item),
                code=last_change_claims(item, f"{{{item.id}.last_author}}" if has(item, "last_author") else ""),
            ),
        )
    elif item.kind == "doc":
        yield from tell_section(item)
    elif item.kind in {"message", "web"} or (item.kind == "note" and has_words(item)):
        yield "definition" if has(item, "term") else "note", Draft(headline=said_claim(item))


def has_words(item: Evidence) -> bool:
    """Whether a note holds more than its name: a text, or sentences."""
    return has(item, "text") or has(item, "passage")


def tell_authors(item: Evidence) -> Iterator[tuple[str, Draft]]:
    """Of a log: who made most of its commits."""
    k = item.id
    if has(item, "author_1", "author_1_commits", "commits"):
        said = f"{{{k}.author_1}}: {{{k}.author_1_commits}} of the {{{k}.commits}} commits, {item.title}."
        others = [f"{{{k}.author_{n}}} ({{{k}.author_{n}_commits}})" for n in (2, 3) if has(item, f"author_{n}")]
        more = (Claim(template=f"Then {join(others)}.", evidence=(k,)),) if others else ()
        yield "authors", Draft(headline=Claim(template=said, evidence=(k,)), what_changed=more)


def tell_section(item: Evidence) -> Iterator[tuple[str, Draft]]:
    """A section: its passage, its owner, the rows of its tables, its steps."""
    k = item.id
    if has(item, "term"):
        yield "definition", Draft(headline=passage_claim(item))
    elif text_of(item, "passage"):
        decided = text_of(item, "doc_kind") == "adr" and DECISION.match(text_of(item, "heading"))
        yield ("decision" if decided else "passage"), Draft(headline=passage_claim(item))
    if has(item, "owner"):
        yield "owner", Draft(headline=Claim(template=f"{{{k}.owner}} — owner by {doc_name(item)}.", evidence=(k,)))
    for name in filter(ROW.fullmatch, item.facts):
        yield "cell", Draft(headline=cell_claim(item, name))
        if has(item, f"{name}_owner"):
            said = f"{{{k}.{name}_owner}} — owner of {{{k}.{name}_key}} by {doc_name(item)}: {{{k}.{name}}}"
            yield "owner", Draft(headline=Claim(template=said, evidence=(k,)))
    if (steps := steps_of(item)[:MOST_STEPS]) and file_kind(item) != "log":
        count = "one step" if len(steps) == 1 else f"{len(steps_of(item))} steps"
        listed = " ".join(f"{n}. {{{k}.{name}}}" for n, name in enumerate(steps, 1))
        yield "procedure", Draft(headline=Claim(template=f"{doc_name(item)}, {count}: {listed}", evidence=(k,)))


def cell_claim(item: Evidence, row: str) -> Claim:
    """A row of a table: the cell that is asked for first, where one is, with its row and its column."""
    k = item.id
    if not has(item, f"{row}_value"):
        return Claim(template=f"{doc_name(item)}: {{{k}.{row}}}", evidence=(k,))
    said = f"{{{k}.{row}_value}} — {{{k}.{row}_column}} of {{{k}.{row}_key}}, by {doc_name(item)}: {{{k}.{row}}}"
    return Claim(template=said, evidence=(k,))


def lines_claim(item: Evidence) -> Claim:
    """Lines of code: what they say of themselves, those that say most, and what they give a value."""
    k = item.id
    names = ("telling", *(f"telling_{n}" for n in range(2, 9)), *(f"setting_{n}" for n in range(1, 9)))
    texts = {text_of(item, name): name for name in reversed(names) if text_of(item, name)}
    shown = sorted(texts.values(), key=names.index)[:MOST_LINES]
    symbol = f" (`{{{k}.symbol}}`)" if text_of(item, "symbol") else ""
    says = f" says “{{{k}.comment}}”" if has(item, "comment") else ""
    quoted = join([f"`{{{k}.{name}}}`" for name in shown]) if shown else ""
    return Claim(template=f"{{{k}.lines}}{symbol}{says}{': ' if quoted else ''}{quoted}", evidence=(k,))


def shown_change(item: Evidence) -> Iterator[Claim]:
    """The lines of a commit before and after, of its first places; tests come last."""
    k = item.id
    names = [f"hunk_{n}" for n in range(1, 9) if has(item, f"hunk_{n}")]
    names.sort(key=lambda name: bool(TEST_FILE.search(text_of(item, name))))
    for name in names[:3]:
        symbol = f" (`{{{k}.{name}_symbol}}`)" if text_of(item, f"{name}_symbol") else ""
        line = f": `{{{k}.{name}_line}}`" if text_of(item, f"{name}_line") else ""
        yield Claim(template=f"{{{k}.{name}}}{symbol}{line}", evidence=(k,))


def entities_of(item: Evidence) -> Iterator[str]:
    """What a piece of evidence is about, in lower case: of metrics and alerts their labels, of code path and symbol."""
    if item.kind == "metric" and "metric" in item.facts and item.facts["metric"].entity != "all":
        yield item.facts["metric"].entity.lower()
    for name, fact in item.facts.items():
        if name in NAMING or name.startswith("label_"):
            yield str(fact.value).lower()
        if name == "path" or name.startswith("file_"):
            yield str(fact.value).lower().rpartition("/")[2]


def head_of(item: Evidence) -> str:
    """Title, heading, path and symbol as words."""
    parts = (
        item.title,
        initials(item.title),
        *(text_of(item, name) for name in ("heading", "path", "symbol", "subject", "file_1")),
    )
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", " ", " ".join(parts))


def size_of(item: Evidence) -> float:
    """How far a metric moved: one where it doubled or halved, three at most; a firing alert counts as one."""
    if item.kind == "metric":
        return min(abs(number(item, "change_pct")) / 100.0, 3.0) if has_moved(item) else 0.0
    return 1.0 if item.kind == "alert" and text_of(item, "state") in {"", "firing"} else 0.0


def file_kind(item: Evidence) -> str:
    """``code``, ``config``, ``test``, ``doc`` or ``log`` of changes; empty for what is no file."""
    path = text_of(item, "path")
    if item.kind not in {"code", "doc"} or not path:
        return ""
    if LOG_FILE.search(path) and (item.kind == "doc" or DOC_FILE.search(path)):
        return "log"
    if item.kind == "doc" or DOC_FILE.search(path):
        return "doc"
    return "test" if TEST_FILE.search(path) else "config" if is_config(item) else "code"
