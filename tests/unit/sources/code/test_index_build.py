"""Repositories of every odd kind, damaged indexes, and files taken over from other indexes."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.git_repositories import QUIET, commit, make_repository, run_git
from workers.errors import ToolUnavailable
from workers.search import CodeIndex
from workers.sources.code import index_build, parallel_parsing
from workers.sources.code.file_parsing import parse_files
from workers.sources.code.index_build import CHANGES, FILE, SCHEMA
from workers.sources.code.sibling_indexes import read_siblings
from workers.sources.git import open_repository
from workers.sources.index_progress import heard_by, tell

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
PARCEL = "def send_parcel(order):\n    return courier(order)\n"


def paths(index: CodeIndex) -> list[str]:
    """The indexed files."""
    return sorted(index.numbers)


def parsed_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the files that are parsed from now on."""
    seen: list[str] = []

    def watched(repo, blobs):
        seen.extend(b.path for b in blobs)
        return parse_files(repo, blobs)

    monkeypatch.setattr(parallel_parsing, "parse_files", watched)
    return seen


def test_what_is_no_text_is_left_out(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "parcel.py": PARCEL,
        "model.bin.py": b"\0" * 100_000,
        "video.mp4": b"not even looked at",
        "weights.csv": POINTER,
        "one_line.js": "var parcel = 1;" * 50_000,
        "huge.json": '{"parcel": 1}\n' * 100_000,
        "long.txt": "parcel " * 20_000,
        "empty.py": "",
    }
    folder = make_repository(tmp_path / "r", files)
    outside = tmp_path / "secret.py"
    outside.write_text("SECRET_PARCEL = 1\n")
    (folder / "out.py").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    inner = make_repository(tmp_path / "inner", {"inner_parcel.py": PARCEL})
    run_git(folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    commit(folder, {}, "Links")
    index = CodeIndex.build(folder, tmp_path / "i")
    assert paths(index) == [".gitmodules", "parcel.py"]
    assert {h.path for h in index.search("send_parcel", 20)} == {"parcel.py"}


def test_text_in_every_encoding(tmp_path: Path) -> None:
    crlf = PARCEL.replace("\n", "\r\n").encode()
    files: dict[str, str | bytes] = {
        "crlf.py": crlf,
        "bom.py": b"\xef\xbb\xbf" + PARCEL.encode(),
        "little.py": b"\xff\xfe" + PARCEL.encode("utf-16-le"),
        "big.py": b"\xfe\xff" + PARCEL.encode("utf-16-be"),
        "latin.py": PARCEL.encode() + b"# caf\xe9 parcel\n",
        "no_end.py": PARCEL.rstrip().encode(),
    }
    index = CodeIndex.build(make_repository(tmp_path / "r", files), tmp_path / "i")
    found = {h.path: h for h in index.definitions("send_parcel")}
    assert sorted(found) == sorted(files)
    assert {h.excerpt.lstrip("\ufeff") for h in found.values()} == {PARCEL.rstrip()}
    assert index.lines("latin.py", 3, 3) == "# caf\ufffd parcel"


def test_names_that_are_not_text_stay_apart(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r")
    contents = [f"PARCEL_{i} = {i}\n".encode() for i in "12"]
    blobs = [run_git(folder, "hash-object", "-w", "--stdin", stdin=c).strip() for c in contents]
    rows = b"".join(
        b"100644 blob " + blob.encode() + b"\t" + name + b"\0"
        for blob, name in zip(blobs, (b"\xe9.py", b"\xff.py"), strict=True)
    )
    tree = run_git(folder, "mktree", "-z", stdin=rows).strip()
    run_git(folder, "update-ref", "refs/heads/main", run_git(folder, "commit-tree", tree, "-m", "Odd").strip())
    CodeIndex.build(folder, tmp_path / "i")
    rows = rows.replace(blobs[1].encode(), blobs[0].encode())
    tree = run_git(folder, "mktree", "-z", stdin=rows).strip()
    after = run_git(folder, "commit-tree", tree, "-p", "main", "-m", "Change").strip()
    run_git(folder, "update-ref", "refs/heads/main", after)
    index = CodeIndex.ensure(folder, tmp_path / "i")
    assert paths(index) == ["\\xe9.py", "\\xff.py"]
    assert not index.definitions("PARCEL_2")
    assert {h.path for h in index.definitions("PARCEL_1")} == {"\\xe9.py", "\\xff.py"}


def test_a_repository_without_commits_and_then_with_one(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r")
    index = CodeIndex.build(folder, tmp_path / "i")
    assert (index.commit, index.search("parcel"), index.routes()) == ("", [], [])
    assert CodeIndex.ensure(folder, tmp_path / "i").commit == ""
    commit(folder, {}, "Nothing yet")
    assert CodeIndex.ensure(folder, tmp_path / "i").search("parcel") == []
    commit(folder, {"parcel.py": PARCEL}, "Begin")
    assert CodeIndex.ensure(folder, tmp_path / "i").search("send_parcel")


def test_shallow_clones(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "A = 1\n"})
    for number in range(3):
        commit(folder, {"parcel.py": PARCEL + f"# {number}\n"}, f"Parcel {number}")
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", "shallow")
    index = CodeIndex.build(tmp_path / "shallow", tmp_path / "i")
    assert paths(index) == ["a.py", "parcel.py"]
    commit(folder, {"parcel.py": PARCEL + "# more\n"}, "More")
    run_git(tmp_path / "shallow", "fetch", "-q", "--depth", "1")
    run_git(tmp_path / "shallow", "reset", "-q", "--hard", "FETCH_HEAD")
    assert CodeIndex.ensure(tmp_path / "shallow", tmp_path / "i").lines("parcel.py", 3, 3) == "# more"


def test_a_clone_without_its_blobs(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"parcel.py": PARCEL, "b.py": "B = 1\n"})
    run_git(folder, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{folder}", "partial")
    with pytest.raises(ToolUnavailable, match="does not have the contents of its files"):
        CodeIndex.build(tmp_path / "partial", tmp_path / "i")
    blob = run_git(folder, "rev-parse", "HEAD:parcel.py").strip()
    run_git(tmp_path / "partial", "cat-file", "-e", blob)  # fetches it
    assert paths(CodeIndex.build(tmp_path / "partial", tmp_path / "i")) == ["parcel.py"]


def test_repositories_that_hash_by_sha256(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    run_git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    commit(folder, {"parcel.py": PARCEL}, "Begin")
    CodeIndex.build(folder, tmp_path / "i")
    commit(folder, {"more.py": PARCEL}, "More")
    index = CodeIndex.ensure(folder, tmp_path / "i")
    assert len(index.commit) == 64
    assert {h.path for h in index.definitions("send_parcel")} == {"more.py", "parcel.py"}


def test_very_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_parsing, "BATCH_BYTES", 8_000)
    folder = make_repository(tmp_path / "r")
    rows = "".join(f"M 100644 inline d{i % 50}/m{i}.py\ndata <<E\nPARCEL_{i} = {i}\nE\n\n" for i in range(2_000))
    stream = f"commit refs/heads/main\ncommitter A <a@example.org> 1767225600 +0000\ndata <<E\nMany\nE\n{rows}"
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=stream.encode(), check=True, env=QUIET)
    index = CodeIndex.build(folder, tmp_path / "i")
    assert len(index.numbers) == 2_000
    assert [h.path for h in index.definitions("PARCEL_1321")] == ["d21/m1321.py"]
    assert index.columns.paths == sorted(index.columns.paths)


def test_a_parser_that_is_killed_leaves_nothing_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_repository(tmp_path / "r", {f"m{i}.py": f"PARCEL_{i} = {i}\n" for i in range(20)})
    monkeypatch.setattr(parallel_parsing, "BATCH_BYTES", 50)
    started = parallel_parsing.start

    def killed() -> subprocess.Popen[bytes]:
        process = started()
        process.kill()
        return process

    monkeypatch.setattr(parallel_parsing, "start", killed)
    assert len(CodeIndex.build(folder, tmp_path / "i").numbers) == 20


def test_the_parser_beside_reads_no_code_of_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_repository(tmp_path / "r", {f"m{i}.py": f"PARCEL_{i} = {i}\n" for i in range(20)})
    trap = tmp_path / "workers"
    trap.mkdir()
    (trap / "__init__.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parallel_parsing, "BATCH_BYTES", 50)
    CodeIndex.build(folder, tmp_path / "i")
    assert not (tmp_path / "sprung").exists()


@pytest.fixture(scope="module")
def layered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A repository whose index has two layers, and the bytes of both."""
    place = tmp_path_factory.mktemp("layered")
    folder = make_repository(place / "r", {"parcel.py": PARCEL, "other.py": "def refund():\n    pass\n"})
    CodeIndex.build(folder, place / "i")
    commit(folder, {"parcel.py": PARCEL + "\n\ndef more():\n    pass\n"}, "More")
    CodeIndex.ensure(folder, place / "i")
    return folder, {name: (place / "i" / name).read_bytes() for name in (FILE, CHANGES)}


def sections(raw: bytes) -> list[int]:
    """A byte of every part of a file: its front, its header, and each array."""
    size = int.from_bytes(raw[8:16], "little")
    return [*range(20), *range(20, 20 + size, 97), *range(20 + size, len(raw), 61)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_is_noticed_and_mended(
    layered: tuple[Path, dict[str, bytes]], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder, whole = layered
    place = tmp_path_factory.mktemp("damaged")
    for name, raw in whole.items():
        (place / name).write_bytes(raw)
    name = data.draw(st.sampled_from([FILE, CHANGES]))
    raw = whole[name]
    if data.draw(st.booleans()):
        (place / name).write_bytes(raw[: data.draw(st.integers(0, len(raw) - 1))])
    else:
        at = data.draw(st.sampled_from(sections(raw)))
        flipped = bytes([raw[at] ^ data.draw(st.integers(1, 255))])
        (place / name).write_bytes(raw[:at] + flipped + raw[at + 1 :])
    index = CodeIndex.ensure(folder, place)
    assert {h.path for h in index.definitions("more")} == {"parcel.py"}
    assert {h.path for h in index.definitions("refund")} == {"other.py"}
    assert index_build.open_columns(place) is not None


def test_an_index_of_another_version_is_written_anew(layered: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    folder, whole = layered
    for name, raw in whole.items():
        (tmp_path / name).write_bytes(raw)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index_build, "SCHEMA", "newer")
        with pytest.raises(ToolUnavailable):
            CodeIndex.open(tmp_path)
        assert CodeIndex.ensure(folder, tmp_path).definitions("more")
    with pytest.raises(ToolUnavailable):
        CodeIndex.open(tmp_path)


def test_branches_and_forks_share_what_was_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_repository(tmp_path / "r", {f"m{i}.py": f"PARCEL_{i} = {i}\n" for i in range(20)})
    home = tmp_path / "index"
    CodeIndex.build(folder, home / "main", "main")
    commit(folder, {"later.py": PARCEL}, "Later")
    CodeIndex.ensure(folder, home / "main", "main")
    run_git(folder, "checkout", "-q", "-b", "feature")
    commit(folder, {"m3.py": "VOUCHER = 3\n", "m4.py": None}, "Feature")
    seen = parsed_by(monkeypatch)
    feature = CodeIndex.build(folder, home / "feature", "feature")
    assert seen == ["m3.py"]
    assert feature.definitions("VOUCHER")
    assert feature.definitions("send_parcel")
    assert not feature.definitions("PARCEL_4")
    run_git(tmp_path, "clone", "-q", "-b", "feature", str(folder), "fork")
    commit(tmp_path / "fork", {"fork.py": "FORKED = 1\n"}, "Fork")
    seen.clear()
    fork = CodeIndex.build(tmp_path / "fork", home / "fork")
    assert seen == ["fork.py"]
    monkeypatch.undo()
    alone = CodeIndex.build(tmp_path / "fork", tmp_path / "alone" / "fork")
    assert fork.columns.paths == alone.columns.paths
    assert {h.path for h in fork.search("parcel", 50)} == {h.path for h in alone.search("parcel", 50)}


def test_strangers_and_damaged_neighbours_give_nothing(tmp_path: Path) -> None:
    one = make_repository(tmp_path / "one", {"a.py": "A = 1\n"})
    two = make_repository(tmp_path / "two", {"a.py": "A = 1\n", "b.py": "B = 1\n"})
    home = tmp_path / "index"
    CodeIndex.build(one, home / "one")
    (home / "half").mkdir()
    (home / "half" / FILE).write_bytes((home / "one" / FILE).read_bytes()[:500])
    (home / "notes.txt").write_text("not an index\n")
    source = open_repository(two)
    assert read_siblings(source, home / "two", SCHEMA, (FILE, CHANGES)) == []
    assert len(read_siblings(open_repository(one), home / "two", SCHEMA, (FILE, CHANGES))) == 1
    assert paths(CodeIndex.build(two, home / "two")) == ["a.py", "b.py"]


# --- what is left out, and how far it is ----------------------------------------------------------------------


def test_what_is_left_out_is_counted_by_reason(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "parcel.py": PARCEL,
        "a.png": b"x",
        "b.gif": b"x",
        "model.bin.py": b"\0" * 100,
        "uv.lock": "x",
        "one_line.js": "var parcel = 1;" * 50_000,
        "web/node_modules/a.js": "var a\n",
        "weights.csv": POINTER,
        "empty.py": "",
        "huge.json": '{"parcel": 1}\n' * 100_000,
    }
    folder = make_repository(tmp_path / "r", files)
    expected = {"binary": 3, "generated": 2, "installed": 1, "kept by Git LFS": 1, "too large": 1}
    index = CodeIndex.build(folder, tmp_path / "index")
    assert index.meta["skipped"] == expected
    commit(folder, {"parcel.py": PARCEL + "\n"}, "Touch")
    again = CodeIndex.build(folder, tmp_path / "index")
    assert (tmp_path / "index" / CHANGES).exists()
    assert again.meta["skipped"] == expected, "as of the whole index"


def test_files_that_were_not_cloned_are_counted(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"parcel.py": PARCEL, "lost.py": "def lost():\n    return 1\n"})
    blob = run_git(folder, "rev-parse", "HEAD:lost.py").strip()
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert CodeIndex.build(folder, tmp_path / "index").meta["skipped"] == {"not cloned": 1}


@pytest.mark.parametrize("batch_bytes", [1, 6_000_000])
def test_how_far_an_index_is_can_be_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_bytes: int) -> None:
    monkeypatch.setattr(parallel_parsing, "BATCH_BYTES", batch_bytes)
    monkeypatch.setattr(parallel_parsing, "MOST", 0 if batch_bytes == 1 else 4)
    monkeypatch.setattr(parallel_parsing, "ThreadPoolExecutor", lambda _: ThreadPoolExecutor(1))
    folder = make_repository(tmp_path / "r", {f"parcel_{i}.py": PARCEL for i in range(5)} | {"a.png": b"x"})
    heard: list[tuple[int, int]] = []
    with heard_by(lambda done, total: heard.append((done, total))):
        CodeIndex.build(folder, tmp_path / "index")
    assert heard == ([(i, 5) for i in range(1, 6)] if batch_bytes == 1 else [(5, 5)])
    tell(1, 2)
    assert heard[-1] == (5, 5), "nobody listens any more"
