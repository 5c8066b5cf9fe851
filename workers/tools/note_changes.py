"""The tools that change the vault of notes. Each proposes; a person confirms, and then it runs.

A proposal carries the hashes of what it expects to find, so that a note that somebody changed meanwhile stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import Field

from workers.contracts import Proposal, ToolOutput
from workers.errors import ToolArgumentError, VaultConflict
from workers.memory.vault.apply import apply
from workers.memory.vault.change_diff import diff
from workers.memory.vault.changes import Change, ChangeSet
from workers.memory.vault.duplicates import merge
from workers.memory.vault.find_note import PATH, find_note
from workers.memory.vault.folder_index import create_index
from workers.memory.vault.note import MOST_BODY_BYTES
from workers.memory.vault.note_paths import MOST_PATH_CHARS
from workers.memory.vault.open_vault import OpenVault, open_vault
from workers.memory.vault.staging import Staging
from workers.memory.vault.vault import NotesView
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

MOST_PROPOSED_CHARS = 8_000_000
APPLY, TITLE_CHARS = "apply_changes", 500
REDACTED = "[redacted:"
NEW = "new"
EXPECTED = f"SHA-256 of the note as you read it; {NEW!r}: there must be none; empty: as it is now"


class WriteArgs(ToolArgs):
    """A note's new text."""

    path: str = Field("", max_length=MOST_PATH_CHARS, description="path of the note, such as projects/search.md")
    body: str = Field("", max_length=MOST_BODY_BYTES, description="all of its text, Markdown; at most 1 MiB")
    expected_sha256: str = Field("", max_length=64, description=EXPECTED)


class DeleteArgs(ToolArgs):
    """Which note."""

    path: str = Field("", max_length=MOST_PATH_CHARS, description=PATH)
    expected_sha256: str = Field("", max_length=64, description=EXPECTED)


class MoveArgs(ToolArgs):
    """What moves where."""

    source: str = Field("", max_length=MOST_PATH_CHARS, description="path of a note, an attachment or a folder")
    target: str = Field(
        "", max_length=MOST_PATH_CHARS, description="its path afterwards; with / at the end it keeps its name"
    )


class IndexArgs(ToolArgs):
    """Which folder."""

    folder: str = Field("", max_length=MOST_PATH_CHARS, description="a folder; empty: an overview of the vault")


class MergeArgs(ToolArgs):
    """Which two notes."""

    keep: str = Field("", max_length=MOST_PATH_CHARS, description="the note that stays")
    other: str = Field("", max_length=MOST_PATH_CHARS, description="the note whose text is added to it")


class ApplyArgs(ToolArgs):
    """A set of changes, as another tool proposed it."""

    title: str = Field("", max_length=500, description="what it does, in one sentence")
    changes: list[dict[str, Any]] = Field(
        default_factory=list, max_length=20_000, description="each {path, before, after, moved_from}"
    )


class NoteChanging:
    """The tools' functions, over one vault."""

    def __init__(self, opened: OpenVault) -> None:
        self.opened = opened

    def propose(self, changes: ChangeSet, view: NotesView, session: str = "") -> ToolOutput:
        """Changes that wait for a person, as one call of apply_changes. ``data = {files, diff}``.

        Args:
            changes: all that the request would change.
            view: the notes as they are before.
            session: of the calls; what they propose later takes the place of this.
        """
        if not changes.changes:
            return ToolOutput(status="empty", reason="nothing would change")
        if sum(len(change.after or b"") for change in changes.changes) > MOST_PROPOSED_CHARS:
            raise ToolArgumentError("this changes too much to be proposed; `oracle vault` on the command line does it")
        shown, args = diff(changes, view.read), changes.model_dump(mode="json")
        files = [change.path for change in changes.changes]
        key = f"notes:{session}" if session else ""
        return ToolOutput(
            summary=f"proposed, not done: {changes.title}",
            data={"files": files[:200], "diff": shown},
            proposals=(Proposal(tool=APPLY, args=args, title=changes.title, preview=shown, key=key),),
        )

    def done(self, changes: ChangeSet, context: ToolContext) -> ToolOutput:
        """Changes made. ``data = {id, files, commit}``. Raises: as `vault.apply.apply`."""
        entry = apply(self.opened.vault, changes, self.opened.log, user=context.user)
        files = sorted({path for step in entry.steps for path in (step.path, step.moved_from) if path})
        return ToolOutput(
            summary=f"{entry.title} ({len(entry.steps)} files; `oracle vault undo {entry.id}` takes it back)",
            data={"id": entry.id, "files": files[:500], "commit": entry.commit},
        )

    def write(self, args: WriteArgs, staging: Staging) -> str:
        """Stage a note's text. Returns: what it does, in a sentence. Raises: ToolArgumentError, VaultConflict."""
        path = args.path.strip()
        held = staging.index.notes.get(path)
        if REDACTED in args.body and (held is None or REDACTED not in staging.text(path)):
            raise ToolArgumentError("the text holds the mark of a secret that was taken out; write around it instead")
        expected(path, args.expected_sha256, held.sha256 if held else None)
        staging.write(path, args.body)
        return f"{'Change' if held else 'Write'} the note {path}"

    def delete(self, args: DeleteArgs, staging: Staging) -> str:
        """Stage that a note is deleted. Raises: ToolArgumentError, VaultConflict."""
        path = find_note(staging, args.path)
        held = staging.index.notes.get(path)
        if held is None:
            raise ToolArgumentError(f"{path} is no note")
        expected(path, args.expected_sha256, held.sha256)
        links = len(staging.index.backlinks(path))
        staging.delete(path)
        return f"Delete the note {path}" + (f", to which {links} links lead" if links else "")

    def move(self, args: MoveArgs, staging: Staging) -> str:
        """Stage a move. Raises: ToolArgumentError, VaultConflict."""
        if not args.source.strip():
            raise ToolArgumentError("source is empty; give the path of a note, an attachment or a folder")
        moved = staging.move(args.source, args.target)
        old, new = next(iter(moved.mapping.items()))
        what = f"{old} to {new}" if len(moved.mapping) == 1 else f"{len(moved.mapping)} files of {args.source}"
        caught = f"; {moved.caught} links that led nowhere now lead to it" if moved.caught else ""
        return f"Move {what}{f', {moved.links} links follow' if moved.links else ''}{caught}"

    def index(self, args: IndexArgs, staging: Staging) -> str:
        """Stage an index note. Raises: ToolArgumentError."""
        if not staging.index.notes:
            raise ToolArgumentError("the vault has no notes")
        return f"Write the index {create_index(staging, args.folder)}"

    def merge(self, args: MergeArgs, staging: Staging) -> str:
        """Stage a merge. Raises: ToolArgumentError, VaultConflict."""
        if not args.keep.strip() or not args.other.strip():
            raise ToolArgumentError("keep and other are the paths of two notes")
        gone = staging.find(args.other)
        return f"Put {gone} into {merge(staging, args.keep, args.other)}"


Stage = Callable[[NoteChanging, Any, Staging], str]


def change_set(args: ApplyArgs) -> ChangeSet:
    """Changes from JSON. Raises: ToolArgumentError: they are none."""
    if not args.changes:
        raise ToolArgumentError("changes is empty; it holds what another tool proposed")
    try:
        changes = tuple(Change.model_validate(change) for change in args.changes)
    except ValueError as error:
        raise ToolArgumentError("changes: each is {path, before, after, moved_from}") from error
    return ChangeSet(title=args.title or "Change notes", changes=changes)


def expected(path: str, wanted: str, held: str | None) -> None:
    """Refuse to change what is not as expected. Raises: VaultConflict."""
    if wanted == NEW and held is not None:
        raise VaultConflict(f"{path} exists by now; nothing was changed", (path,))
    if wanted and wanted not in {NEW, held}:
        raise VaultConflict(
            f"{path} was changed by somebody else meanwhile; read it again; nothing was changed", (path,)
        )


def changing_tool(
    name: str,
    purpose: str,
    description: str,
    args: type[ToolArgs],
    stage: Stage,
    resources: Resources,
) -> Tool:
    """One of the tools. Later calls of the same request see what it proposes, and propose it with their own."""
    changing = NoteChanging(resources.shared(open_vault))
    opened = changing.opened

    def propose(args: Any, context: ToolContext) -> ToolOutput:
        staging, before = opened.staged(context.session)
        titles = (*before, stage(changing, args, staging))
        changes = staging.change_set("; ".join(titles)[:TITLE_CHARS])
        output = changing.propose(changes, staging.vault, context.session)
        if output.proposals:
            opened.keep(context.session, staging, titles)
        return output

    def run(args: Any, context: ToolContext) -> ToolOutput:
        staging = opened.stage()
        title = stage(changing, args, staging)
        return changing.done(staging.change_set(title), context)

    return Tool(
        name=name,
        purpose=purpose,
        description=f"{description} A person confirms it first.",
        access="write",
        args=args,
        run=run,
        propose=propose,
        ping=opened.ping,
        prepare=opened.prepare,
        personal=True,
    )


def writing_tool(name: str, options: dict[str, Any], resources: Resources) -> Tool:
    """write_note under one of its names. Raises: pydantic.ValidationError."""
    NoOptions.model_validate(options)
    description = "Write a note of the vault, a new one or all of the text of one that is there."
    return changing_tool(name, "write a note", description, WriteArgs, NoteChanging.write, resources)


def build_write_note(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    return writing_tool("write_note", options, resources)


def build_vault_write(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the same tool under the librarian's name. Raises: pydantic.ValidationError."""
    return writing_tool("vault_write", options, resources)


def build_delete_note(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    NoOptions.model_validate(options)
    what = "Delete a note of the vault."
    return changing_tool("delete_note", "delete a note", what, DeleteArgs, NoteChanging.delete, resources)


def build_vault_move(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    NoOptions.model_validate(options)
    what = "Move or rename a note, an attachment or a folder of the vault; every link goes on leading to it."
    return changing_tool("vault_move", "move notes", what, MoveArgs, NoteChanging.move, resources)


def build_vault_create_index(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    NoOptions.model_validate(options)
    what = "Write the index note of a folder: its notes as links with half a sentence of each; or an overview of all."
    return changing_tool("vault_create_index", "write an index", what, IndexArgs, NoteChanging.index, resources)


def build_vault_merge(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    NoOptions.model_validate(options)
    what = "Put one note into another: what only it says is added, links to it lead to the other, it is deleted."
    return changing_tool("vault_merge", "merge two notes", what, MergeArgs, NoteChanging.merge, resources)


def build_apply_changes(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError."""
    NoOptions.model_validate(options)
    changing = NoteChanging(resources.shared(open_vault))
    opened = changing.opened

    def propose(args: ApplyArgs, context: ToolContext) -> ToolOutput:
        changes = change_set(args)
        return changing.propose(changes, opened.view(context.session))

    def run(args: ApplyArgs, context: ToolContext) -> ToolOutput:
        return changing.done(change_set(args), context)

    return Tool(
        name=APPLY,
        purpose="change notes",
        description="Make a set of changes of notes that was staged, all of it or nothing. A person confirms it first.",
        access="write",
        args=ApplyArgs,
        run=run,
        propose=propose,
        ping=opened.ping,
        prepare=opened.prepare,
        personal=True,
    )
