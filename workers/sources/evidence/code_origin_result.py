"""When something came into the code, and when it was taken out, as a tool's output."""

from __future__ import annotations

import re
from dataclasses import replace
from time import monotonic

from workers.contracts import Evidence, Fact, ToolOutput
from workers.language.stems import stem
from workers.language.tokens import split_identifier
from workers.sources.code.file_kinds import KINDS
from workers.sources.code.index import CodeHit, CodeIndex
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.line_history_result import Lines, show_history
from workers.sources.evidence.search_hits import Details, change_data, change_evidence, code_evidence
from workers.sources.evidence.search_result import cut_notes, nothing, shape, with_notes
from workers.sources.git import open_repository
from workers.sources.history.change_search import change
from workers.sources.history.code_origin import Origin, file_origin, name_origin
from workers.sources.terms.query_terms import Query, read_query

ORIGIN_S = 8.0  # that git gets for all repositories, of the time of a tool
PROSE = frozenset({"doc", "history"})
KINDS_OF_THINGS = frozenset(
    stem(w)
    for w in """class function method module package file folder integration support feature component helper option
    setting flag command type struct trait interface code""".split()
)
"""Words that say what kind of thing is meant, and stand in no name."""
WRITTEN = re.compile(r"[A-Z_\d$]")
"""What a name has that is no plain word: a plain word may stand for many things."""
LATE = "git was not done in time: it may be older"


def show_origin(query: str, wanted: Lines) -> ToolOutput:
    """The commit that brought what a query names, and where it stands now; the one that removed it where it is gone.

    A name is followed through every file that held it, a file or folder through its renames; of anything else it is
    the history of the lines that answer best. ``data["origin"]``: name, path, line, whole, removed, tag.
    """
    asked, until = read_query(query), monotonic() + ORIGIN_S
    if name := name_in(query, asked):
        for source, index in wanted.opened:
            places = standing(index, name)
            paths = tuple(dict.fromkeys(p.path for p in places))
            repo = open_repository(source.path)
            if paths and (found := name_origin(repo, index.commit, name, paths, until=until)):
                return told(name, found, source, index, places, wanted)
        for source, index in wanted.opened if WRITTEN.search(name) else ():
            found = name_origin(open_repository(source.path), index.commit, name, (), until=until)
            if found:
                return told(name, found, source, index, [], wanted)
    survey = wanted.ask(query, wanted.k)
    absent = [w for w in (*survey.missing, *survey.absent) if stem(w.lower()) not in KINDS_OF_THINGS]
    if not survey.likely or (absent and not asked.files):
        return nothing(survey, wanted.opened, query, "")
    source, hit = next((pair for pair in survey.hits if path_of(pair[1].path, asked)), survey.hits[0])
    index = next(index for known, index in wanted.opened if known == source)
    path = path_of(hit.path, asked)
    if path and (found := file_origin(open_repository(source.path), index.commit, path, until=until)):
        return told(path, found, source, index, [hit], wanted)
    return show_history(query, wanted)


def told(
    name: str, found: Origin, source: Source, index: CodeIndex, places: list[CodeHit], wanted: Lines
) -> ToolOutput:
    """The commits as evidence, then where it stands; the commit at which a shallow clone is cut brought nothing."""
    commits = [c for c in ("" if found.cut else found.commit, found.removed) if c]
    changes = [one for c in commits if (one := change(source.path, c, name))]
    rows = [change_evidence(source.name, one, index) for one in changes]
    came, gone = (rows[:0], rows) if found.cut else (rows[:1], rows[1:])
    evidence = [with_origin(one, name, found) for one in came]
    evidence += [e.model_copy(update={"facts": {**e.facts, "removed": Fact(value=name, entity=name)}}) for e in gone]
    shown = [shortened(p, wanted.max_lines) for p in places[:1]]
    evidence += [code_evidence(source.name, hit, Details()) for hit in shown]
    origin = {"name": name, "path": found.path, "line": found.line, "text": found.text, "whole": found.whole}
    data = shape(None, changes=[change_data(source.name, one) for one in changes])
    first = f"{name} came with {changes[0].short} {changes[0].subject}" if came else f"what brought {name} is not known"
    notes = cut_notes([(source.name, open_repository(source.path), index.commit)]) if found.cut else ()
    output = ToolOutput(
        summary=first,
        data={**data, "origin": {**origin, "removed": found.removed, "tag": found.tag}},
        evidence=tuple(evidence),
        reason="; ".join([*wanted.problems, *(() if found.whole else (LATE,))]),
    )
    return with_notes(output, notes)


def with_origin(item: Evidence, name: str, found: Origin) -> Evidence:
    """A commit with what it brought: ``origin_name``; ``origin`` and ``origin_text``, its line; ``origin_tag``,
    ``origin_late``."""
    facts = {"origin_name": Fact(value=name, entity=name)}
    if found.line:
        facts["origin"] = Fact(value=f"{found.path}:{found.line}-{found.line}", unit="lines", entity=name)
        facts["origin_text"] = Fact(value=found.text, entity=name)
    if found.tag:
        facts["origin_tag"] = Fact(value=found.tag, entity=name)
    if not found.whole:
        facts["origin_late"] = Fact(value=LATE, entity=name)
    excerpt = f"{item.excerpt}\n{found.path}:{found.line}\n+{found.text}" if found.line else item.excerpt
    return item.model_copy(update={"facts": {**item.facts, **facts}, "excerpt": excerpt})


def name_in(query: str, asked: Query) -> str:
    """The name that is asked for, as it is written: an identifier, else the only word; nothing for a path or words."""
    quoted = [q.strip() for q in re.findall(r"`([^`\n]+)`", query)]
    named = [*(q for q in quoted if " " not in q), *asked.variables, *asked.names]
    plain = [w for w in re.findall(r"[\w$-]+", query) if stem(w.lower()) not in KINDS_OF_THINGS]
    if not named and len(plain) == 1 and not asked.files and not query.rstrip().endswith("/"):
        named = plain
    return re.split(r"\.|::|#", named[0].removesuffix("()"))[-1] if named else ""


def standing(index: CodeIndex, name: str) -> list[CodeHit]:
    """Where a name is defined, exactly as written, else where it is used; documents do not count."""
    last = [d for d in index.definitions(name) if d.symbols[0].rpartition(".")[2] == name and d.kind not in PROSE]
    if last or not WRITTEN.search(name):
        return last
    out = []
    for use in index.references(name):
        kind = KINDS[int(index.columns.kinds[index.numbers[use.path]])]
        if kind not in PROSE:
            url = index.link(use.path, use.line, use.line)
            out.append(CodeHit(use.path, use.line, use.line, (), 1.0, use.text, index.commit, url, kind))
    return out


def path_of(path: str, asked: Query) -> str:
    """The file or folder of a path that the words ask for: the first part at which all of them are named."""
    words = {stem(p) for w in asked.words for p in split_identifier(w)} - KINDS_OF_THINGS
    parts = path.split("/")
    for i in range(1, len(parts) + 1):
        held = {stem(p) for p in split_identifier(re.sub(r"\W+", "_", "/".join(parts[:i])))}
        if words and words <= held:
            return path if i == len(parts) else f"{'/'.join(parts[:i])}/"
    return ""


def shortened(hit: CodeHit, most: int) -> CodeHit:
    """A place with its first lines."""
    end = min(hit.end_line, hit.start_line + most - 1)
    rows = hit.excerpt.split("\n")[: end - hit.start_line + 1]
    return replace(hit, end_line=end, excerpt="\n".join(rows))
