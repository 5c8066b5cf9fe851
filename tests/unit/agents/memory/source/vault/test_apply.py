"""Changes on disk: all or nothing, never over what somebody else wrote, taken back, committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.git_repositories import run_git
from tests.support.vault_reference import read_vault
from tests.support.vaults import make_vault, moved
from workers.agents.memory.source.vault import apply as applying
from workers.agents.memory.source.vault.apply import apply, undo
from workers.agents.memory.source.vault.change_diff import diff
from workers.agents.memory.source.vault.change_log import ChangeLog
from workers.agents.memory.source.vault.changes import Change, ChangeSet
from workers.agents.memory.source.vault.note import sha256_of
from workers.agents.memory.source.vault.staging import Staging
from workers.agents.memory.source.vault.vault import Vault
from workers.errors import ToolArgumentError, ToolUnavailable, VaultConflict

FILES: dict[str, str | bytes] = {
    "A.md": "# A\n[[B]]\n",
    "B.md": "b\r\n",
    "sub/C.md": "[[A]] [[B]]\n",
    "pic.png": b"\x89\0\xff",
}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return make_vault(tmp_path / "vault", FILES)


@pytest.fixture
def log(tmp_path: Path) -> ChangeLog:
    return ChangeLog(tmp_path / "log")


def staged(vault: Vault) -> ChangeSet:
    staging = Staging(vault)
    staging.write("A.md", "new\n")
    staging.write("deep/er/New.md", "[[A]]\n")
    staging.delete("B.md")
    staging.move("pic.png", "img/pic.png")
    return staging.change_set("several things")


def test_a_folder_that_does_not_exist_is_made_by_the_first_write(tmp_path: Path, log: ChangeLog) -> None:
    vault = Vault.open(tmp_path / "not" / "there")
    assert vault.index.files == []
    staging = Staging(vault)
    staging.write("a/First.md", "text")
    apply(vault, staging.change_set("first"), log)
    assert (vault.root / "a" / "First.md").read_text() == "text"
    assert vault.index.files == ["a/First.md"]


def test_nothing_is_touched_before_it_is_applied(vault: Vault) -> None:
    before = read_vault(vault.root)
    staging = Staging(vault)
    staging.move("A.md", "Z.md")
    staging.write("New.md", "[[Z]]")
    staging.delete("B.md")
    assert staging.text("sub/C.md") == "[[Z]] [[B]]\n"
    assert [link.source for link in staging.index.backlinks("Z.md")] == ["New.md", "sub/C.md"]
    assert not staging.exists("B.md")
    assert read_vault(vault.root) == before
    assert vault.index.files == sorted(before)


def test_changes_and_back(vault: Vault, log: ChangeLog) -> None:
    before = read_vault(vault.root)
    changes = staged(vault)
    assert ChangeSet.model_validate(changes.model_dump(mode="json")) == changes
    entry = apply(vault, changes, log, user="local")
    after = read_vault(vault.root)
    assert after == {
        "A.md": b"new\n",
        "deep/er/New.md": b"[[A]]\n",
        "img/pic.png": b"\x89\0\xff",
        "sub/C.md": b"[[A]] [[B]]\n",
    }
    assert (entry.state, entry.title, entry.user, len(entry.steps)) == ("applied", "several things", "local", 4)
    assert undo(vault, log).undoes == entry.id
    assert read_vault(vault.root) == before
    assert log.entry(entry.id).state == "undone"
    again = undo(vault, log, log.entries()[0].id)
    assert read_vault(vault.root) == after
    assert again.title == "several things"
    assert Vault.open(vault.root).index.notes == vault.index.notes
    assert not list((vault.root / "deep").glob("**/.*"))


@pytest.mark.parametrize(
    "edit",
    [
        lambda root: (root / "A.md").write_text("a person's\n"),
        lambda root: (root / "B.md").unlink(),
        lambda root: (root / "B.md").write_text("a person's\n"),
        lambda root: (root / "pic.png").write_bytes(b"x"),
        lambda root: ((root / "deep" / "er").mkdir(parents=True), (root / "deep/er/new.md").write_text("theirs")),
        lambda root: ((root / "img").mkdir(), (root / "img" / "pic.png").write_text("theirs")),
    ],
)
def test_what_a_person_wrote_meanwhile_stays(vault: Vault, log: ChangeLog, edit: object) -> None:
    changes = staged(vault)
    edit(vault.root)  # type: ignore[operator]
    theirs = read_vault(vault.root)
    with pytest.raises(VaultConflict) as caught:
        apply(vault, changes, log)
    assert len(caught.value.paths) == 1
    assert caught.value.paths[0] in str(caught.value)
    assert read_vault(vault.root) == theirs


def test_an_edit_between_look_and_write_is_seen(vault: Vault, log: ChangeLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person saves after the check and before the last file is put in its place."""
    changes = staged(vault)
    before = read_vault(vault.root)
    check = applying.check

    def slow_check(*args: object) -> object:
        steps = check(*args)  # type: ignore[arg-type]
        (vault.root / "A.md").write_text("a person's\n")
        return steps

    monkeypatch.setattr(applying, "check", slow_check)
    with pytest.raises(VaultConflict):
        apply(vault, changes, log)
    assert read_vault(vault.root) == before | {"A.md": b"a person's\n"}
    assert log.entries()[0].state == "failed"


def test_an_undo_leaves_what_was_edited_since(vault: Vault, log: ChangeLog) -> None:
    moved(vault, log, "A.md", "Z.md")
    (vault.root / "sub" / "C.md").write_text("a person's\n")
    theirs = read_vault(vault.root)
    with pytest.raises(VaultConflict, match="sub/C"):
        undo(vault, log)
    assert read_vault(vault.root) == theirs
    assert [e.state for e in log.entries()] == ["applied"]
    with pytest.raises(ToolArgumentError):
        undo(vault, log, "nonsense")


def test_a_disk_that_refuses_leaves_all_as_it_was(
    vault: Vault, log: ChangeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, changes, calls = read_vault(vault.root), staged(vault), []
    put = applying.put_in_place

    def failing(*args: object) -> None:
        calls.append(args)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        put(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(applying, "put_in_place", failing)
    with pytest.raises(ToolUnavailable, match="No space left"):
        apply(vault, changes, log)
    assert read_vault(vault.root) == before
    assert not any(place.name.startswith(".oracle") for place in vault.root.rglob("*"))


@pytest.mark.parametrize("stage", ["put_in_place", "link_or_rename", "remove_empty"])
@pytest.mark.parametrize("number", range(1, 5))
def test_what_a_killed_process_began_is_taken_back(
    vault: Vault, log: ChangeLog, monkeypatch: pytest.MonkeyPatch, stage: str, number: int
) -> None:
    before, changes, calls = read_vault(vault.root), staged(vault), []
    function = getattr(applying, stage)

    class Killed(BaseException):
        pass

    def dying(*args: object) -> object:
        calls.append(args)
        if len(calls) == number:
            monkeypatch.setattr(applying, "make", lambda *args: None)
            raise Killed
        return function(*args)

    make = applying.make

    def without_rollback(*args: object) -> None:
        """As a process that is killed: nothing after the kill runs."""
        monkeypatch.setattr(applying, stage, dying)
        monkeypatch.setattr(applying, "reversed", lambda steps: steps[:0], raising=False)
        make(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(applying, "make", without_rollback)
    entries = log.write
    monkeypatch.setattr(log, "write", lambda e: entries(e) if e.state == "pending" else None)
    try:
        apply(vault, changes, log)
    except Killed:
        monkeypatch.undo()
        (vault.root / "sub" / "C.md").write_text("a person's\n")
        vault = Vault.open(vault.root)
        staging = Staging(vault)
        staging.write("Later.md", "later")
        apply(vault, staging.change_set("later"), log)
        assert read_vault(vault.root) == before | {"sub/C.md": b"a person's\n", "Later.md": b"later"}
        assert [e.state for e in log.entries()] == ["applied", "failed"]


@pytest.mark.parametrize("path", ["../out.md", "/etc/x.md", ".obsidian/app.json", "a/../b.md", "x" * 257, "a\0.md", ""])
def test_paths_that_are_refused(vault: Vault, log: ChangeLog, path: str) -> None:
    with pytest.raises(ToolArgumentError):
        apply(vault, ChangeSet(title="x", changes=(Change(path=path, after=b"x"),)), log)
    with pytest.raises(ToolArgumentError):
        Staging(vault).write(path, "x")
    with pytest.raises(ToolArgumentError):
        vault.read(path)


def test_symbolic_links_lead_nowhere(vault: Vault, log: ChangeLog, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "Secret.md").write_text("secret")
    (vault.root / "link").symlink_to(tmp_path / "outside")
    (vault.root / "Link.md").symlink_to(tmp_path / "outside" / "Secret.md")
    vault.refresh()
    vault.refresh(["link", "link/Secret.md", "Link.md"])
    assert not [path for path in vault.index.files if "ink" in path]
    for path in ("link/New.md", "link/Secret.md", "Link.md"):
        with pytest.raises(ToolArgumentError):
            vault.read(path)
        with pytest.raises(ToolArgumentError):
            apply(vault, ChangeSet(title="x", changes=(Change(path=path, after=b"x"),)), log)
    assert (tmp_path / "outside" / "Secret.md").read_text() == "secret"


def test_a_note_of_more_than_a_mebibyte_is_refused(vault: Vault, log: ChangeLog) -> None:
    with pytest.raises(ToolArgumentError, match="1 MiB"):
        Staging(vault).write("Big.md", "x" * (1024 * 1024 + 1))
    with pytest.raises(ToolArgumentError, match="1 MiB"):
        apply(vault, ChangeSet(title="x", changes=(Change(path="Big.md", after=b"x" * (1 << 21)),)), log)


def test_a_diff_says_links_one_a_line(vault: Vault) -> None:
    staging = Staging(vault)
    staging.move("A.md", "d/Z.md")
    staging.write("B.md", "b\r\nmore\r\n")
    shown = diff(staging.change_set("x"), vault.read)
    assert "  1  [[A]] → [[Z]]" in shown.splitlines()
    assert "A.md → d/Z.md" in shown.splitlines()
    assert "+more" in shown.splitlines()
    assert len(diff(staging.change_set("x"), vault.read, most=2).splitlines()) == 3


def test_one_commit_of_the_touched_files(vault: Vault, log: ChangeLog) -> None:
    run_git(vault.root, "init", "-q", "-b", "main")
    run_git(vault.root, "add", "-A")
    run_git(vault.root, "commit", "-q", "-m", "first")
    (vault.root / ".gitignore").write_text("private/\n")
    (vault.root / "Other.md").write_text("not ours")
    (vault.root / ".git" / "hooks").mkdir(exist_ok=True)
    hook = vault.root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\ntouch hooked\nexit 1\n")
    hook.chmod(0o755)
    entry = moved(vault, log, "A.md", "Z.md")
    assert entry.commit == run_git(vault.root, "rev-parse", "HEAD").strip()
    assert run_git(vault.root, "log", "-1", "--format=%an %s").strip() == "Oracle move A.md to Z.md"
    named = run_git(vault.root, "show", "--no-renames", "--name-only", "--format=", "HEAD").split()
    assert named == ["A.md", "Z.md", "sub/C.md"]
    assert not (vault.root / "hooked").exists()
    status = run_git(vault.root, "status", "--porcelain").splitlines()
    assert status == ["?? .gitignore", "?? Other.md"]
    staging = Staging(vault)
    staging.write("private/Own.md", "x")
    assert apply(vault, staging.change_set("ignored"), log).commit == ""
    assert undo(vault, log, entry.id).commit


def test_a_repository_with_other_plans_is_left_alone(vault: Vault, log: ChangeLog) -> None:
    run_git(vault.root, "init", "-q", "-b", "main")
    run_git(vault.root, "add", "-A")
    run_git(vault.root, "commit", "-q", "-m", "first")
    (vault.root / "B.md").write_text("staged")
    run_git(vault.root, "add", "B.md")
    assert moved(vault, log, "A.md", "Z.md").commit == ""
    assert run_git(vault.root, "diff", "--cached", "--name-only").split() == ["B.md"]
    run_git(vault.root, "commit", "-q", "-m", "theirs")
    (vault.root / ".git" / "MERGE_HEAD").write_text(run_git(vault.root, "rev-parse", "HEAD"))
    assert moved(vault, log, "Z.md", "Y.md").commit == ""
    assert run_git(vault.root, "rev-list", "--count", "HEAD").strip() == "2"


def test_hashes_stand_for_bytes(vault: Vault) -> None:
    changes = staged(vault)
    before = {change.source: change.before for change in changes.changes}
    assert before["A.md"] == sha256_of(b"# A\n[[B]]\n")
    assert before["deep/er/New.md"] is None
