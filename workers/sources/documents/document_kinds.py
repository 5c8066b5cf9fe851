"""What kind of document it is, and what a decision record says of its own standing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from workers.sources.documents.document import Document
from workers.sources.documents.document_links import resolve
from workers.sources.documents.export_names import without_ids
from workers.sources.documents.formats.markdown import front_matter

BY_NAME = (
    ("runbook", re.compile(r"run-?books?|play-?books?|on-?call|\bsops?\b|troubleshoot", re.IGNORECASE)),
    ("adr", re.compile(r"\badrs?\b|\bdecisions?\b|decision-?records?", re.IGNORECASE)),
    ("postmortem", re.compile(r"post-?mortems?|\brcas?\b|retrospective|incident-?(report|review)s?", re.IGNORECASE)),
    ("design", re.compile(r"\bdesigns?\b|\brfcs?\b|architecture|proposals?\b|\bhld\b", re.IGNORECASE)),
)
HEADINGS = {
    "adr": (3, frozenset({"status", "context", "decision", "consequences", "considered options", "decision outcome"})),
    "postmortem": (
        3,
        frozenset(
            "impact,root cause,root causes,timeline,detection,resolution,lessons learned,action items".split(",")
        ),
    ),
    "runbook": (3, frozenset("meaning,impact,diagnosis,mitigation,symptoms,escalation,rollback".split(","))),
}
STANDING = (
    ("superseded", r"supers[ec]{1,2}[dt]?ed|supersedes? by|replaced by|obsoleted by|obsolete"),
    ("rejected", r"reject\w*|declined|withdrawn|abandoned"),
    ("deprecated", r"deprecated|retired"),
    ("accepted", r"accepted|approved|adopted|agreed|decided|implemented|final|active|done"),
    ("proposed", r"proposed|proposal|draft|pending|open|in review|under review|in discussion|provisional|wip"),
)
WORDS = tuple((name, re.compile(rf"\b({words})\b", re.IGNORECASE)) for name, words in STANDING)
SAYS_STATUS = re.compile(
    r"^[\s>*|_#-]*(?:\*\*|__)?(?:adr )?status(?:\*\*|__)?\s*[:|]\s*(?:\*\*|__)?\s*(\S.*)$", re.IGNORECASE
)
BY = re.compile(r"\b(?:superse?c?de?d|superceded|replaced|obsoleted)[\s_-]*by\b:?(.*)", re.IGNORECASE)
OF = re.compile(r"\b(?:superse?c?des|supercedes|replaces|obsoletes)\b(?!\s+by)[\s:]*(.*)", re.IGNORECASE)
TARGET = re.compile(
    r"\]\(\s*<?([^)>\s]+)|\b([\w./-]+\.(?:md|adoc|rst|html))\b|(?<![\w.])(?:adr|rfc)?[\s#_-]{0,20}0{0,20}(\d{1,5})\b",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"(?:adr|rfc)?[-_ ]{0,4}0{0,6}(\d{1,5})(?!\d)", re.IGNORECASE)
FIRST_LINES = 40
LONGEST = 400


@dataclass(frozen=True)
class DecisionStatus:
    """What a record says of itself: ``status`` superseded, rejected, deprecated, accepted, proposed or empty.

    ``by`` names the records that replace it, ``of`` those that it replaces: paths or numbers, as written.
    """

    status: str = ""
    by: tuple[str, ...] = ()
    of: tuple[str, ...] = ()


UNSAID = DecisionStatus()


def kind_of(path: str, document: Document) -> str:
    """Runbook, adr, postmortem, design or guide: by folder and file name, then title, then headings."""
    for text in (without_ids(path), " / ".join(document.crumbs), document.title):
        for kind, pattern in BY_NAME:
            if pattern.search(text.replace("_", "-").replace("/", " / ")):
                return kind
    own = {s.heading.strip(": ").lower() for s in document.sections}
    return next((kind for kind, (least, known) in HEADINGS.items() if len(own & known) >= least), "guide")


def decision_status(kind: str, document: Document) -> DecisionStatus:
    """The status of a decision record or a design, by its front matter, its status line or its section on status."""
    if kind not in {"adr", "design"}:
        return DecisionStatus()
    said = list(status_lines(document))
    status = ""
    for line in said:
        status = status or next((name for name, words in WORDS if words.search(OF.sub("", line))), "")
    by = tuple(t for line in said if (m := BY.search(line)) for t in targets(m[1]))
    of = tuple(t for line in said if (m := OF.search(line)) for t in targets(m[1]))
    return DecisionStatus("superseded" if by else status, by, of)


def status_lines(document: Document) -> Iterator[str]:
    """The lines in which a record says how it stands."""
    lines = [line[:LONGEST] for line in document.lines]
    front, first = front_matter(lines)
    for line in front.split("\n"):
        if re.match(r"status\s*:|supersed|replace", line, re.IGNORECASE):
            yield (
                line.partition(":")[2]
                if line.lower().startswith("status")
                else line.replace("_", " ").replace("-", " ", 1)
            )
    for section in document.sections:
        if section.level and re.fullmatch(r"(\d+[.)]?\s*)?(current )?status:?", section.heading, re.IGNORECASE):
            yield from (line for line in lines[section.start : section.end] if line.strip(" -=~^"))
    for line in lines[first - 1 : first - 1 + FIRST_LINES]:
        if match := SAYS_STATUS.match(line):
            yield match[1]
        elif re.match(r"[\s*>-]*(?:\*\*)?(superse?c?de|replace[sd] |obsolete)", line, re.IGNORECASE):
            yield line


def targets(text: str) -> tuple[str, ...]:
    """The records that a piece of a line names: by link or file, else by number."""
    found = list(TARGET.finditer(text))
    named = tuple(m[1] or m[2] for m in found if m[1] or m[2])
    return named or tuple(m[3] for m in found)


def successors(standings: Mapping[str, DecisionStatus]) -> dict[str, str]:
    """The record that replaces each replaced one, by path; empty when it is not among them."""
    out = {path: "" for path, own in standings.items() if own.status == "superseded"}
    numbers = numbered(standings)
    for path, own in standings.items():
        for target in own.by:
            out[path] = out.get(path) or find(path, target, standings, numbers)
        for target in own.of if own.status in {"", "accepted"} else ():
            old = find(path, target, standings, numbers)
            if old and old != path:
                out[old] = out.get(old) or path
    return out


def numbered(paths: Mapping[str, object]) -> dict[tuple[str, int], str]:
    """Paths by folder and the number that their file's name begins with."""
    out: dict[tuple[str, int], str] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if match := NUMBERED.match(name):
            out.setdefault((folder, int(match[1])), path)
    return out


def find(path: str, target: str, paths: Mapping[str, object], numbers: Mapping[tuple[str, int], str]) -> str:
    """The path of a record that another one names; empty when there is none."""
    folder = path.rpartition("/")[0]
    if target.isdigit():
        return numbers.get((folder, int(target)), "")
    found = resolve(path, target, paths)
    if found:
        return found[0]
    match = NUMBERED.match(PurePosixPath(target).name)
    return numbers.get((folder, int(match[1])), "") if match else ""
