"""Notes and their sections as evidence, and as the tools' JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from workers.agents.memory.source.vault.note import day_of
from workers.agents.memory.source.vault.note_index import title_of
from workers.agents.memory.source.vault.vault import NotesView
from workers.contracts import Evidence, Fact, rfc3339

MOST_TAGS = 20


def modified(vault: NotesView, path: str) -> datetime | None:
    """When a file was written last, UTC."""
    stamp = vault.stamps.get(path)
    return datetime.fromtimestamp(stamp.mtime_ns // 1_000_000_000, UTC) if stamp else None


def note_evidence(vault: NotesView, path: str, lines: tuple[int, int], excerpt: str, heading: str = "") -> Evidence:
    """Lines of a note. Facts: path, title, lines, heading, tags, modified; date and note_author where it says them."""
    note, at = vault.index.notes.get(path), modified(vault, path)
    facts = {
        "path": Fact(value=path, unit="path", entity=path),
        "title": Fact(value=title_of(path), entity=path),
        "lines": Fact(value=f"{path}:{lines[0]}-{lines[1]}", unit="lines", entity=path),
    }
    if heading:
        facts["heading"] = Fact(value=heading, entity=path)
    if note and note.tags:
        facts["tags"] = Fact(value=", ".join(f"#{tag}" for tag in note.tags[:MOST_TAGS]), entity=path)
    if day := day_of_note(vault, path):
        facts["date"] = Fact(value=day, unit="date", entity=path)
    if note and note.author:
        facts["note_author"] = Fact(value=note.author, entity=path)
    if at:
        facts["modified"] = Fact(value=rfc3339(at), unit="time", entity=path, at=at)
    return Evidence(
        kind="note",
        title=f"{title_of(path)} › {heading}" if heading else title_of(path),
        locator=f"{path}#{heading}" if heading else path,
        url=(vault.root / path).as_uri(),
        excerpt=excerpt,
        facts=facts,
        observed_at=at,
    )


def day_of_note(vault: NotesView, path: str) -> str:
    """The day, ISO, that a note is of: by its front matter, else by the beginning of its name; empty for neither."""
    note = vault.index.notes.get(path)
    return (note.date if note else "") or day_of(title_of(path))


def note_row(vault: NotesView, path: str) -> dict[str, Any]:
    """One note of a list: ``{path, title, tags, modified}``."""
    note, at = vault.index.notes[path], modified(vault, path)
    return {"path": path, "title": title_of(path), "tags": list(note.tags), "modified": rfc3339(at) if at else ""}


def listing_evidence(vault: NotesView, what: str, count: int, listed: str) -> Evidence:
    """A list of notes or tags. Facts: path, count."""
    facts = {"path": Fact(value=what or ".", unit="path"), "count": Fact(value=count, unit="count", entity=what)}
    title = f"{what or vault.root.name}: {count:,}"
    return Evidence(kind="note", title=title, locator=what or ".", excerpt=listed[:4_000], facts=facts)
