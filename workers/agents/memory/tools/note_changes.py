"""The tools that change the vault of notes. Each proposes; a person confirms, and then it runs.

A proposal carries the hashes of what it expects to find, so that a note that somebody changed meanwhile stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pydantic import Field

from workers.agents.memory.source.vault.apply import apply
from workers.agents.memory.source.vault.change_diff import diff
from workers.agents.memory.source.vault.changes import MOST_CHANGES, ChangeSet
from workers.agents.memory.source.vault.duplicates import merge
from workers.agents.memory.source.vault.find_note import PATH, find_note
from workers.agents.memory.source.vault.folder_index import create_index
from workers.agents.memory.source.vault.note import MOST_BODY_BYTES, sha256_of
from workers.agents.memory.source.vault.note_paths import MOST_PATH_CHARS, folder_of
from workers.agents.memory.source.vault.open_vault import Calls, OpenVault, open_vault
from workers.agents.memory.source.vault.staging import Staging
from workers.agents.memory.source.vault.vault import NotesView
from workers.contracts import Proposal, ToolOutput
from workers.errors import ToolArgumentError, VaultConflict
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
    same_folder: bool = Field(default=False, description="target is a new name in the folder where source is")


class IndexArgs(ToolArgs):
    """Which folder."""

    folder: str = Field("", max_length=MOST_PATH_CHARS, description="a folder; empty: an overview of the vault")


class MergeArgs(ToolArgs):
    """Which two notes."""

    keep: str = Field("", max_length=MOST_PATH_CHARS, description="the note that stays")
    other: str = Field("", max_length=MOST_PATH_CHARS, description="the note whose text is added to it")


class ApplyArgs(ToolArgs):
    """What a request proposed: its calls, in their order, and what they come to."""

    title: str = Field("", max_length=TITLE_CHARS, description="what it does, in one sentence")
    calls: list[dict[str, Any]] = Field(default_factory=list, max_length=1_000, description="each {tool, args}")
    changes: list[dict[str, str]] = Field(
        default_factory=list, max_length=MOST_CHANGES, description="each {path, moved_from, before, after}, as SHA-256"
    )


class NoteChanging:
    """The tools' functions, over one vault."""

    def __init__(self, opened: OpenVault) -> None:
        self.opened = opened

    def propose(self, changes: ChangeSet, view: NotesView, calls: Calls, session: str) -> ToolOutput:
        """Changes that wait for a person, as one call of apply_changes. ``data = {files, diff}``.

        The proposal is kept in the log, which takes secrets out of texts: so it holds the calls and hashes, and what
        the notes hold is read from the notes again when it is confirmed.

        Args:
            changes: all that the request would change.
            view: the notes as they are before.
            calls: that propose them, in their order.
            session: of the calls; what they propose later takes the place of this.
        """
        if not changes.changes:
            return ToolOutput(status="empty", reason="nothing would change")
        if sum(len(str(call["args"].get("body", ""))) for call in calls) > MOST_PROPOSED_CHARS:
            raise ToolArgumentError("this writes too much to be proposed at once; propose less")
        shown = diff(changes, view.read)
        args = ApplyArgs(
            title=changes.title, calls=[dict(call) for call in calls], changes=hashes_of(changes)
        ).model_dump()
        files = [change.path for change in changes.changes]
        return ToolOutput(
            summary=f"proposed, not done: {changes.title}",
            data={"files": files[:200], "diff": shown},
            proposals=(Proposal(tool=APPLY, args=args, title=changes.title, preview=shown, key=f"notes:{session}"),),
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
        if args.body.count(REDACTED) > (staging.text(path).count(REDACTED) if held else 0):
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
        target = args.target
        if args.same_folder and "/" not in target:
            source = args.source.strip("/ ")
            folder = folder_of(source if source in staging.index.folders() else staging.find(source))
            target = f"{folder}/{target}".lstrip("/")
        moved = staging.move(args.source, target)
        old, new = next(iter(moved.mapping.items()))
        what = f"{old} to {new}" if len(moved.mapping) == 1 else f"{len(moved.mapping)} files of {args.source}"
        return f"Move {what}{f', {moved.links} links follow' if moved.links else ''}{moved.note}"

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


STAGES: Mapping[str, tuple[type[ToolArgs], Callable[[NoteChanging, Any, Staging], str]]] = {
    "write_note": (WriteArgs, NoteChanging.write),
    "vault_write": (WriteArgs, NoteChanging.write),
    "delete_note": (DeleteArgs, NoteChanging.delete),
    "vault_move": (MoveArgs, NoteChanging.move),
    "vault_create_index": (IndexArgs, NoteChanging.index),
    "vault_merge": (MergeArgs, NoteChanging.merge),
}
"""Each tool's arguments, and what stages its change and says in a sentence what it does."""


def hashes_of(changes: ChangeSet) -> list[dict[str, str]]:
    """Each file that changes: ``{path, moved_from, before, after}``, the last two as SHA-256, empty for none."""
    rows = []
    for one in changes.changes:
        after = "" if one.after is None else sha256_of(one.after)
        rows.append({"path": one.path, "moved_from": one.moved_from, "before": one.before or "", "after": after})
    return rows


def staged_again(changing: NoteChanging, args: ApplyArgs) -> ChangeSet:
    """What was proposed, from the notes as they are now.

    Raises:
        ToolArgumentError: the calls cannot be made any more, or are none.
        VaultConflict: they come to something else by now.
    """
    staging = changing.opened.stage()
    for call in args.calls:
        arguments, stage = STAGES[call["tool"]]
        stage(changing, arguments.model_validate(call["args"]), staging)
    changes = staging.change_set(args.title)
    found = hashes_of(changes)
    differing = [row for row in (*args.changes, *found) if row not in args.changes or row not in found]
    if differing:
        paths = tuple(dict.fromkeys(row.get("moved_from") or row.get("path", "") for row in differing))
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        raise VaultConflict(
            f"{', '.join(paths[:3])}{more}: changed since this was proposed; nothing was changed", paths
        )
    return changes


def expected(path: str, wanted: str, held: str | None) -> None:
    """Refuse to change what is not as expected. Raises: VaultConflict."""
    if wanted == NEW and held is not None:
        raise VaultConflict(f"{path} exists by now; nothing was changed", (path,))
    if wanted and wanted not in {NEW, held}:
        raise VaultConflict(
            f"{path} was changed by somebody else meanwhile; read it again; nothing was changed", (path,)
        )


def changing_tool(name: str, purpose: str, description: str, options: dict[str, Any], resources: Resources) -> Tool:
    """One of the tools. Later calls of the same request see what it proposes, and propose it with their own.

    Raises: pydantic.ValidationError: an option is given.
    """
    NoOptions.model_validate(options)
    changing = NoteChanging(resources.shared(open_vault))
    opened = changing.opened
    arguments, stage = STAGES[name]

    def propose(args: Any, context: ToolContext) -> ToolOutput:
        staging, before = opened.staged(context.session)
        title = stage(changing, args, staging)
        calls = (*before, {"title": title, "tool": name, "args": args.model_dump()})
        changes = staging.change_set("; ".join(call["title"] for call in calls)[:TITLE_CHARS])
        output = changing.propose(changes, staging.vault, calls, context.session)
        if output.proposals:
            opened.keep(context.session, staging, calls)
        return output

    def run(args: Any, context: ToolContext) -> ToolOutput:
        staging = opened.stage()
        title = stage(changing, args, staging)
        return changing.done(staging.change_set(title), context)

    return Tool(
        name=name,
        source="notes",
        key="vault.path",
        purpose=purpose,
        description=f"{description} A person confirms it first.",
        access="write",
        args=arguments,
        run=run,
        propose=propose,
        ping=opened.ping,
        prepare=opened.prepare,
        personal=True,
    )


WRITE = "Write a note of the vault, a new one or all of the text of one that is there."
MOVE = "Move or rename a note, an attachment or a folder of the vault; every link goes on leading to it."
INDEX = "Write the index note of a folder: its notes as links with half a sentence of each; or an overview of all."
MERGE = "Put one note into another: what only it says is added, links to it lead to the other, it is deleted."
build_write_note = partial(changing_tool, "write_note", "write a note", WRITE)
build_vault_write = partial(changing_tool, "vault_write", "write a note", WRITE)  # the librarian's name of it
build_delete_note = partial(changing_tool, "delete_note", "delete a note", "Delete a note of the vault.")
build_vault_move = partial(changing_tool, "vault_move", "move notes", MOVE)
build_vault_create_index = partial(changing_tool, "vault_create_index", "write an index", INDEX)
build_vault_merge = partial(changing_tool, "vault_merge", "merge two notes", MERGE)


def build_apply_changes(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool that makes what the others proposed: nobody calls it but who confirms.

    Raises: pydantic.ValidationError.
    """
    NoOptions.model_validate(options)
    changing = NoteChanging(resources.shared(open_vault))
    opened = changing.opened

    def run(args: ApplyArgs, context: ToolContext) -> ToolOutput:
        return changing.done(staged_again(changing, args), context)

    return Tool(
        name=APPLY,
        source="notes",
        key="vault.path",
        purpose="change notes",
        description="Make the changes of notes that a request proposed, all of them or nothing.",
        access="write",
        args=ApplyArgs,
        run=run,
        ping=opened.ping,
        prepare=opened.prepare,
        personal=True,
    )
