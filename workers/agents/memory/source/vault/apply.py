"""A set of changes made on disk: all of it or nothing, and never over what somebody else wrote meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from workers.agents.memory.source.vault.change_log import MOST_KEPT_BYTES, ChangeLog, Entry, Step
from workers.agents.memory.source.vault.changes import Change, ChangeSet
from workers.agents.memory.source.vault.git_commit import commit
from workers.agents.memory.source.vault.note import MOST_BODY_BYTES, sha256_of
from workers.agents.memory.source.vault.note_paths import check_path, folder_of, is_note, key_of, name_of
from workers.agents.memory.source.vault.vault import Vault
from workers.errors import ToolArgumentError, ToolUnavailable, VaultConflict

ADVICE = "nothing was changed; look at it and try again"


def apply(vault: Vault, changes: ChangeSet, log: ChangeLog, *, user: str = "", undoes: str = "") -> Entry:
    """Make changes.

    Args:
        vault: whose index follows.
        changes: what has to stand there now, and what shall.
        log: where it is written down, so that `undo` can take it back.
        user: for whom.
        undoes: the id of the entry that this takes back.

    Returns: the log's entry.

    Raises:
        VaultConflict: a file is not as the changes expect; it names those files, and nothing was changed.
        ToolArgumentError: a path may not be used, or a note would be over 1 MiB.
        ToolUnavailable: the disk refuses; what was begun was taken back.
    """
    if not changes.changes:
        raise ToolArgumentError("there is nothing to change")
    for change in changes.changes:
        for path in {change.path, change.source}:
            vault.place(check_path(path))
    with log.locked(), vault.lock:
        recover(vault, log)
        vault.refresh(named for c in changes.changes for named in (c.path, c.source))
        steps = check(vault, changes, log)
        entry = Entry(id=log.new_id(), at=datetime.now(UTC), title=changes.title, user=user, undoes=undoes, steps=steps)
        log.write(entry)
        try:
            make(vault, changes, entry)
        except BaseException as error:
            log.write(entry.model_copy(update={"state": "failed"}))
            if isinstance(error, OSError):
                raise ToolUnavailable(f"{error.filename or vault.root}: {error.strerror}; {ADVICE}") from error
            raise
        touched = [path for step in steps for path in (step.path, step.moved_from) if path]
        vault.refresh(touched)
        done = entry.model_copy(update={"state": "applied", "commit": commit(vault.root, touched, changes.title)})
        log.write(done)
        log.prune()
        return done


def undo(vault: Vault, log: ChangeLog, name: str = "", *, user: str = "") -> Entry:
    """Take a change back, unless one of its files was changed since.

    Args:
        vault: where.
        log: that holds the entry.
        name: the entry's id or the start of it; empty for the last change that was not taken back.
        user: for whom.

    Raises: as `apply`.
    """
    entry = log.entry(name) if name else last_applied(log)
    if entry.state != "applied":
        raise ToolArgumentError(f"{entry.id} ({entry.title}) is {entry.state}, so there is nothing to take back")
    title = entry.title.removeprefix("undo: ") if entry.undoes else f"undo: {entry.title}"
    done = apply(vault, inverse(entry, log, title), log, user=user, undoes=entry.id)
    log.write(entry.model_copy(update={"state": "undone"}))
    return done


def last_applied(log: ChangeLog) -> Entry:
    """The newest change that stands. Raises: ToolArgumentError: there is none."""
    for entry in log.entries(500):
        if entry.state == "applied" and not entry.undoes:
            return entry
    raise ToolArgumentError("no change is in the log that could be taken back")


def inverse(entry: Entry, log: ChangeLog, title: str) -> ChangeSet:
    """The changes that take an entry back."""
    out = []
    for step in entry.steps:
        if step.moved_from:
            body = log.body(step.before or "") if step.replaced else None
            out.append(Change(path=step.moved_from, moved_from=step.path, before=step.after, after=body))
        elif step.before is None:
            out.append(Change(path=step.path, before=step.after))
        else:
            out.append(Change(path=step.path, before=step.after, after=log.body(step.before)))
    return ChangeSet(title=title, changes=tuple(out))


def check(vault: Vault, changes: ChangeSet, log: ChangeLog) -> tuple[Step, ...]:
    """Hold every change against the disk, and keep what it replaces. Raises: as `apply`."""
    vacated = {c.source for c in changes.changes if c.moved_from or c.deletes}
    sources = [c.source for c in changes.changes if c.before]
    targets = [c.path for c in changes.changes if not c.deletes]
    if len(set(sources)) < len(sources) or len(set(targets)) < len(targets):
        raise ToolArgumentError("two changes are of the same file")
    wrong, steps = [], []
    for change in changes.changes:
        if is_note(change.path) and len(change.after or b"") > MOST_BODY_BYTES:
            raise ToolArgumentError(f"{change.path}: a note holds at most 1 MiB")
        held = read_if_there(vault.place(change.source))
        found = None if held is None else sha256_of(held)
        if (change.before is None or change.moved_from) and taken(vault, change.path, vacated):
            wrong.append(change.path)
        elif (change.before or change.moved_from) and (found is None or found != change.before):
            wrong.append(change.source)
        steps.append(step_of(change, held, log))
    if wrong:
        raise VaultConflict(said_conflict(wrong), tuple(wrong))
    return tuple(steps)


def taken(vault: Vault, path: str, vacated: set[str]) -> bool:
    """Whether something stands at a path, but for capital letters perhaps, and does not leave it."""
    folder, name = folder_of(path), key_of(name_of(path))
    try:
        same = [place.name for place in (vault.root / folder).iterdir() if key_of(place.name) == name]
    except (FileNotFoundError, NotADirectoryError):
        return False
    return any(f"{folder}/{one}".lstrip("/") not in vacated for one in same)


def step_of(change: Change, held: bytes | None, log: ChangeLog) -> Step:
    """A change as the log holds it. Raises: ToolArgumentError: what it replaces is too large to be kept."""
    after = change.before if change.after is None and change.moved_from else None
    if change.after is not None:
        after = sha256_of(change.after)
    replaced = change.before is not None and after != change.before
    if replaced and held is not None:
        if len(held) > MOST_KEPT_BYTES:
            raise ToolArgumentError(f"{change.source} is too large to be kept for an undo; delete it yourself")
        log.keep(held)
    return Step(path=change.path, moved_from=change.moved_from, before=change.before, after=after, replaced=replaced)


def said_conflict(paths: list[str]) -> str:
    """Which files are not as expected."""
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return f"{', '.join(paths[:3])}{more}: changed by somebody else since this was proposed; {ADVICE}"


def read_if_there(place: Path) -> bytes | None:
    """What a file holds; None when there is none."""
    try:
        return place.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        return b""
    except OSError as error:
        raise ToolUnavailable(f"{place.name} cannot be read: {error.strerror}") from error


def aside(vault: Vault, entry: Entry, number: int) -> Path:
    """Where a step's file waits, beside the place that it comes from or goes to."""
    step = entry.steps[number]
    folder = vault.root / folder_of(step.path)
    return folder / f".oracle-{entry.id}-{number}"


def make(vault: Vault, changes: ChangeSet, entry: Entry) -> None:
    """Make every step: first what leaves its place is put aside, then the new is put there.

    Raises: OSError, VaultConflict: everything was taken back.
    """
    back: list[Callable[[], object]] = []
    waiting: list[Path] = []
    try:
        for number, change in enumerate(changes.changes):
            vault.place(change.path).parent.mkdir(parents=True, exist_ok=True)
            if change.moved_from or change.deletes:
                put_aside(vault, change, aside(vault, entry, number), back)
                waiting.append(aside(vault, entry, number))
        for number, change in enumerate(changes.changes):
            if not change.deletes:
                put_in_place(vault, change, aside(vault, entry, number), back)
    except BaseException:
        for step in reversed(back):
            step()
        for change in changes.changes:
            remove_empty(vault.root, folder_of(change.path))
        raise
    for place in waiting:
        place.unlink(missing_ok=True)
    for change in changes.changes:
        if change.moved_from or change.deletes:
            remove_empty(vault.root, folder_of(change.source))


def put_aside(vault: Vault, change: Change, waiting: Path, back: list[Callable[[], object]]) -> None:
    """Take a file from its place, and see that it is what was expected. Raises: OSError, VaultConflict."""
    source = vault.place(change.source)
    try:
        source.rename(waiting)
    except FileNotFoundError as error:
        raise VaultConflict(said_conflict([change.source]), (change.source,)) from error
    back.append(lambda: waiting.rename(source))
    if sha256_of(waiting.read_bytes()) != change.before:
        raise VaultConflict(said_conflict([change.source]), (change.source,))


def put_in_place(vault: Vault, change: Change, waiting: Path, back: list[Callable[[], object]]) -> None:
    """Put a step's file where it belongs. Raises: OSError, VaultConflict."""
    target = vault.place(change.path)
    if change.after is None:
        link_or_rename(waiting, target)
        back.append(target.unlink)
        return
    new = waiting.with_name(f"{waiting.name}-new")
    with new.open("xb") as opened:
        opened.write(change.after)
        opened.flush()
        os.fsync(opened.fileno())
    try:
        if change.moved_from or change.before is None:
            if change.moved_from:
                new.chmod(stat.S_IMODE(waiting.stat().st_mode))
            link_or_rename(new, target)
            back.append(target.unlink)
            return
        held = target.read_bytes()
        if sha256_of(held) != change.before:
            raise VaultConflict(said_conflict([change.path]), (change.path,))
        new.chmod(stat.S_IMODE(target.stat().st_mode))
        new.replace(target)
        back.append(lambda: restore(target, held))
    finally:
        new.unlink(missing_ok=True)


def link_or_rename(source: Path, target: Path) -> None:
    """Give a file a name that must be free. Raises: VaultConflict: somebody took it; OSError."""
    try:
        os.link(source, target)
    except FileExistsError as error:
        raise VaultConflict(said_conflict([target.name]), (target.name,)) from error
    except OSError:  # a file system without hard links
        if target.exists():
            raise VaultConflict(said_conflict([target.name]), (target.name,)) from None
        source.rename(target)


def restore(place: Path, raw: bytes) -> None:
    """Give a file its text back."""
    new = place.with_name(f".oracle-back-{os.urandom(4).hex()}")
    new.write_bytes(raw)
    new.replace(place)


def remove_empty(root: Path, folder: str) -> None:
    """Remove a folder that holds nothing any more, and those above it."""
    while folder:
        try:
            (root / folder).rmdir()
        except OSError:
            return
        folder = folder_of(folder)


def recover(vault: Vault, log: ChangeLog) -> None:
    """Take back what a process began and did not end, file by file where it is still as that process left it."""
    for entry in log.entries(5):
        if entry.state != "pending":
            continue
        for number, step in enumerate(entry.steps):
            source, target = vault.place(step.moved_from or step.path), vault.place(step.path)
            waiting = aside(vault, entry, number)
            held = read_if_there(target)
            is_ours = held is not None and sha256_of(held) == step.after
            if is_ours and (step.moved_from or step.before is None):
                if step.before is not None and not waiting.exists():
                    restore(waiting, log.body(step.before) if step.replaced else held or b"")
                target.unlink()
            elif is_ours and step.replaced and step.before:
                restore(target, log.body(step.before))
            if step.replaced and step.before and not waiting.exists() and not source.exists():
                waiting.parent.mkdir(parents=True, exist_ok=True)
                restore(waiting, log.body(step.before))
            if waiting.exists():
                if source.exists():
                    waiting.unlink()
                else:
                    source.parent.mkdir(parents=True, exist_ok=True)
                    waiting.rename(source)
            waiting.with_name(f"{waiting.name}-new").unlink(missing_ok=True)
            remove_empty(vault.root, folder_of(step.path))
        log.write(entry.model_copy(update={"state": "failed"}))
        vault.refresh()
