"""What changed since a whole index was written stands in a layer above it, and answers as if all was indexed anew."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.costly_examples import few_examples
from tests.support.git_repositories import commit, lines_at, make_repository, run_git
from workers.errors import ToolUnavailable
from workers.search import CodeIndex
from workers.sources.code.index_build import CHANGES, FILE

WORDS = ("alpha", "beta", "gamma", "delta")
NAMES = tuple(f"{folder}{word}.py" for folder in ("", "lib/", "tests/") for word in WORDS)
QUERIES = (*WORDS, "call_alpha", "lib/beta.py", "where does beta call gamma", "/api/alpha", "delta_limit")


def content(words: tuple[str, ...]) -> str:
    """A small module about some words."""
    part = "def call_{w}():\n    return {w}_limit\n\n\n@app.get('/api/{w}')\ndef {w}():\n    pass\n"
    functions = [part.replace("{w}", w) for w in words]
    return "\n\n".join((f"LIMIT = {len(words)}\n", *functions))


def answers(index: CodeIndex) -> dict[str, object]:
    """All that can be asked of an index, apart from the order of hits that count the same."""
    found: dict[str, object] = {
        query: {(h.path, h.start_line, h.end_line, h.excerpt, h.symbols, h.kind) for h in index.search(query, 50)}
        for query in QUERIES
    }
    found["definitions"] = [sorted((d.path, d.excerpt) for d in index.definitions(f"call_{w}")) for w in WORDS]
    found["uses"] = [sorted((u.path, u.line) for u in index.references(f"{w}_limit")) for w in WORDS]
    found["routes"] = sorted(index.routes())
    found["files"] = sorted(index.numbers)
    return found


edits = st.lists(
    st.dictionaries(
        st.sampled_from(NAMES),
        st.none() | st.lists(st.sampled_from(WORDS), max_size=4).map(tuple),
        min_size=1,
        max_size=4,
    ),
    min_size=3,
    max_size=5,
)


@few_examples(8)
@given(edits)
def test_an_index_with_changes_answers_as_a_new_one(steps: list[dict[str, tuple[str, ...] | None]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = make_repository(Path(place, "r"), {n: content((n[-8:-3].lstrip("/"),)) for n in NAMES[:6]})
        CodeIndex.build(folder, Path(place, "i"))
        for step in steps:
            present = set(run_git(folder, "ls-files").split())
            files = {n: c if c is None else content(c) for n, c in step.items() if c is not None or n in present}
            commit(folder, files, "Change")
            layered = CodeIndex.ensure(folder, Path(place, "i"))
            anew = CodeIndex.build(folder, Path(place, "fresh"))
            (Path(place, "fresh") / FILE).unlink()
            assert layered.commit == anew.commit
            assert answers(layered) == answers(anew)


@pytest.fixture
def changed(tmp_path: Path) -> tuple[Path, Path]:
    """A repository and its index, whose last commit stands in the changes alone."""
    folder = make_repository(tmp_path / "r", {n: content((w,)) for n, w in zip(NAMES[:4], WORDS, strict=True)})
    CodeIndex.build(folder, tmp_path / "i")
    commit(folder, {"beta.py": content(("alpha", "beta")), "delta.py": None}, "Change")
    return folder, tmp_path / "i"


def test_a_commit_of_few_files_leaves_the_whole_index_as_it_is(changed: tuple[Path, Path]) -> None:
    folder, place = changed
    before = (place / FILE).stat()
    old = CodeIndex.open(place)
    index = CodeIndex.ensure(folder, place)
    assert (place / FILE).stat() == before
    assert (place / CHANGES).exists()
    assert old.search("delta_limit")  # who had opened the old one goes on with it
    assert not index.find("delta_limit").coverage.covered
    assert {h.path for h in index.definitions("call_alpha")} == {"alpha.py", "beta.py"}
    for hit in index.search("where does beta call alpha"):
        assert hit.excerpt == lines_at(folder, hit.commit, hit.path, hit.start_line, hit.end_line)


def test_quoted_lines_of_a_changed_file_are_not_found(changed: tuple[Path, Path]) -> None:
    folder, place = changed
    index = CodeIndex.ensure(folder, place)
    assert all(h.path for h in index.search('what is "return delta_limit" for, and alpha'))


def test_many_changes_are_written_into_a_whole_index(changed: tuple[Path, Path]) -> None:
    folder, place = changed
    CodeIndex.ensure(folder, place)
    commit(folder, {f"more/m{i}.py": content(("gamma",)) for i in range(120)}, "Many")
    index = CodeIndex.ensure(folder, place)
    assert not (place / CHANGES).exists()
    assert len(index.definitions("call_gamma")) == 121


def test_a_commit_that_is_gone_is_indexed_anew(changed: tuple[Path, Path]) -> None:
    folder, place = changed
    run_git(folder, "checkout", "-q", "--orphan", "other")
    commit(folder, {"alpha.py": content(("delta",))}, "Begin again")
    run_git(folder, "branch", "-D", "main")
    run_git(folder, "reflog", "expire", "--expire=now", "--all")
    run_git(folder, "gc", "-q", "--prune=now")
    assert [h.path for h in CodeIndex.ensure(folder, place).definitions("call_delta")] == ["alpha.py"]


def test_changes_of_another_whole_index_do_not_count(changed: tuple[Path, Path]) -> None:
    folder, place = changed
    CodeIndex.ensure(folder, place)
    left = (place / CHANGES).read_bytes()
    (place / FILE).unlink()
    CodeIndex.build(folder, place)
    (place / CHANGES).write_bytes(left)
    assert not CodeIndex.open(place).find("delta_limit").coverage.covered
    assert CodeIndex.open(place).commit == CodeIndex.ensure(folder, place).commit


def test_damaged_changes_are_written_again(changed: tuple[Path, Path]) -> None:
    folder, place = changed
    CodeIndex.ensure(folder, place)
    whole = (place / CHANGES).read_bytes()
    (place / CHANGES).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ToolUnavailable):
        CodeIndex.open(place)
    assert CodeIndex.ensure(folder, place).search("alpha")
