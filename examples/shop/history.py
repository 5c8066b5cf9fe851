"""The history of the shop: from ``history.yaml`` and a fault to commits with dates and contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import yaml

from examples.shop.fault import Fault
from workers.contracts import Deploy

HERE = Path(__file__).parent
TREE = HERE / "tree"
PIPELINE = timedelta(minutes=24)
SERVICE = "shop"
SUFFIXES = frozenset({".py", ".md", ".sql", ".yaml", ".yml"})
NAMES = frozenset({"Makefile", ".gitignore"})


class HistoryMismatch(ValueError):
    """``history.yaml`` does not fit ``tree/``: the message names the commit and the passage."""


@dataclass(frozen=True)
class Commit:
    """One commit. ``files`` holds what it introduces or changes: path -> text afterwards."""

    subject: str
    body: str
    author: str
    email: str
    at: datetime
    files: Mapping[str, str]
    tag: str = ""

    @property
    def deployed_at(self) -> datetime:
        """When its tag, if it has one, was deployed: the pipeline takes its time."""
        return self.at + PIPELINE


@dataclass(frozen=True)
class History:
    """Commits oldest first, the place of the fault's among them, and the neighbours' deploys."""

    commits: tuple[Commit, ...]
    fault_index: int
    neighbours: tuple[Deploy, ...]


def read_tree() -> dict[str, str]:
    """All files of the healthy tree: path -> text."""
    return {
        path.relative_to(TREE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(TREE.rglob("*"))
        if path.suffix in SUFFIXES or path.name in NAMES
    }


def load_history(fault: Fault, deployed_at: datetime) -> History:
    """Commits and neighbouring deploys, dated so that the fault's deploy is at ``deployed_at``.

    Args:
        fault: its commit stands ``PIPELINE`` before its deploy.
        deployed_at: UTC, on the day before the demo's "now".

    Raises:
        HistoryMismatch: an edit does not fit the tree, or a file is introduced twice or never.
    """
    raw: dict[str, Any] = yaml.safe_load((HERE / "history.yaml").read_text(encoding="utf-8"))
    names: dict[str, str] = raw["authors"]

    def signed(entry: Mapping[str, Any], files: Mapping[str, str]) -> Commit:
        return Commit(
            subject=entry["subject"],
            body=entry.get("body", "").strip(),
            author=names[entry["author"]],
            email=f"{entry['author']}@shop.example",
            at=moment(entry, deployed_at),
            files=files,
            tag=entry.get("tag", ""),
        )

    changes = replay(raw["commits"], read_tree())
    commits = [signed(entry, files) for entry, files in zip(raw["commits"], changes, strict=True)]
    change = {"subject": fault.subject, "body": fault.body, "author": fault.author, "tag": fault.version}
    marked = signed({**change, "minutes": -(PIPELINE.seconds // 60)}, fault.contents())
    commits = sorted([*commits, marked], key=lambda commit: commit.at)
    return History(tuple(commits), commits.index(marked), neighbours(raw["neighbours"], fault, deployed_at))


def moment(entry: Mapping[str, Any], deployed_at: datetime) -> datetime:
    """A time given as days ago and time of day, or as minutes from the fault's deploy."""
    if "minutes" in entry:
        return deployed_at + timedelta(minutes=entry["minutes"])
    # the fault's deploy is one day ago
    day = deployed_at.date() - timedelta(days=entry["days"] - 1)
    return datetime.combine(day, time.fromisoformat(entry["time"]), deployed_at.tzinfo)


def neighbours(entries: list[dict[str, Any]], fault: Fault, deployed_at: datetime) -> tuple[Deploy, ...]:
    """Deploys of other services that the same deploys table holds."""
    out = []
    for entry in entries:
        at = moment(entry, deployed_at)
        if "minutes" in entry and fault.neighbour_after:
            at = deployed_at + (deployed_at - at)
        out.append(Deploy(service=entry["service"], version=entry["version"], at=at))
    return tuple(out)


def replay(entries: list[dict[str, Any]], tree: Mapping[str, str]) -> list[dict[str, str]]:
    """What each commit leaves behind, found by undoing the edits from the newest commit to the oldest.

    Args:
        entries: ``commits`` of ``history.yaml``, oldest first.
        tree: path -> text at the end.

    Returns: for each entry the files it introduces or changes, as they are after it.
    """
    texts, introduced = dict(tree), set[str]()
    changes: list[dict[str, str]] = []
    for entry in reversed(entries):
        edits = entry.get("edits", ())
        added = [path for pattern in entry.get("adds", ()) for path in match(pattern, tree, entry["subject"])]
        changes.append({path: texts[path] for path in [*added, *(edit["path"] for edit in edits)]})
        for edit in reversed(edits):
            texts[edit["path"]] = undo(texts[edit["path"]], edit, entry["subject"])
        for path in added:
            if path in introduced:
                raise HistoryMismatch(f"{entry['subject']}: {path} is introduced twice")
            introduced.add(path)
    if missing := sorted(set(tree) - introduced):
        raise HistoryMismatch(f"no commit introduces {', '.join(missing)}")
    return changes[::-1]


def match(pattern: str, tree: Mapping[str, str], subject: str) -> list[str]:
    """The paths a pattern of ``adds`` names."""
    folder, star, suffix = pattern.partition("*")
    found = (
        [p for p in tree if p.startswith(folder) and p.endswith(suffix)] if star else [p for p in tree if p == pattern]
    )
    if not found:
        raise HistoryMismatch(f"{subject}: no file {pattern}")
    return found


def undo(text: str, edit: Mapping[str, str], subject: str) -> str:
    """A file's text before an edit."""
    if text.count(edit["now"]) != 1:
        raise HistoryMismatch(f"{subject}: {edit['path']} does not hold once: {edit['now'][:80]!r}")
    return text.replace(edit["now"], edit["was"])
