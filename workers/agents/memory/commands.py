"""``oracle vault``: the notes on the command line. A person's own command changes at once and shows what changed."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Any

import typer

from workers.agents.memory.source.vault.apply import apply, inverse, last_applied, undo
from workers.agents.memory.source.vault.change_diff import diff
from workers.agents.memory.source.vault.change_log import Entry
from workers.agents.memory.source.vault.changes import ChangeSet
from workers.agents.memory.source.vault.duplicates import find_duplicates, merge
from workers.agents.memory.source.vault.find_note import find_lines, find_note
from workers.agents.memory.source.vault.folder_index import create_index
from workers.agents.memory.source.vault.note import text_of
from workers.agents.memory.source.vault.note_evidence import note_row
from workers.agents.memory.source.vault.open_vault import OpenVault, open_vault
from workers.contracts import LOCAL_USER
from workers.delivery.rich_text import safe
from workers.errors import ConfigError, OracleError, ToolArgumentError
from workers.language.payload_values import encodable
from workers.settings.load import load_settings


class Verb(StrEnum):
    """What can be done."""

    LIST = "list"
    READ = "read"
    SEARCH = "search"
    BACKLINKS = "backlinks"
    TAGS = "tags"
    MOVE = "move"
    INDEX = "index"
    DUPLICATES = "duplicates"
    MERGE = "merge"
    UNDO = "undo"
    LOG = "log"


NEEDED = {Verb.READ: 1, Verb.SEARCH: 1, Verb.BACKLINKS: 1, Verb.MOVE: 2, Verb.MERGE: 2}
"""How many words a verb needs."""
MOST = {Verb.TAGS: 0, Verb.LOG: 0, Verb.SEARCH: 100, Verb.MOVE: 2, Verb.MERGE: 2}
HELP = "list [FOLDER] | read NOTE[#HEADING] | search WORDS | backlinks NOTE | tags | move A B | index [FOLDER] | "
HELP += "duplicates [FOLDER] | merge KEEP OTHER | undo [ID] | log"


def vault(
    verb: Annotated[Verb, typer.Argument(help=HELP)],
    words: Annotated[list[str] | None, typer.Argument(help="Paths, names or words, as the verb takes them.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    k: Annotated[int, typer.Option("-k", help="How many results.", min=1, max=1000)] = 50,
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Read and order the vault of notes. Links go on leading where they led, whatever moves."""
    given = [encodable(word) for word in words or []]
    least = NEEDED.get(verb, 0)
    if not least <= len(given) <= MOST.get(verb, max(least, 1)):
        raise ConfigError(f"oracle vault {verb}: it takes other words; oracle vault {HELP}")
    opened = open_vault(load_settings())
    try:
        shown = Command(opened, given, k, dry_run=dry_run).run(verb)
    except ToolArgumentError as error:
        near = f" (near: {', '.join(error.nearest[:5])})" if error.nearest else ""
        raise OracleError(f"{error}{near}") from error
    if json_out:
        print(json.dumps(shown.data, ensure_ascii=False, indent=2, default=str))
    else:
        for line in shown.lines:
            print(safe(line))


class Shown:
    """What a command prints: lines for people, data for programs."""

    def __init__(self, data: Any, lines: list[str]) -> None:
        self.data, self.lines = data, lines


class Command:
    """One command over an opened vault."""

    def __init__(self, opened: OpenVault, words: list[str], k: int, *, dry_run: bool) -> None:
        self.opened, self.words, self.k, self.dry_run = opened, words, k, dry_run

    @property
    def word(self) -> str:
        """The first word; empty when there is none."""
        return self.words[0] if self.words else ""

    def run(self, verb: Verb) -> Shown:
        """Do it."""
        shown: Shown = getattr(self, verb.value)()
        return shown

    def list(self) -> Shown:
        """Notes of a folder."""
        vault = self.opened.current()
        below = vault.index.below(self.word.strip("/"))
        rows = [note_row(vault, path) for path in below if path in vault.index.notes]
        return Shown(rows, [row["path"] + "".join(f"  #{tag}" for tag in row["tags"][:5]) for row in rows])

    def read(self) -> Shown:
        """A note, or one section of it."""
        vault = self.opened.current()
        path, (first, last) = find_lines(vault, self.word)
        lines = text_of(vault.read(path)).split("\n")
        text = "\n".join(lines[first - 1 : last or len(lines)])
        return Shown({"path": path, "start_line": first, "text": text}, text.splitlines())

    def search(self) -> Shown:
        """Sections that answer."""
        hits = self.opened.search(" ".join(self.words), min(self.k, 10) if self.k == 50 else self.k)
        lines = []
        for hit in hits:
            head = f"{hit.path}:{hit.start_line}-{hit.end_line}  {hit.heading}  {hit.score:.2f}"
            lines += [head, *(f"    {line}" for line in hit.excerpt.splitlines()[:4])]
        return Shown([asdict(hit) for hit in hits], lines or ["nothing found"])

    def backlinks(self) -> Shown:
        """Links that lead to a note."""
        vault = self.opened.current()
        path = find_note(vault, self.word)
        rows = []
        for source, link in vault.index.backlinks(path)[: self.k]:
            text = text_of(vault.read(source)).split("\n")[link.line - 1].strip()
            rows.append({"source": source, "line": link.line, "text": text[:300]})
        return Shown(rows, [f"{r['source']}:{r['line']}  {r['text']}" for r in rows] or [f"no note links to {path}"])

    def tags(self) -> Shown:
        """Tags with how many notes have each."""
        counted = self.opened.current().index.tags().most_common(self.k)
        return Shown([{"tag": tag, "notes": n} for tag, n in counted], [f"{n:6}  #{tag}" for tag, n in counted])

    def move(self) -> Shown:
        """Move or rename a note, an attachment or a folder."""
        staging = self.opened.stage()
        source, target = self.words
        moved = staging.move(source, target)
        title = f"Move {source} to {target}"
        return self.change(staging.change_set(title), f"{moved.links} links rewritten{moved.note}")

    def index(self) -> Shown:
        """Write the index of a folder, or an overview of all."""
        staging = self.opened.stage()
        place = create_index(staging, self.word)
        return self.change(staging.change_set(f"Write the index {place}"), place)

    def duplicates(self) -> Shown:
        """Notes that say the same."""
        vault = self.opened.current()
        pairs = find_duplicates(vault.index, vault.read, below=self.word)[: self.k]
        lines = []
        for pair in pairs:
            lines.append(f"{pair.alike:.0%}  {pair.first}  =  {pair.second}")
            lines += [f"      - {' '.join(text.split())[:110]}" for text in pair.only_first]
            lines += [f"      + {' '.join(text.split())[:110]}" for text in pair.only_second]
        return Shown([asdict(pair) for pair in pairs], lines or ["no two notes say the same"])

    def merge(self) -> Shown:
        """Put one note into another."""
        staging = self.opened.stage()
        gone = staging.find(self.words[1])
        kept = merge(staging, *self.words)
        return self.change(staging.change_set(f"Put {gone} into {kept}"), kept)

    def undo(self) -> Shown:
        """Take a change back."""
        log = self.opened.log
        if self.dry_run:
            entry = log.entry(self.word) if self.word else last_applied(log)
            return self.change(inverse(entry, log, f"undo: {entry.title}"), entry.id)
        return told(undo(self.opened.current(), log, self.word, user=LOCAL_USER), "")

    def log(self) -> Shown:
        """What was changed, newest first."""
        entries = self.opened.log.entries(self.k)
        lines = [f"{e.id}  {e.state:7}  {len(e.steps):4} files  {e.title}" for e in entries]
        return Shown([e.model_dump(mode="json") for e in entries], lines or ["nothing was changed yet"])

    def change(self, changes: ChangeSet, note: str) -> Shown:
        """Make changes, or only show them."""
        preview = diff(changes, self.opened.vault.read) if changes.changes else ""
        if self.dry_run or not changes.changes:
            head = f"would: {changes.title}" if changes.changes else "nothing would change"
            files = [change.path for change in changes.changes]
            return Shown(
                {"title": changes.title, "files": files, "diff": preview, "note": note},
                [*preview.splitlines(), f"{head} ({note})"],
            )
        return told(apply(self.opened.vault, changes, self.opened.log, user=LOCAL_USER), preview, note)


def told(entry: Entry, preview: str, note: str = "") -> Shown:
    """A change that was made."""
    files = sorted({path for step in entry.steps for path in (step.path, step.moved_from) if path})
    data = {"id": entry.id, "title": entry.title, "files": files, "commit": entry.commit, "diff": preview, "note": note}
    commit = f", commit {entry.commit[:7]}" if entry.commit else ""
    more = f" ({note})" if note else ""
    print(safe(f"{entry.title}{more}{commit}; oracle vault undo {entry.id}"), file=sys.stderr)
    return Shown(data, preview.splitlines())
