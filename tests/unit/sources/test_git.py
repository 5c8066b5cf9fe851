"""Reading real repositories."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.git_repositories import commit, make_repository, run_git
from workers.errors import ToolUnavailable
from workers.sources.git import list_files, open_repository, read_blobs, remote_url, resolve, tags


def test_paths_that_are_no_repository(tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable, match="does not exist"):
        open_repository(tmp_path / "none")
    with pytest.raises(ToolUnavailable, match="is not a git repository"):
        open_repository(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ToolUnavailable, match="is a file"):
        open_repository(tmp_path / "file")


def test_git_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolUnavailable, match="git is not installed"):
        open_repository(tmp_path)


def test_variables_of_a_hook_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = make_repository(tmp_path / "a", {"a.py": "A = 1\n"})
    other = make_repository(tmp_path / "b", {"b.py": "B = 1\n"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    repo = open_repository(wanted)
    head = resolve(repo)
    assert head is not None
    assert [b.path for b in list_files(repo, head)] == ["a.py"]


def test_odd_files(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a b.py": "x\n", 'q"uote.py': "y\n", "ü/ö.py": "z\n", "new\nline": "n"})
    (folder / "link.py").symlink_to("a b.py")
    inner = make_repository(tmp_path / "inner", {"i.py": "i\n"})
    run_git(folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    commit(folder, {}, "Links")
    repo = open_repository(folder)
    head = resolve(repo)
    assert head is not None
    files = list_files(repo, head)
    assert [f.path for f in files] == [".gitmodules", "a b.py", 'q"uote.py', "ü/ö.py"]
    assert (
        dict(zip([f.path for f in files], read_blobs(repo, [f.hash for f in files]), strict=True))["a b.py"] == b"x\n"
    )


def test_many_blobs_and_missing_ones(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {f"{i}.txt": f"{i}\n" * 50 for i in range(450)})
    repo = open_repository(folder)
    files = list_files(repo, "HEAD")
    hashes = [f.hash for f in files]
    hashes[7] = "0" * 40
    contents = list(read_blobs(repo, hashes))
    assert contents[7] == b""
    assert all(
        c.split(b"\n")[0] == f.path[:-4].encode()
        for i, (f, c) in enumerate(zip(files, contents, strict=True))
        if i != 7
    )


def test_a_folder_inside_a_repository(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "1\n", "sub/b.py": "2\n"})
    repo = open_repository(folder / "sub")
    assert repo.prefix == "sub/"
    assert [b.path for b in list_files(repo, "HEAD")] == ["sub/b.py"]


def test_commits_branches_and_a_bare_copy(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r")
    assert resolve(open_repository(folder)) is None
    first = commit(folder, {"a": "1\n"}, "One")
    run_git(folder, "branch", "old")
    second = commit(folder, {"a": "2\n"}, "Two")
    repo = open_repository(folder)
    assert resolve(repo) == second
    assert resolve(repo, "old") == first
    assert resolve(repo, second[:8]) == second
    for bad in ("nowhere", "--all", "-x", "a\nb", "\0", ""[:0] + "HEAD:a"):
        assert resolve(repo, bad) is None
    run_git(tmp_path, "clone", "-q", "--bare", str(folder), "bare.git")
    bare = open_repository(tmp_path / "bare.git")
    assert bare.root is None
    assert resolve(bare) == second
    assert remote_url(bare) == str(folder)
    assert remote_url(repo) == ""


def test_tags(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a": "1\n"}, datetime(2026, 1, 1, tzinfo=UTC))
    first = run_git(folder, "rev-parse", "HEAD").strip()
    run_git(folder, "tag", "v1")
    second = commit(folder, {"a": "2\n"}, "Two", datetime(2026, 2, 1, tzinfo=UTC))
    run_git(folder, "tag", "-a", "v2", "-m", "second", at=datetime(2026, 2, 3, tzinfo=UTC))
    run_git(folder, "tag", "tree", "HEAD^{tree}")
    assert [(t.name, t.commit, t.at) for t in tags(open_repository(folder))] == [
        ("v1", first, datetime(2026, 1, 1, tzinfo=UTC)),
        ("v2", second, datetime(2026, 2, 3, tzinfo=UTC)),
    ]


def test_what_moves_between_two_readings_is_read_anew(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "A = 1\n"})
    repo = open_repository(folder)
    first, last = resolve(repo), commit(folder, {"a.py": "A = 2\n"}, "second")
    assert (resolve(repo), resolve(repo, "HEAD~1")) == (last, first)
    run_git(folder, "pack-refs", "--all")
    assert resolve(open_repository(folder)) == last
    third = commit(folder, {"a.py": "A = 3\n"}, "third")
    run_git(folder, "pack-refs", "--all")
    assert resolve(repo) == third
    run_git(folder, "checkout", "-q", "--detach", last)
    assert resolve(repo) == last
    run_git(folder, "checkout", "-q", "--orphan", "empty")
    assert resolve(repo) is None
    assert remote_url(repo) == ""
    run_git(folder, "remote", "add", "origin", "https://example.com/a.git")
    assert remote_url(repo) == "https://example.com/a.git"
    run_git(folder, "remote", "set-url", "origin", "https://example.com/b.git")
    assert remote_url(repo) == "https://example.com/b.git"


def test_a_repository_that_appears_inside_another_one_is_found(tmp_path: Path) -> None:
    outer = make_repository(tmp_path / "outer", {"part/a.py": "A = 1\n"})
    assert open_repository(outer / "part").root == outer
    run_git(outer / "part", "init", "-q")
    assert open_repository(outer / "part").root == outer / "part"


def test_a_work_tree_beside_the_first_has_a_head_of_its_own(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "A = 1\n"})
    first = resolve(open_repository(folder))
    run_git(folder, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = commit(tmp_path / "side", {"a.py": "A = 2\n"}, "second")
    assert (resolve(open_repository(tmp_path / "side")), resolve(open_repository(folder))) == (side, first)
