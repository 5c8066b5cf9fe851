"""How lines came to be what they are, and where a stack trace points, as evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from workers.contracts import Evidence, Fact, rfc3339
from workers.sources.code.index import CodeIndex
from workers.sources.code.permalinks import commit_link
from workers.sources.evidence.search_hits import Details, change_evidence, code_evidence
from workers.sources.history.blame import LineChange
from workers.sources.history.commits import Change
from workers.sources.history.diff import FileChange
from workers.sources.history.term_counts import TermCounter
from workers.sources.history.trace_hits import TraceHit
from workers.sources.history.value_changes import ValueChange, value_changes
from workers.sources.terms.query_terms import read_query

MOST_VALUES = 6


def step_evidence(repository: str, step: LineChange, index: CodeIndex, remote: str, query: str) -> Evidence:
    """One step in the history of some lines.

    Facts as `change_evidence` has them, of the hunks that touched the lines alone; and for each value that changed
    value_1_name, value_1_old, value_1_new, value_1_old_text, value_1_new_text, value_1_lines, those the question names
    first. ``old_path`` when the file was called otherwise before; ``began`` when the lines came with this commit.
    """
    one = change_of(step, remote)
    plain = change_evidence(repository, one, index)
    entity, at = step.by.path, step.by.at
    facts = {"path": Fact(value=step.by.path, unit="path", entity=entity, at=at)}
    if not step.hunks and not step.old_path:
        facts["began"] = Fact(value=rfc3339(at), unit="time", entity=entity, at=at)
    if step.old_path and step.old_path != step.by.path:
        facts["old_path"] = Fact(value=step.old_path, unit="path", entity=entity, at=at)
    values = values_of(step, query)
    for i, v in enumerate(values[:MOST_VALUES], 1):
        facts[f"value_{i}_name"] = Fact(value=v.name, entity=entity, at=at)
        facts[f"value_{i}_old"] = Fact(value=v.old, entity=v.name or entity, at=at)
        facts[f"value_{i}_new"] = Fact(value=v.new, entity=v.name or entity, at=at)
        facts[f"value_{i}_old_text"] = Fact(value=v.old_text, entity=v.name or entity, at=at)
        facts[f"value_{i}_new_text"] = Fact(value=v.new_text, entity=v.name or entity, at=at)
        facts[f"value_{i}_lines"] = Fact(
            value=f"{step.by.path}:{v.new_line}-{v.new_line}", unit="lines", entity=entity, at=at
        )
    lines = [line for v in values[:MOST_VALUES] for line in (f"-{v.old_text}", f"+{v.new_text}")]
    excerpt = "\n".join([one.subject, *lines]) if lines else plain.excerpt
    return plain.model_copy(update={"facts": {**plain.facts, **facts}, "excerpt": excerpt})


def change_of(step: LineChange, remote: str) -> Change:
    """A step as a commit with the hunks that touched the lines."""
    added, removed = sum(h.lines for h in step.hunks), sum(h.old_lines for h in step.hunks)
    moved = step.old_path if step.old_path != step.by.path else ""
    file = FileChange(step.by.path, added, removed, step.hunks, created=not step.old_path, old_path=moved)
    by = step.by
    return Change(by.commit, by.short, by.author, by.at, by.subject, "", (file,), url=commit_link(remote, by.commit))


def values_of(step: LineChange, query: str) -> list[ValueChange]:
    """Values that a step changed, those in lines with most of the question's words first."""
    counter = TermCounter(read_query(query).terms)
    found = [v for h in step.hunks for v in value_changes(h)]
    return sorted(found, key=lambda v: -len(counter.count(f"{v.new_text} {v.old_text}").counts))


def best_steps(steps: Sequence[LineChange], query: str) -> list[LineChange]:
    """Steps that changed a value the question names first, then the others, each group newest first."""
    held = {step: named_in(step, query) for step in steps}
    most = max(held.values(), default=0)
    return sorted(steps, key=lambda s: (not (most and held[s] == most), -s.by.at.timestamp()))


def named_in(step: LineChange, query: str) -> int:
    """How many words of a question stand by the value that a step changed, of the value with most."""
    counter = TermCounter(read_query(query).terms)
    values = values_of(step, query)[:1]
    return max((len(counter.count(f"{step.by.path} {v.name} {v.new_text}").counts) for v in values), default=0)


def step_data(repository: str, step: LineChange, query: str) -> dict[str, Any]:
    """A step as plain data."""
    return {
        "repository": repository,
        "commit": step.by.commit,
        "author": step.by.author,
        "at": rfc3339(step.by.at),
        "subject": step.by.subject,
        "path": step.by.path,
        "old_path": step.old_path,
        "values": [
            {"name": v.name, "old": v.old, "new": v.new, "old_text": v.old_text, "new_text": v.new_text}
            for v in values_of(step, query)[:MOST_VALUES]
        ],
    }


def frame_evidence(repository: str, found: TraceHit, details: Details) -> Evidence:
    """A frame's lines. Facts as `code_evidence`, and frame, frame_line, frame_text, frame_note."""
    plain = code_evidence(repository, found.hit, details)
    path, frame = found.hit.path, found.frame
    said = f"{frame.path}:{frame.line}" + (f" in {frame.name}" if frame.name else "")
    facts = {
        "frame": Fact(value=said, entity=path),
        "frame_line": Fact(value=f"{path}:{found.line}-{found.line}", unit="lines", entity=path),
    }
    rows = (
        found.hit.excerpt.splitlines()[found.line - found.hit.start_line :]
        if found.line >= found.hit.start_line
        else []
    )
    if rows and rows[0].strip():
        facts["frame_text"] = Fact(value=rows[0].strip().replace("`", "'"), entity=path)
    if found.note:
        facts["frame_note"] = Fact(value=found.note, entity=path)
    return plain.model_copy(update={"facts": {**plain.facts, **facts}})


def frame_data(found: Iterable[TraceHit]) -> list[dict[str, Any]]:
    """Frames as plain data."""
    return [
        {
            "path": f.hit.path,
            "line": f.line,
            "said": f"{f.frame.path}:{f.frame.line}",
            "name": f.frame.name,
            "note": f.note,
        }
        for f in found
    ]
