"""The tools that read the vault of notes: lists, a note, search, backlinks, tags, duplicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import date, timedelta
from functools import partial
from typing import Any

from pydantic import Field

from workers.agents.memory.source.vault.duplicates import find_duplicates
from workers.agents.memory.source.vault.find_note import PATH, find_lines, find_note
from workers.agents.memory.source.vault.note import sha256_of, text_of
from workers.agents.memory.source.vault.note_evidence import (
    day_of_note,
    listing_evidence,
    note_evidence,
    note_row,
)
from workers.agents.memory.source.vault.note_paths import MOST_PATH_CHARS
from workers.agents.memory.source.vault.open_vault import OpenVault, open_vault
from workers.agents.memory.source.vault.vault import NotesView
from workers.contracts import Fact, ToolOutput
from workers.errors import ToolArgumentError
from workers.language.stems import stem
from workers.language.tokens import stems_in
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

MOST_READ_LINES, MOST_READ_CHARS = 400, 24_000


class ListArgs(ToolArgs):
    """Which notes."""

    folder: str = Field("", max_length=MOST_PATH_CHARS, description="only notes below this folder, such as projects")
    tag: str = Field("", max_length=200, description="only notes with this tag or one below it: project/search")
    since: date | None = Field(None, description="only notes dated from this day on")
    until: date | None = Field(None, description="only notes dated before this day")
    words: str = Field("", max_length=500, description="only notes that hold all of these words, or whose author does")
    limit: int = Field(100, ge=1, le=1_000, description="how many notes")


class ReadArgs(ToolArgs):
    """Which note."""

    path: str = Field("", max_length=MOST_PATH_CHARS + 200, description=f"{PATH}; Note#Heading reads one section")
    start_line: int = Field(1, ge=1, le=1_000_000, description=f"where to begin; {MOST_READ_LINES} lines are read")


class SearchArgs(ToolArgs):
    """What to look for."""

    query: str = Field(
        "", max_length=2_000, description='words or a question; tag:project and path:"meeting notes" narrow it'
    )
    k: int = Field(8, ge=1, le=50, description="how many sections")


class BacklinksArgs(ToolArgs):
    """Links to which note."""

    path: str = Field("", max_length=MOST_PATH_CHARS, description=PATH)
    limit: int = Field(50, ge=1, le=500, description="how many links")


class TagsArgs(ToolArgs):
    """Which tags."""

    prefix: str = Field("", max_length=200, description="only this tag and those below it; all when empty")
    limit: int = Field(100, ge=1, le=1_000, description="how many tags")


class DuplicatesArgs(ToolArgs):
    """Which notes."""

    folder: str = Field("", max_length=MOST_PATH_CHARS, description="only notes below this folder")
    least: float = Field(0.7, ge=0.3, le=1.0, description="how alike they are at least; 1: equal words")


class NoteReading:
    """The tools' functions, over one vault."""

    def __init__(self, opened: OpenVault) -> None:
        self.opened = opened

    def list_notes(self, args: ListArgs, context: ToolContext) -> ToolOutput:
        """``data = {notes[{path, title, tags, modified}], total, folders}``."""
        vault = self.opened.view(context.session)
        folder = args.folder.strip("/ ")
        paths = [path for path in vault.index.below(folder) if path in vault.index.notes]
        if args.tag:
            tagged = set(vault.index.tagged(args.tag))
            paths = [path for path in paths if path in tagged]
        if args.since or args.until or args.words:
            return self.list_dated(vault, paths, args)
        if not paths:
            where = f" below {folder!r}" if folder else ""
            reason = f"no notes{where}" + (f" with the tag {args.tag!r}" if args.tag else "")
            return ToolOutput(status="empty", reason=reason, nearest=tuple(sorted(vault.index.folders())[:10]))
        start = f"{folder}/" if folder else ""
        folders = sorted({path[len(start) :].partition("/")[0] for path in paths if "/" in path[len(start) :]})
        rows = [note_row(vault, path) for path in paths[: args.limit]]
        more = f", the first {args.limit} are shown" if len(paths) > args.limit else ""
        listed = "\n".join(row["path"] for row in rows)
        return ToolOutput(
            summary=f"{len(paths):,} notes{more}",
            data={"notes": rows, "total": len(paths), "folders": folders},
            evidence=(listing_evidence(vault, folder, len(paths), listed),),
        )

    def list_dated(self, vault: NotesView, paths: list[str], args: ListArgs) -> ToolOutput:
        """The notes of some days, the newest first, each as evidence after one piece with their count."""
        days = {path: day for path in paths if (day := day_of_note(vault, path))}
        first, last = f"{args.since or ''}", f"{args.until or 'x'}"
        dated = [path for path in days if first <= days[path] < last]
        unread = []
        for word in args.words.split():
            held = {path for path in paths if stem(word.lower()) in told_stems(vault, path)}
            dated = [path for path in dated if path in held] if held else dated
            unread += [] if held else [word]
        dated.sort(key=lambda path: (days[path], path), reverse=True)
        final = f"{args.until - timedelta(days=1)}" if args.until else ""
        head = listing_evidence(vault, args.folder, len(dated), "\n".join(dated))
        read = ", ".join(f"“{word}”" for word in args.words.split() if word not in unread)
        facts = {
            "since": first,
            "until": final,
            "words": read,
            "unread": ", ".join(unread),
            "undated": len(paths) - len(days),
        }
        told = {name: Fact(value=value, entity="notes") for name, value in facts.items() if value}
        head = head.model_copy(update={"facts": head.facts | told})
        shown = [
            note_evidence(vault, path, (1, 1), path, next((h.text for h in vault.index.notes[path].headings), ""))
            for path in dated[: args.limit]
        ]
        rows = [note_row(vault, path) | {"date": days[path]} for path in dated[: args.limit]]
        return ToolOutput(summary=f"{len(dated):,} notes", data={"notes": rows}, evidence=(head, *shown))

    def read_note(self, args: ReadArgs, context: ToolContext) -> ToolOutput:
        """``data = {path, sha256, text, start_line, end_line, total_lines, tags, aliases, headings, links, backlinks,
        proposed}``; a further call with ``start_line`` reads on. ``proposed``: it is as this request would make it.
        """
        vault = self.opened.view(context.session)
        path, span = find_lines(vault, args.path)
        raw = vault.read(path)
        lines = text_of(raw).split("\n")
        first = max(args.start_line, span[0])
        last = min(span[1] or len(lines), len(lines), first + MOST_READ_LINES - 1)
        if first > len(lines):
            raise ToolArgumentError(f"{path} has {len(lines)} lines")
        text = "\n".join(line.rstrip("\r") for line in lines[first - 1 : last])[:MOST_READ_CHARS]
        text = text.encode("utf-8", "replace").decode()
        last = first + text.count("\n")
        note, on_disk = vault.index.notes.get(path), self.opened.vault.index.notes.get(path)
        proposed = context.session in self.opened.proposed and note != on_disk
        linked = list(dict.fromkeys(t for _, t in vault.index.links(path) if t and t != path)) if note else []
        data = {
            "path": path,
            "sha256": sha256_of(raw),
            "text": text,
            "start_line": first,
            "end_line": last,
            "total_lines": len(lines),
            "tags": list(note.tags) if note else [],
            "aliases": list(note.aliases) if note else [],
            "headings": [h.text for h in note.headings[:100]] if note else [],
            "links": linked[:100],
            "backlinks": len(vault.index.backlinks(path)),
            "proposed": proposed,
        }
        return ToolOutput(
            summary=f"{path}, lines {first}-{last} of {len(lines)}" + proposed * ", as proposed here and not yet done",
            data=data,
            evidence=(note_evidence(vault, path, (first, last), text),),
        )

    def search_notes(self, args: SearchArgs, context: ToolContext) -> ToolOutput:
        """``data = {sections[{path, title, heading, start_line, end_line, excerpt, score, tags}]}``, best first."""
        del context
        if not args.query.strip():
            raise ToolArgumentError("query is empty; give words, a question, tag:… or path:…")
        hits = self.opened.search(args.query, args.k)
        if not hits:
            return ToolOutput(status="empty", reason=f"no note speaks of {args.query.strip()[:80]!r}")
        vault = self.opened.vault
        evidence = (note_evidence(vault, h.path, (h.start_line, h.end_line), h.excerpt, h.heading) for h in hits)
        return ToolOutput(
            summary=f"{len(hits)} sections, first {hits[0].path}:{hits[0].start_line}",
            data={"sections": [asdict(hit) for hit in hits]},
            evidence=tuple(evidence),
        )

    def get_backlinks(self, args: BacklinksArgs, context: ToolContext) -> ToolOutput:
        """``data = {path, links[{source, line, text, heading}], total}``."""
        vault = self.opened.view(context.session)
        path = find_note(vault, args.path)
        found = vault.index.backlinks(path)
        if not found:
            return ToolOutput(status="empty", reason=f"no note links to {path}", data={"path": path, "links": []})
        rows, evidence = [], []
        for source, link in found[: args.limit]:
            line = text_of(vault.read(source)).split("\n")[link.line - 1].strip()[:300]
            rows.append({"source": source, "line": link.line, "text": line, "embed": link.embed})
            evidence.append(note_evidence(vault, source, (link.line, link.line), line))
        return ToolOutput(
            summary=f"{len(found):,} links lead to {path}",
            data={"path": path, "links": rows, "total": len(found)},
            evidence=tuple(evidence[:20]),
        )

    def get_tags(self, args: TagsArgs, context: ToolContext) -> ToolOutput:
        """``data = {tags[{tag, notes}]}``, those of most notes first."""
        vault = self.opened.view(context.session)
        wanted = args.prefix.removeprefix("#").lower().strip("/")
        counted = [(tag, n) for tag, n in vault.index.tags().most_common() if tag.lower().startswith(wanted)]
        if not counted:
            return ToolOutput(status="empty", reason=f"no tag {args.prefix!r}" if wanted else "no note has a tag")
        shown = counted[: args.limit]
        listed = ", ".join(f"#{tag} ({n})" for tag, n in shown)
        return ToolOutput(
            summary=f"{len(counted):,} tags",
            data={"tags": [{"tag": tag, "notes": n} for tag, n in shown], "total": len(counted)},
            evidence=(listing_evidence(vault, "tags", len(counted), listed),),
        )

    def find_duplicate_notes(self, args: DuplicatesArgs, context: ToolContext) -> ToolOutput:
        """``data = {pairs[{first, second, alike, only_first, only_second}]}``, the most alike first."""
        vault = self.opened.view(context.session)
        found = find_duplicates(vault.index, vault.read, below=args.folder, least=args.least)
        if not found:
            return ToolOutput(status="empty", reason="no two notes say the same")
        evidence = (
            note_evidence(vault, p.first, (1, 1), f"{p.first} and {p.second}: {p.alike:.0%} alike") for p in found[:20]
        )
        return ToolOutput(
            summary=f"{len(found)} pairs of notes that say the same",
            data={"pairs": [asdict(pair) for pair in found]},
            evidence=tuple(evidence),
        )


def told_stems(vault: NotesView, path: str) -> set[str]:
    """Stems of all words of a note, of its path and of its author's name."""
    return stems_in(f"{path} {vault.index.notes[path].author} {text_of(vault.read(path))}")


LIST = "List the notes of the vault: of a folder, with a tag, dated within some days, or that hold some words."
READ = (
    "Read a note of the vault, whole or below one heading: text, tags, headings, links, and its SHA-256, which a "
    'change of it expects. Example: {"path": "projects/search.md#Decisions"}.'
)
SEARCH = "Find the sections of the team's notes that answer a question, by words and by meaning."
BACKLINKS = "List the links that lead to a note from others, each with its line."
TAGS = "List the tags of the notes, with how many notes have each."
DUPLICATES = "Find notes that say the same or nearly so, with how alike they are and what differs."


def reading_tool(
    name: str,
    purpose: str,
    description: str,
    args: type[ToolArgs],
    run: str,
    options: dict[str, Any],
    resources: Resources,
) -> Tool:
    """One of the tools. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    reading = NoteReading(resources.shared(open_vault))
    called: Callable[[Any, ToolContext], ToolOutput] = getattr(reading, run)
    return Tool(
        name=name,
        source="notes",
        key="vault.path",
        purpose=purpose,
        description=description,
        access="read",
        args=args,
        run=called,
        ping=reading.opened.ping,
        prepare=reading.opened.prepare,
    )


def build_list_notes(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool, which brings the index of notes up to date too. Raises: pydantic.ValidationError."""
    tool = reading_tool("list_notes", "list notes", LIST, ListArgs, "list_notes", options, resources)
    return replace(tool, refresh=resources.shared(open_vault).refresh)


# The librarian calls two of them by names of its own.
build_vault_list = partial(reading_tool, "vault_list", "list notes", LIST, ListArgs, "list_notes")
build_read_note = partial(reading_tool, "read_note", "read a note", READ, ReadArgs, "read_note")
build_vault_read = partial(reading_tool, "vault_read", "read a note", READ, ReadArgs, "read_note")
build_search_notes = partial(reading_tool, "search_notes", "search the notes", SEARCH, SearchArgs, "search_notes")
build_get_backlinks = partial(
    reading_tool, "get_backlinks", "see what links to a note", BACKLINKS, BacklinksArgs, "get_backlinks"
)
build_get_tags = partial(reading_tool, "get_tags", "list tags", TAGS, TagsArgs, "get_tags")
build_find_duplicate_notes = partial(
    reading_tool, "find_duplicate_notes", "find duplicates", DUPLICATES, DuplicatesArgs, "find_duplicate_notes"
)
