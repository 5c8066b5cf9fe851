"""Sections of documents as evidence: their text, where it stands, and what they say of owners, steps and links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from workers.contracts import Evidence, Fact
from workers.sources.documents.document_links import CodePlace
from workers.sources.documents.index import DocHit

MAX_STEPS = 12
MAX_LINKS = 5
MAX_ROWS = 8


def doc_evidence(source: str, hit: DocHit) -> Evidence:
    """A section. Facts: title, heading, breadcrumb, doc_kind, path, lines, anchor, source, score, step_1, step_1_line.

    Further steps follow, at most twelve; commit when the file is as committed; owner where the section names one;
    doc_status and doc_successor of a decision record; last_at and last_commit; link_1, link_1_title of documents that
    it links to; row_1, row_1_line of its tables, those that hold most of the question first, each cell behind the
    name of its column. Text that was taken out of a file has the fact extracted and no lines.
    """
    entity = hit.path
    facts = {
        "title": Fact(value=hit.title, entity=entity),
        "heading": Fact(value=hit.heading, entity=entity),
        "breadcrumb": Fact(value=" › ".join(hit.breadcrumb), entity=entity),
        "doc_kind": Fact(value=hit.kind, entity=entity),
        "path": Fact(value=hit.path, unit="path", entity=entity),
        **place_facts(hit),
        "anchor": Fact(value=hit.anchor, entity=entity),
        "source": Fact(value=source, entity=entity),
        "score": Fact(value=hit.score, unit="ratio", entity=entity),
    }
    if hit.commit:
        facts["commit"] = Fact(value=hit.commit, unit="commit", entity=entity)
    if owner := owner_in(hit.excerpt):
        facts["owner"] = Fact(value=owner, entity=entity)
    for i, (text, line) in enumerate(hit.steps[:MAX_STEPS], 1):
        facts[f"step_{i}"] = Fact(value=text, entity=entity)
        facts[f"step_{i}_line"] = Fact(value=line, unit="line", entity=entity)
    for i, (text, line) in enumerate(hit.rows[:MAX_ROWS], 1):
        facts[f"row_{i}"] = Fact(value=text, entity=entity)
        facts[f"row_{i}_line"] = Fact(value=line, unit="line", entity=entity)
    for i, link in enumerate(hit.links[:MAX_LINKS], 1):
        facts[f"link_{i}"] = Fact(value=link.shown, entity=entity)
        facts[f"link_{i}_title"] = Fact(value=link.title, entity=link.path)
    locator = f"{hit.path}#{hit.anchor}" if hit.anchor else hit.path
    return Evidence(kind="doc", title=hit.title, locator=locator, url=hit.url, excerpt=hit.excerpt, facts=facts)


def place_facts(hit: DocHit) -> dict[str, Fact]:
    """Where the text of a section stands, what its document says of its standing, and when it was changed last."""
    entity = hit.path
    if hit.extracted:
        facts = {"extracted": Fact(value=f"text taken out of {hit.path.rpartition('/')[2]}", entity=entity)}
    else:
        facts = {"lines": Fact(value=f"{hit.path}:{hit.start_line}-{hit.end_line}", unit="lines", entity=entity)}
    if hit.status:
        facts["doc_status"] = Fact(value=hit.status, entity=entity)
    if hit.successor:
        facts["doc_successor"] = Fact(value=hit.successor, unit="path", entity=entity)
    if hit.changed:
        at = datetime.fromisoformat(hit.changed)
        facts["last_at"] = Fact(value=hit.changed, unit="time", entity=entity, at=at)
    if hit.last_commit:
        facts["last_commit"] = Fact(value=hit.last_commit, unit="commit", entity=entity)
    return facts


def code_facts(named: Sequence[tuple[str, CodePlace]]) -> dict[str, Fact]:
    """Files that a section names: code_1, code_1_repository …"""
    facts = {}
    for i, (repository, place) in enumerate(named[:MAX_LINKS], 1):
        facts[f"code_{i}"] = Fact(value=place.shown, unit="lines" if place.start else "path", entity=place.path)
        facts[f"code_{i}_repository"] = Fact(value=repository, entity=place.path)
    return facts


NAME = r"(?P<{0}>[@#]?\w[\w&/@#-]*(?: (?!is\b|are\b|was\b|has\b|have\b|will\b|can\b|owns?\b)[\w&/@#-]+){{0,3}})"
END = r"(?=\s*(?:[.;,(|*]|$))"
START = r"(?:^|(?<=[.;!?)]\s)|(?<=[-*|]\s)|(?<=\*\*))"
OWNER = re.compile(
    rf"{START}(?:Team {NAME.format('team')}{END}"
    rf"|(?i:owners?|owning team|owned by|maintained by|maintainers?|escalate to|responsible)(?:\*\*)?\s*"
    rf"(?::|\||(?<=by)|(?<=to))(?:\*\*)?[ \t]*{NAME.format('named')}{END})",
    re.MULTILINE,
)
WRAPPED = re.compile(r"(?<!\n)\n(?!\s*(?:[-*#|>\n]|\d+[.)]))")
HEADER = re.compile(r"^[^|\n]*\|.*\n(?=[ \t|:-]*-[ \t|:-]*\n[^|\n]*\|)", re.MULTILINE)
"""The row above a table's rows: it names columns."""
NOBODY = re.compile(
    r"tb[acd]|to-?do|n/?a|none|nobody|no one|unknown|unowned|unassigned|unclear|pending|vacant|not .+|to be .+|see .+"
    r"|\w",
    re.IGNORECASE,
)
"""What stands where nobody is named."""


def owner_in(text: str) -> str:
    """The owner that a text names; empty when it names none."""
    for match in OWNER.finditer(WRAPPED.sub(" ", HEADER.sub("", text))):
        if not NOBODY.fullmatch((match["team"] or match["named"]).strip("_")):
            return f"team {match['team']}" if match["team"] else str(match["named"])
    return ""
