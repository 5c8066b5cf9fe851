"""One commit with both sides of its diff as a tool's output."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Deploy, Evidence, Fact, ToolOutput, rfc3339
from workers.sources.connections.open_clones import Clone
from workers.sources.evidence.code_files_result import PIECE_CHARS
from workers.sources.evidence.search_hits import UNKNOWN, change_data
from workers.sources.git import call
from workers.sources.history.commits import Change
from workers.sources.history.diff import FileChange
from workers.sources.history.file_lines import pieces
from workers.sources.history.numbered_diff import NumberedDiff, numbered_diffs

MOST_FILES = 8
MOST_ROWS = 80
MOST_ROWS_ALONE = 300
MOST_HUNKS = 6
LISTED = 60
BODY_CHARS = 1_200
TEXT_CHARS = 300


def show_diff(
    clone: Clone, change: Change, chosen: Sequence[FileChange], deploys: Sequence[Deploy], problems: Sequence[str]
) -> ToolOutput:
    """What a commit did: first what it says and which files it touched, then the diffs of the chosen ones.

    ``data["commit"]`` as repo_search has it, and ``"cut"``: what was left out, file by file.
    """
    most = MOST_ROWS_ALONE if len(chosen) == 1 else MOST_ROWS
    diffs = numbered_diffs(clone.repo, change.commit, chosen[:MOST_FILES])
    evidence = [commit_evidence(clone, change, deploys)]
    cut: list[str] = []
    for file in chosen[:MOST_FILES]:
        diff = diffs.get(file.path)
        if diff is None or not diff.rows:
            cut.append(f"{file.path} has no diff of text")
            continue
        left = len(diff.rows) - most
        if left > 0:
            cut.append(f"{left} rows of the diff of {file.path} were left out; give it as path, or read the file")
        evidence += diff_evidence(clone, change, diff, most)
    more = len(chosen) - MOST_FILES
    if more > 0:
        cut.append(f"the diffs of {more} more file{'s' * (more > 1)} were left out; give one as path")
    cut += [UNKNOWN] if change.cut else []
    lines = f"+{sum(f.added for f in change.files)} -{sum(f.removed for f in change.files)}"
    files = f"{len(change.files)} file{'s' * (len(change.files) != 1)}"
    done = UNKNOWN if change.cut else f"{files}, {lines}"
    return ToolOutput(
        summary=f"{change.short} {change.subject}, by {change.author} at {rfc3339(change.at)}: {done}",
        data={"commit": change_data(clone.name, change), "cut": cut},
        evidence=tuple(evidence),
        reason="; ".join([*cut, *problems]),
    )


def commit_evidence(clone: Clone, change: Change, deploys: Sequence[Deploy]) -> Evidence:
    """What a commit says of itself.

    Facts: commit, short, subject, author, at, files, added, removed, repository, file_1 …, first_tag (the first release
    that holds it), deploy_1, deploy_1_at …
    """
    at, entity = change.at, clone.name
    facts = {
        **facts_of(clone, change),
        "author": Fact(value=change.author, entity=entity, at=at),
    }
    counts = {
        "files": len(change.files),
        "added": sum(f.added for f in change.files),
        "removed": sum(f.removed for f in change.files),
    }
    for name, number in () if change.cut else counts.items():
        facts[name] = Fact(value=number, unit="count", entity=entity, at=at)
    for i, file in enumerate(change.files[:MOST_FILES], 1):
        facts[f"file_{i}"] = Fact(value=file.path, unit="path", entity=file.path, at=at)
    if tag := first_tag(clone, change.commit):
        facts["first_tag"] = Fact(value=tag, entity=entity)
    own = [d for d in deploys if len(d.commit) >= 7 and change.commit.startswith(d.commit)]
    for i, deploy in enumerate(own[:3], 1):
        name = f"{deploy.service} {deploy.version} to {deploy.environment}"
        facts[f"deploy_{i}"] = Fact(value=name, entity=deploy.service, at=deploy.at)
        facts[f"deploy_{i}_at"] = Fact(value=rfc3339(deploy.at), unit="time", entity=deploy.service, at=deploy.at)
    rows = [
        f"{change.short} {change.subject}",
        f"{change.author}, {rfc3339(at)}, {clone.name}"
        + (", a merge, against its first parent" if change.merge else ""),
        *([f"first release with it: {tag}"] if tag else []),
        *(
            f"deployed: {facts[f'deploy_{i}'].value} at {facts[f'deploy_{i}_at'].value}"
            for i in range(1, len(own[:3]) + 1)
        ),
        *([change.body[:BODY_CHARS]] if change.body else []),
        *([f" {UNKNOWN}"] if change.cut else []),
        *(f" {named(file)}" for file in change.files[:LISTED]),
        *([f" and {len(change.files) - LISTED} more files"] if len(change.files) > LISTED else []),
    ]
    text = "\n".join(rows)
    return Evidence(
        kind="change",
        title=change.subject,
        locator=change.short,
        url=change.url,
        excerpt=text,
        facts=facts,
        observed_at=at,
    )


def facts_of(clone: Clone, change: Change) -> dict[str, Fact]:
    """Facts of every piece of a commit: commit, short, subject, at, repository."""
    entity, at = clone.name, change.at
    return {
        "commit": Fact(value=change.commit, unit="commit", entity=entity, at=at),
        "short": Fact(value=change.short, entity=entity, at=at),
        "subject": Fact(value=change.subject, entity=entity, at=at),
        "at": Fact(value=rfc3339(at), unit="time", entity=entity, at=at),
        "repository": Fact(value=clone.name, entity=entity),
    }


def named(file: FileChange) -> str:
    """A file with what was done to it."""
    done = " (new)" if file.created else " (deleted)" if file.deleted else ""
    moved = f" (was {file.old_path})" if file.old_path else ""
    return f"{file.path} | +{file.added} -{file.removed}{done}{moved}"


def diff_evidence(clone: Clone, change: Change, diff: NumberedDiff, most: int) -> list[Evidence]:
    """The diff of a file in pieces that can be shown whole.

    Facts also: path, added, removed; hunk_1, its lines in the commit, hunk_1_symbol, hunk_1_text and hunk_1_removed,
    the new and the old text, and hunk_1_old_lines.
    """
    file, at = diff.file, change.at
    facts = {
        **facts_of(clone, change),
        "path": Fact(value=file.path, unit="path", entity=file.path, at=at),
        "added": Fact(value=file.added, unit="count", entity=file.path, at=at),
        "removed": Fact(value=file.removed, unit="count", entity=file.path, at=at),
        **hunk_facts(file, change),
    }
    link = clone_at(clone, change).link
    start, end = (file.hunks[0].start_line, file.hunks[0].end_line) if file.hunks else (1, 1)
    spans = pieces(diff.rows[:most], 1, PIECE_CHARS)
    return [
        Evidence(
            kind="change",
            title=f"{file.path} in {change.short}" + (f", part {i} of {len(spans)}" if len(spans) > 1 else ""),
            locator=f"{change.short}:{file.path}",
            url=change.url or (None if file.deleted else link(file.path, start, end)),
            excerpt="\n".join([named(file), *diff.rows[first - 1 : last]]),
            facts=facts,
            observed_at=at,
        )
        for i, (first, last) in enumerate(spans, 1)
    ]


def hunk_facts(file: FileChange, change: Change) -> dict[str, Fact]:
    """Each hunk's lines, definition, and old and new text."""
    facts: dict[str, Fact] = {}
    for i, hunk in enumerate(sorted(file.hunks, key=lambda h: h.start_line)[:MOST_HUNKS], 1):
        place = f"{file.path}:{hunk.start_line}-{hunk.end_line}"
        facts[f"hunk_{i}"] = Fact(value=place, unit="lines", entity=file.path, at=change.at)
        texts = {"symbol": hunk.symbol, "text": hunk.added_text.strip(), "removed": hunk.removed_text.strip()}
        for name, text in texts.items():
            if text:
                facts[f"hunk_{i}_{name}"] = Fact(value=text[:TEXT_CHARS], entity=file.path, at=change.at)
        if hunk.old_lines:
            old = f"{file.old_path or file.path}:{hunk.old_start}-{hunk.old_start + hunk.old_lines - 1}"
            facts[f"hunk_{i}_old_lines"] = Fact(value=old, unit="lines", entity=file.path)
    return facts


def clone_at(clone: Clone, change: Change) -> Clone:
    """The repository as of a commit."""
    return Clone(clone.source, clone.repo, change.commit, clone.head)


def first_tag(clone: Clone, commit: str) -> str:
    """The oldest tag whose history holds a commit; empty when there is none, or git does not say so in time."""
    args = ["tag", "--contains", commit, "--sort=creatordate", "--format=%(refname:strip=2)"]
    done = call(clone.repo, args, timeout_s=3.0) if clone.head else None
    return done.stdout.decode("utf-8", "replace").partition("\n")[0] if done and done.returncode == 0 else ""
